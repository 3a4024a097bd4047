package org.weft.sysmgr.replication.ratis;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpcWithProxy;
import org.apache.ratis.thirdparty.io.grpc.StatusRuntimeException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.protocol.seam.ReplicatedLog.Progress;

/**
 * The members of the log. Ratis keeps them in the log itself; a member's RPC address stands there
 * as the address for Ratis' clients, of which there are none. Thread-safe.
 */
final class RatisMembers {
  private final RatisOptions options;
  private final RaftGroupId groupId;
  private volatile RaftServer server;

  RatisMembers(RatisOptions options, RaftGroupId groupId) {
    this.options = options;
    this.groupId = groupId;
  }

  /** Before the server is started. */
  void of(RaftServer made) {
    server = made;
  }

  static RaftPeerId peerId(int memberId) {
    return RaftPeerId.valueOf(Integer.toString(memberId));
  }

  static RaftPeer peer(Member member) {
    return RaftPeer.newBuilder()
        .setId(peerId(member.memberId()))
        .setAddress(member.log().toString())
        .setClientAddress(member.rpc().toString())
        .build();
  }

  /** This is the only member, and no other is being added or taken away. */
  boolean alone() {
    Optional<RaftConfiguration> known = configuration();
    if (known.isEmpty()) {
      return options.single();
    }
    List<RaftPeer> all = new ArrayList<>(known.get().getCurrentPeers());
    all.addAll(known.get().getPreviousPeers());
    return !all.isEmpty()
        && all.stream().allMatch(each -> each.getId().equals(peerId(options.memberId())));
  }

  List<Member> members() {
    return configuration().map(RaftConfiguration::getCurrentPeers).stream()
        .flatMap(Collection::stream)
        .map(this::member)
        .sorted(Comparator.comparingInt(Member::memberId))
        .toList();
  }

  /**
   * What this process was told of itself counts more than what the log says: a member that is alone
   * may have moved. Logs of older releases hold no RPC addresses.
   */
  private Member member(RaftPeer peer) {
    int id = Integer.parseInt(peer.getId().toString());
    if (id == options.memberId()) {
      return new Member(id, options.rpc(), advertised());
    }
    Endpoint log = Endpoint.parse(peer.getAddress());
    String rpc = peer.getClientAddress();
    if (rpc != null && !rpc.isEmpty()) {
      return new Member(id, Endpoint.parse(rpc), log);
    }
    return options.members().stream()
        .filter(each -> each.memberId() == id)
        .findFirst()
        .orElse(new Member(id, log, log));
  }

  private Endpoint advertised() {
    return options.members().stream()
        .filter(each -> each.memberId() == options.memberId())
        .map(Member::log)
        .findFirst()
        .orElse(options.listen());
  }

  Optional<Endpoint> leader() {
    return info()
        .map(DivisionInfo::getLeaderId)
        .flatMap(
            leader ->
                members().stream()
                    .filter(member -> peerId(member.memberId()).equals(leader))
                    .map(Member::rpc)
                    .findFirst());
  }

  List<Progress> progress() {
    Optional<DivisionInfo> info = info().filter(DivisionInfo::isLeader);
    if (info.isEmpty()) {
      return List.of();
    }
    Map<String, Long> commits = commits();
    long own = commits.getOrDefault(peerId(options.memberId()).toString(), 0L);
    List<Integer> voters = members().stream().map(Member::memberId).toList();
    List<Progress> progress = new ArrayList<>();
    followersSilentMillis(info.get())
        .forEach(
            (id, silentMillis) -> {
              if (voters.contains(id)) {
                long behind = Math.max(0, own - commits.getOrDefault(peerId(id).toString(), 0L));
                progress.add(new Progress(id, behind, silentMillis));
              }
            });
    return progress;
  }

  /** Of a leader: how long it has heard nothing of each of the others, by number, in its order. */
  private static Map<Integer, Long> followersSilentMillis(DivisionInfo leading) {
    Map<Integer, Long> silentMillis = new LinkedHashMap<>();
    for (ServerRpcProto each : leading.getRoleInfoProto().getLeaderInfo().getFollowerInfoList()) {
      int id = Integer.parseInt(each.getId().getId().toStringUtf8());
      silentMillis.put(id, each.getLastRpcElapsedTimeMs());
    }
    return silentMillis;
  }

