package org.weft.client.cluster;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.LeaderHint;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Transport;

/**
 * Calls whichever SysMgr member answers. Each address is tried once per call, beginning with the
 * one that answered last. The leader that a member names is tried, too. Requests are repeatable by
 * their nature (the table, the status, joins, heartbeats). A connection on which a call went
 * unanswered is given up: it may lead nowhere.
 *
 * <p>Confined to its home executor: every method must be called there, and every future completes
 * there.
 */
public final class SysmgrLink implements AutoCloseable {
  private static final int MAX_ADDRESSES = 16;

  private final List<Endpoint> configured;
  private List<Endpoint> sysmgrs;
  private final PeerLink link;

  /**
   * @param clusterId asked at each connect; empty takes any cluster
   * @param caller see {@link ConnectOptions#caller}
   */
  public SysmgrLink(
      Transport transport,
      List<Endpoint> sysmgrs,
      Supplier<Optional<ClusterId>> clusterId,
      String caller,
      int connectTimeoutMillis,
      Executor home) {
    this.configured = List.copyOf(sysmgrs);
    this.sysmgrs = configured;
    this.link =
        new PeerLink(
            transport,
            () -> this.sysmgrs,
            () ->
                new ConnectOptions(
                    clusterId.get(), caller, connectTimeoutMillis, false, (opcode, body) -> {}),
            home);
  }

  /**
   * SysMgr's members are these now: they are asked first. The addresses from the beginning stay, as
   * a way back.
   */
  public void learned(List<Endpoint> members) {
    sysmgrs =
        Stream.concat(members.stream(), configured.stream())
            .distinct()
            .limit(MAX_ADDRESSES)
            .toList();
  }

  /**
   * Calls until a member answers: each address once, and all once more when a member names a leader
   * at an address that was not known. Fails with WRONG_CLUSTER at once, with the member's own
   * refusal if it is a final one, else UNAVAILABLE naming every address tried. Its cause is what a
   * member has answered, if one has.
   */
  public CompletableFuture<RpcReply> call(RpcRequest request) {
    CompletableFuture<RpcReply> answer = new CompletableFuture<>();
    attempt(request, sysmgrs.size(), new StringBuilder(), Optional.empty(), answer);
    return answer;
  }

  private void attempt(
      RpcRequest request,
      int left,
      StringBuilder failures,
      Optional<WeftException> told,
      CompletableFuture<RpcReply> answer) {
    String remote = link.describe();
    var unused =
        link.call(request, ErrorCode::mayAnotherAnswer)
            .whenComplete(
                (reply, failure) -> {
                  if (failure == null) {
                    answer.complete(reply);
                    return;
                  }
                  WeftException cause = WeftException.of(failure);
                  if (!cause.code().mayAnotherAnswer()) {
                    answer.completeExceptionally(cause);
                    return;
                  }
                  String message = String.valueOf(cause.getMessage());
                  // Members without a leader all say the same.
                  if (failures.indexOf(message) < 0) {
                    failures.append(failures.isEmpty() ? "" : "; ");
                    failures.append(message.contains(remote) ? "" : remote + ": ").append(message);
                  }
                  Optional<WeftException> said = cause.isAnswer() ? Optional.of(cause) : told;
                  int more = hasLearnedLeader(cause) ? sysmgrs.size() : left - 1;
                  if (more > 0) {
                    attempt(request, more, failures, said, answer);
                  } else {
                    answer.completeExceptionally(
                        new WeftException(
                            ErrorCode.UNAVAILABLE,
                            "no SysMgr replies (" + failures + ")",
                            said.orElse(cause)));
                  }
                });
  }

  /** The address in use or to be tried next. */
  String describe() {
    return link.describe();
  }

  /** This address is silent: if it is still in use, its calls go to the next member. */
  void giveUp(String address) {
    if (link.describe().equals(address)) {
      link.rotate();
    }
  }

  /** All addresses that are known, this one last. */
  List<Endpoint> othersFirst(String address) {
    return Stream.concat(
            sysmgrs.stream().filter(each -> !each.toString().equals(address)),
            sysmgrs.stream().filter(each -> each.toString().equals(address)))
        .toList();
  }

  /** Each address that a member names is taken in once, so that calls end. */
  private boolean hasLearnedLeader(WeftException failure) {
    Optional<Endpoint> unknown = LeaderHint.in(failure).filter(leader -> !sysmgrs.contains(leader));
    if (unknown.isEmpty() || sysmgrs.size() >= MAX_ADDRESSES) {
      return false;
    }
    sysmgrs = Stream.concat(sysmgrs.stream(), unknown.stream()).toList();
    return true;
  }

  @Override
  public void close() {
    link.close();
  }
}
