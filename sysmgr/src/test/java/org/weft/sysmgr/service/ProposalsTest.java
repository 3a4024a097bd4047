package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.sysmgr.configuration.command.Command;

/** A log fails proposals on a thread of its own: what waits for them goes on at home. */
class ProposalsTest {
  private final Queue<Runnable> home = new ArrayDeque<>();
  private final List<String> ran = new ArrayList<>();
  private final CompletableFuture<byte[]> proposed = new CompletableFuture<>();
  private final CompletableFuture<Void> barrier = new CompletableFuture<>();
  private final CompletableFuture<Void> replaced = new CompletableFuture<>();

  private final ReplicatedLog log =
      new ReplicatedLog() {
        @Override
        public CompletionStage<byte[]> propose(byte[] command) {
          return proposed;
        }

        @Override
        public CompletionStage<Void> readBarrier() {
          return barrier;
        }

        @Override
        public boolean isLeader() {
          return true;
        }

        @Override
        public Optional<Endpoint> leader() {
          return Optional.empty();
        }

        @Override
        public List<Member> members() {
          return List.of();
        }

        @Override
        public List<Progress> progress() {
          return List.of();
        }

        @Override
        public CompletionStage<Void> replaceMembers(List<Member> before, List<Member> after) {
          return replaced;
        }

        @Override
        public void close() {}
      };

  private final Proposals proposals = new Proposals(log, () -> 1, home::add, number -> {});

  private void fails(CompletionStage<?> asked, CompletableFuture<?> of, String what)
      throws InterruptedException {
    CompletionStage<?> end = asked.whenComplete((done, failure) -> ran.add(what));
    Thread other =
        new Thread(
            () ->
                of.completeExceptionally(
                    new WeftException(ErrorCode.UNAVAILABLE, "the leader has lost its majority")));
    other.start();
    other.join();
    assertFalse(ran.contains(what), "not on the log's thread");
    while (!home.isEmpty()) {
      home.remove().run();
    }
    assertTrue(ran.contains(what));
    assertTrue(end.toCompletableFuture().isCompletedExceptionally());
  }

  @Test
  void failuresArriveOnTheHomeExecutor() throws Exception {
    fails(proposals.propose(new Command.NoteEvents(List.of())), proposed, "a proposal");
    fails(proposals.barrier(), barrier, "a barrier");
    fails(proposals.replaceMembers(List.of(), List.of()), replaced, "a change of members");
    assertEquals(3, ran.size());
  }
}