  /** What this member sees of the others; empty while it is opened or closed. */
  Optional<SilentMembers.Sight> sight() {
    Optional<DivisionInfo> info = info();
    Optional<RaftConfiguration> known = configuration();
    if (info.isEmpty() || known.isEmpty()) {
      return Optional.empty();
    }
    Map<Integer, Long> silentMillis = new HashMap<>();
    Stream.of(known.get().getCurrentPeers(), known.get().getPreviousPeers())
        .flatMap(Collection::stream)
        .map(each -> Integer.parseInt(each.getId().toString()))
        .filter(id -> id != options.memberId())
        .forEach(id -> silentMillis.put(id, 0L));
    if (!info.get().isLeader()) {
      boolean follows = info.get().isFollower() && info.get().getLeaderId() != null;
      return Optional.of(
          new SilentMembers.Sight(
              follows ? SilentMembers.Standing.FOLLOWS : SilentMembers.Standing.WITHOUT_LEADER,
              silentMillis));
    }
    followersSilentMillis(info.get()).forEach(silentMillis::replace);
    return Optional.of(new SilentMembers.Sight(SilentMembers.Standing.LEADS, silentMillis));
  }

  /** What this member leads; empty while it does not, or is opened or closed. */
  Optional<LeaderConfirmation.Lead> lead() {
    Optional<DivisionInfo> info = info().filter(DivisionInfo::isLeader);
    Optional<RaftConfiguration> known = configuration();
    if (info.isEmpty() || known.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new LeaderConfirmation.Lead(
            info.get().getCurrentTerm(),
            numbers(known.get().getCurrentPeers()),
            numbers(known.get().getPreviousPeers())));
  }

  private static Set<Integer> numbers(Collection<RaftPeer> peers) {
    return peers.stream()
        .map(each -> Integer.parseInt(each.getId().toString()))
        .collect(Collectors.toSet());
  }

  /**
   * Asks a member for its term, by a preliminary request for its vote. That changes nothing there,
   * since a log that is shorter than any other gets no vote. Blocks for Ratis' time of a request at
   * most.
   *
   * @throws IOException if it cannot be reached, or does not answer in time
   */
  long term(int memberId, long ownTerm) throws IOException {
    RaftRpcRequestProto.Builder request =
        RaftRpcRequestProto.newBuilder()
            .setRequestorId(peerId(options.memberId()).toByteString())
            .setReplyId(peerId(memberId).toByteString())
            .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(groupId.toByteString()));
    try {
      return server
          .getServerRpc()
          .requestVote(
              RequestVoteRequestProto.newBuilder()
                  .setServerRequest(request)
                  .setCandidateTerm(ownTerm)
                  .setCandidateLastEntry(TermIndexProto.getDefaultInstance())
                  .setPreVote(true)
                  .build())
          .getTerm();
    } catch (StatusRuntimeException e) {
      throw new IOException("SysMgr member " + memberId + " does not reply: " + e.getStatus(), e);
    }
  }

  /**
   * Closes the connection to a member, by which votes and entries go; the next of them opens
   * another. Waits for calls under way for a few seconds, then ends them.
   */
  void giveUpConnection(int memberId) {
    if (server.getServerRpc() instanceof RaftServerRpcWithProxy<?, ?> rpc) {
      rpc.getProxies().resetProxy(peerId(memberId));
    }
  }

  private Map<String, Long> commits() {
    Map<String, Long> commits = new HashMap<>();
    try {
      for (CommitInfoProto each : server.getDivision(groupId).getCommitInfos()) {
        commits.put(each.getServer().getId().toStringUtf8(), each.getCommitIndex());
      }
    } catch (IOException e) {
      // The member is being closed: nothing is known any more.
      commits.clear();
    }
    return commits;
  }

  private Optional<RaftConfiguration> configuration() {
    try {
      return Optional.of(server.getDivision(groupId).getRaftConf());
    } catch (IOException e) {
      // The member is being opened or closed.
      return Optional.empty();
    }
  }

  Optional<DivisionInfo> info() {
    try {
      return Optional.of(server.getDivision(groupId).getInfo());
    } catch (IOException e) {
      // The member is being closed.
      return Optional.empty();
    }
  }
}
