package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.protocol.seam.ReplicatedLog.Progress;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.ChangeMemberRequest;
import org.weft.protocol.wire.EnlistMemberReply;
import org.weft.protocol.wire.EnlistMemberRequest;
import org.weft.protocol.wire.OperationState;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.cluster.Cluster;
import org.weft.sysmgr.configuration.cluster.MemberChange;
import org.weft.sysmgr.configuration.cluster.SysmgrMembers;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.stored.CommandNumbers;
import org.weft.sysmgr.service.intake.ReportLimits;

/**
 * ENLIST_MEMBER, which a process sends that wants to become a member of SysMgr, and CHANGE_MEMBER,
 * which an operator sends. Both are signed with the join token. A change that would leave the
 * members without a majority that is heard is refused before it is noted.
 */
final class MemberHandlers {
  /** A member that was not heard for so long counts as lost. */
  static final long SILENT_MILLIS = 5_000;

  /** Longer than a process that is not enlisted yet pauses before it asks again. */
  private static final long DISPLACED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final ReplicatedLog log;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final MemberChanges changes;
  private final Environment environment;
  private final ServicePlace place;

  /** Whose addition is proposed, and not known to be noted yet. */
  private final Set<Integer> beginning = new HashSet<>();

  /** At whose addresses other processes ask to be enlisted, and until when that is believed. */
  private final Map<Integer, Long> displacedUntilNanos = new HashMap<>();

  MemberHandlers(
      ReplicatedLog log,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      MemberChanges changes,
      Environment environment,
      ServicePlace place) {
    this.log = log;
    this.proposals = proposals;
    this.configuration = configuration;
    this.changes = changes;
    this.environment = environment;
    this.place = place;
  }

  CompletionStage<? extends MessageLite> enlist(InboundRequest request) throws WeftException {
    EnlistMemberRequest wanted = request.parse(EnlistMemberRequest.parser());
    requireNoOlder(wanted);
    Command.EnlistMember command =
        new Command.EnlistMember(
            wanted.getMemberId(), endpoint(wanted.getRpc()), endpoint(wanted.getLog()));
    displacedUntilNanos.remove(wanted.getMemberId());
    requireFree(command);
    return proposals.propose(command).thenApply(this::enlisted);
  }

