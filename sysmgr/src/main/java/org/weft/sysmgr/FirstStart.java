package org.weft.sysmgr;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.OneCall;
import org.weft.protocol.wire.MemberStateReply;
import org.weft.protocol.wire.MemberStateRequest;

/**
 * Carries out the first start of several members. One that lost its disk has forgotten its votes
 * and what it acknowledged: with another member it could outvote the one that knows. So a member
 * whose directory is new takes part only after all others have said that they know no cluster
 * either. The cluster is made only after all of them have noted that.
 *
 * <p>Between the first vote and the moment at which a cluster is noted nothing tells of it. So each
 * member notes, before it takes part, the instances of the others' directories that it has seen. It
 * can only have got a vote from those. A directory that was made later in place of one of them is
 * refused by each member that has seen the one before.
 */
public final class FirstStart {
  private static final Logger LOG = LoggerFactory.getLogger(FirstStart.class);
  private static final int CALL_MILLIS = 2_000;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Environment environment;
  private final Executor home;
  private final List<Endpoint> others;
  private final int memberId;
  private final String instance;
  private final CompletableFuture<SortedMap<Integer, String>> allNew = new CompletableFuture<>();
  private volatile boolean closed;
  private String lastFailure = "";

  /**
   * @param others RPC addresses of the other first members
   * @param instance of this member's directory
   */
  public FirstStart(
      Environment environment,
      Executor home,
      List<Endpoint> others,
      int memberId,
      String instance) {
    this.memberId = memberId;
    this.instance = instance;
    this.environment = environment;
    this.home = home;
    this.others = others;
  }

  /**
   * Completes on the home executor, with the instances of the others, when each of them has said
   * that it knows no cluster. It waits for them without an end. Fails with an {@link IOException}
   * if one knows a cluster, or has seen another directory of this member.
   */
  public CompletionStage<SortedMap<Integer, String>> allNew() {
    home.execute(this::askAll);
    return allNew;
  }

  private void askAll() {
    if (closed) {
      return;
    }
    var unused =
        states()
            .whenCompleteAsync(
                (states, failure) -> {
                  if (failure != null) {
                    waitFor(WeftException.of(failure).getMessage());
                    return;
                  }
                  Optional<MemberStateReply> knowing =
                      states.stream().filter(each -> !each.getClusterId().isEmpty()).findFirst();
                  Optional<MemberStateReply> seeing = states.stream().filter(this::saw).findFirst();
                  if (knowing.isPresent()) {
                    allNew.completeExceptionally(existing(knowing.get()));
                  } else if (seeing.isPresent()) {
                    allNew.completeExceptionally(replaced(seeing.get()));
                  } else {
                    SortedMap<Integer, String> instances = new TreeMap<>();
                    states.forEach(each -> instances.put(each.getMemberId(), each.getInstance()));
                    allNew.complete(instances);
                  }
                },
                home);
  }

  /** It has seen this member with another directory, and may have got a vote from that. */
  private boolean saw(MemberStateReply state) {
    return state.getSeenList().stream()
        .filter(each -> each.getMemberId() == memberId && !each.getInstance().isEmpty())
        .anyMatch(each -> !each.getInstance().equals(instance));
  }

  private IOException replaced(MemberStateReply state) {
    return new IOException(
        "SysMgr member "
            + state.getMemberId()
            + " has seen member "
            + memberId
            + " with another data directory, which may have taken part; the one here is new. Bring that"
            + " directory back. If there is no cluster yet, give all members empty directories instead;"
            + " if there is one, remove this member (weft sysmgr member remove "
            + memberId
            + ") and start it with --join and an empty directory");
  }

  private static IOException existing(MemberStateReply state) {
    return new IOException(
        "SysMgr member "
            + state.getMemberId()
            + " knows cluster "
            + state.getClusterId()
            + ", and the data directory here is new. A member that has lost its disk comes back as a new one:"
            + " remove it (weft sysmgr member list, weft sysmgr member remove ID), then start it with"
            + " --join and an empty directory");
  }

  private void waitFor(String failure) {
    if (!failure.equals(lastFailure)) {
      LOG.info("the first start waits for all members: {}", failure);
      lastFailure = failure;
    }
    environment.scheduler().schedule(PAUSE_NANOS, home, this::askAll);
  }

  /** Fails with UNAVAILABLE unless every other first member has noted that all were new. */
  public CompletionStage<Void> allReady() {
    return states()
        .thenAccept(
            states -> {
              for (MemberStateReply state : states) {
                if (!state.getReadyForBirth()) {
                  throw new CompletionException(
                      new WeftException(
                          ErrorCode.UNAVAILABLE,
                          "member " + state.getMemberId() + " has not started yet"));
                }
              }
            });
  }

  private CompletableFuture<List<MemberStateReply>> states() {
    CompletableFuture<List<MemberStateReply>> all =
        CompletableFuture.completedFuture(new ArrayList<>());
    for (Endpoint other : others) {
      all =
          all.thenCombine(
              state(other),
              (known, state) -> {
                known.add(state);
                return known;
              });
    }
    return all;
  }

  private CompletableFuture<MemberStateReply> state(Endpoint other) {
    RpcRequest request =
        RpcRequest.unsigned(
            Opcode.MEMBER_STATE, MemberStateRequest.getDefaultInstance(), CALL_MILLIS);
    return OneCall.ask(environment.transport(), other, "sysmgr", CALL_MILLIS, request)
        .thenApply(
            reply -> {
              try {
                return reply.parse(MemberStateReply.parser());
              } catch (WeftException e) {
                throw new CompletionException(e);
              }
            });
  }

  /** Asks no more. */
  public void close() {
    closed = true;
  }
}
