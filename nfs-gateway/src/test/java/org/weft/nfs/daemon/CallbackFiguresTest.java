package org.weft.nfs.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.weft.nfs.daemon.CallbackFigures.Outcome;
import org.weft.nfs.nlm.NlmStatus;

/** What a gateway counts of its calls to clients, and of their calls for locks. */
class CallbackFiguresTest {
  private final CallbackFigures figures = new CallbackFigures();

  private CompletionStage<Optional<NlmStatus>> granted(
      CompletableFuture<Optional<NlmStatus>> reply) {
    return figures.counting((owner, message, asMessage) -> reply).granted(null, null, false);
  }

  @Test
  void eachGrantedCountsByWhatTheClientReplied() {
    for (Map.Entry<NlmStatus, Outcome> each :
        Map.of(
                NlmStatus.GRANTED, Outcome.TAKEN,
                NlmStatus.DENIED, Outcome.REFUSED,
                NlmStatus.DENIED_GRACE_PERIOD, Outcome.REFUSED)
            .entrySet()) {
      long before = figures.granted(each.getValue());
      CompletableFuture<Optional<NlmStatus>> reply = new CompletableFuture<>();
      CompletionStage<Optional<NlmStatus>> told = granted(reply);
      assertEquals(before, figures.granted(each.getValue()), "a call without its reply");
      reply.complete(Optional.of(each.getKey()));
      assertEquals(before + 1, figures.granted(each.getValue()), each.toString());
      assertEquals(Optional.of(each.getKey()), told.toCompletableFuture().join());
    }
  }

  @Test
  void unreachedAndSilentClientsAreCountedApart() {
    granted(CompletableFuture.completedFuture(Optional.empty()));
    CompletionStage<Optional<NlmStatus>> failed =
        granted(CompletableFuture.failedFuture(new IllegalStateException("no route")));
    assertEquals(1, figures.granted(Outcome.UNANSWERED));
    assertEquals(1, figures.granted(Outcome.UNREACHED));
    assertEquals(0, figures.granted(Outcome.TAKEN));
    assertTrue(failed.toCompletableFuture().isCompletedExceptionally(), "the failure is passed on");
  }

  @Test
  void eachNoticeCounts() {
    InetAddress host = InetAddress.getLoopbackAddress();
    figures
        .counting((server, client, state, datagrams) -> CompletableFuture.completedFuture(null))
        .tell(host, host, 1, true);
    figures
        .counting(
            (server, client, state, datagrams) ->
                CompletableFuture.failedFuture(new IllegalStateException("no reply")))
        .tell(host, host, 1, true);
    assertEquals(1, figures.notices(Outcome.TAKEN));
    assertEquals(1, figures.notices(Outcome.UNREACHED));
  }
}