  /** It would stop at what may be in the log, and count among the majority that is needed. */
  private static void requireNoOlder(EnlistMemberRequest wanted) throws WeftException {
    if (wanted.getCommands() < CommandNumbers.NEWEST) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED,
          "a process of an older release cannot become a SysMgr member here; start it with the release of the member that leads, or a newer one");
    }
  }

  /**
   * A process that was killed before its directory had its number gets another one. While the first
   * number is being added at its address, the log would take the process for that member. Then the
   * process would end, since no member has its number (P 6.2a.11). There is no process of the first
   * number any more. Its addition is given up, and is not begun again before this process has a
   * number (P 6.2a.14).
   */
  private void requireFree(Command.EnlistMember wanted) throws WeftException {
    SysmgrMembers known = configuration.current().sysmgr();
    Optional<MemberChange> addition = known.change().filter(each -> !each.removal());
    Optional<Member> added =
        Stream.concat(
                addition.map(MemberChange::member).stream(),
                beginning.stream().flatMap(id -> known.candidate(id).stream()))
            .filter(each -> each.memberId() != wanted.memberId())
            .filter(each -> each.rpc().equals(wanted.rpc()) || each.log().equals(wanted.log()))
            .findFirst();
    if (added.isEmpty()) {
      return;
    }
    int gone = added.get().memberId();
    displacedUntilNanos.put(gone, environment.ticker().nowNanos() + DISPLACED_NANOS);
    addition
        .filter(each -> each.member().memberId() == gone)
        .ifPresent(
            each ->
                changes.giveUp(
                    each.nonce(),
                    "another process has come to %s in place of SysMgr member %d; add that one"
                        .formatted(each.member().rpc(), gone)));
    throw new WeftException(
        ErrorCode.UNAVAILABLE,
        "SysMgr member %d is being added at %s and %s, and this process is another one; that is given up within seconds, then try again"
            .formatted(gone, added.get().rpc(), added.get().log()));
  }

  private void requireNotDisplaced(int memberId) throws WeftException {
    long nowNanos = environment.ticker().nowNanos();
    displacedUntilNanos.values().removeIf(until -> nowNanos - until >= 0);
    if (displacedUntilNanos.containsKey(memberId)) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "another process is about to come in place of SysMgr member %d; `weft sysmgr member list` shows its number in a moment: add that one"
              .formatted(memberId));
    }
  }

  private static Endpoint endpoint(AddressMessage address) throws WeftException {
    return ReportLimits.addresses(List.of(address)).get(0);
  }

  /**
   * Those that may vote. A member that is being removed is among them until its removal has ended.
   * The log may name it no more, and still count it in (P 6.2a.1).
   */
  static List<Member> counted(List<Member> named, Optional<MemberChange> change) {
    Stream<Member> leaving =
        change.filter(MemberChange::removal).map(MemberChange::member).stream()
            .filter(each -> named.stream().noneMatch(other -> other.memberId() == each.memberId()));
    return Stream.concat(named.stream(), leaving).toList();
  }

  private EnlistMemberReply enlisted(CommandResult answer) {
    Cluster cluster = configuration.current().cluster().orElseThrow();
    EnlistMemberReply.Builder reply = EnlistMemberReply.newBuilder();
    counted(log.members(), configuration.current().sysmgr().change())
        .forEach(member -> reply.addMembers(MemberRows.row(member)));
    return reply
        .setMemberId(((CommandResult.Joined) answer).nodeId())
        .setClusterId(cluster.id().value())
        .setClusterName(cluster.name())
        .setLogGroup(place.logGroup())
        .build();
  }

  CompletionStage<? extends MessageLite> change(InboundRequest request) throws WeftException {
    ChangeMemberRequest wanted = request.parse(ChangeMemberRequest.parser());
    SysmgrMembers known = configuration.current().sysmgr();
    boolean isKnown =
        known.ended(wanted.getNonce()).isPresent()
            || known.change().filter(each -> each.nonce() == wanted.getNonce()).isPresent();
    if (isKnown) {
      // Asked again several times a second: it writes nothing into the log (P 6.2a.15).
      return proposals.barrier().thenApply(done -> state(wanted));
    }
    if (wanted.getRemoval()) {
      requireMajorityWithout(wanted.getMemberId());
    } else if (known.candidate(wanted.getMemberId()).isPresent()) {
      requireNotDisplaced(wanted.getMemberId());
      requireReachable(known.candidate(wanted.getMemberId()).get());
    }
    if (!wanted.getRemoval()) {
      beginning.add(wanted.getMemberId());
    }
    return proposals
        .propose(
            new Command.ChangeMember(
                wanted.getNonce(),
                wanted.getRemoval(),
                wanted.getMemberId(),
                environment.clock().nowMillis()))
        .whenComplete((done, failure) -> beginning.remove(wanted.getMemberId()))
        .thenApply(done -> state(wanted));
  }

  private org.weft.protocol.wire.MemberChange state(ChangeMemberRequest wanted) {
    SysmgrMembers known = configuration.current().sysmgr();
    Optional<MemberChange> ended = known.ended(wanted.getNonce());
    var reply = org.weft.protocol.wire.MemberChange.newBuilder().setRemoval(wanted.getRemoval());
    if (ended.isPresent()) {
      String failure = ended.get().failure();
      return reply
          .setState(failure.isEmpty() ? OperationState.DONE : OperationState.FAILED)
          .setMessage(failure)
          .setMember(MemberRows.row(ended.get().member()))
          .build();
    }
    Optional<MemberChange> underWay =
        known.change().filter(each -> each.nonce() == wanted.getNonce());
    return underWay
        .map(
            change ->
                reply
                    .setState(OperationState.UNDER_WAY)
                    .setMessage(changes.waitsFor())
                    .setMember(MemberRows.row(change.member()))
                    .build())
        // It was a member already.
        .orElseGet(() -> reply.setState(OperationState.DONE).build());
  }

  private void requireMajorityWithout(int memberId) throws WeftException {
    List<Member> members = log.members();
    SortedSet<Integer> silent = new TreeSet<>();
    for (Progress each : log.progress()) {
      if (each.silentMillis() > SILENT_MILLIS && each.memberId() != memberId) {
        silent.add(each.memberId());
      }
    }
    boolean there = members.stream().anyMatch(each -> each.memberId() == memberId);
    int left = members.size() - 1;
    int heard = left - silent.size();
    if (there && left > 0 && heard * 2 <= left) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "without SysMgr member %d there are %d, and members %s are not heard: the rest is no majority. Start them or replace one of them first"
              .formatted(memberId, left, silent));
    }
  }

  /** A member that the new one cannot reach would be cut off once the new one leads. */
  private void requireReachable(Member candidate) throws WeftException {
    for (Member member : log.members()) {
      if (member.log().port() == 0 || isLoopback(member.log()) && !isLoopback(candidate.log())) {
        throw new WeftException(
            ErrorCode.INVALID_ARGUMENT,
            "SysMgr member %d is heard by others at %s, where member %d at %s cannot reach it; set sysmgr.ratis of member %d to an address of its host and start it again"
                .formatted(
                    member.memberId(),
                    member.log(),
                    candidate.memberId(),
                    candidate.log(),
                    member.memberId()));
      }
    }
  }

  /** By the text alone: looking names up takes seconds, and heartbeats wait on this thread. */
  private static boolean isLoopback(Endpoint endpoint) {
    String host = endpoint.host();
    return host.equals("localhost") || host.startsWith("127.") || host.equals("::1");
  }
}
