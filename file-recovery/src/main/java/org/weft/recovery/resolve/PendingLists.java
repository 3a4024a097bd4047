package org.weft.recovery.resolve;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.Countdown;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.BlockRun;
import org.weft.protocol.wire.ListPendingReply;
import org.weft.protocol.wire.PendingKind;
import org.weft.protocol.wire.PendingWrite;
import org.weft.recovery.plan.ComponentState;
import org.weft.recovery.plan.KnownFile;
import org.weft.recovery.plan.PendingId;
import org.weft.recovery.plan.PendingListRecord;

/** Asks all components that a file's map calls present what is pending there (P 5.4). */
final class PendingLists {
  private final StripedFile file;
  private final ResolveTask task;
  private final SortedMap<Integer, ComponentState> states = new TreeMap<>();
  private WeftException failure;
  private ComponentLost lost;

  private PendingLists(StripedFile file, ResolveTask task) {
    this.file = file;
    this.task = task;
  }

  /**
   * Completes when all have answered. Fails with {@link ComponentLost} if one says that it is of no
   * use, else with the first that did not answer.
   */
  static CompletableFuture<KnownFile> gather(
      ResolveCalls calls, StripedFile file, ResolveTask task) {
    PendingLists lists = new PendingLists(file, task);
    List<Integer> present = lists.present();
    CompletableFuture<KnownFile> gathered = new CompletableFuture<>();
    Countdown countdown = new Countdown(present.size(), () -> lists.end(gathered));
    for (int component : present) {
      var unused =
          calls
              .list(component)
              .whenComplete(
                  (reply, thrown) -> {
                    lists.note(component, reply, thrown);
                    countdown.one();
                  });
    }
    return gathered;
  }

  private List<Integer> present() {
    return java.util.stream.IntStream.range(0, file.layout().componentCount())
        .filter(component -> !file.map().isMissing(component))
        .boxed()
        .toList();
  }

  private synchronized void note(int component, ListPendingReply reply, Throwable thrown) {
    if (thrown == null) {
      try {
        states.put(component, state(reply, task.number()));
      } catch (IllegalArgumentException e) {
        failure =
            new WeftException(
                ErrorCode.MALFORMED,
                file.describe(component) + " sent a pending list that breaks a rule",
                e);
      }
      return;
    }
    WeftException refusal = WeftException.of(thrown);
    if (refusal.code().isOfMedium()) {
      lost = new ComponentLost(component, refusal.getMessage());
    } else if (refusal.code() != ErrorCode.NO_SUCH_OBJECT && failure == null) {
      failure = refusal;
    }
  }

  private synchronized void end(CompletableFuture<KnownFile> gathered) {
    if (lost != null) {
      gathered.completeExceptionally(lost);
    } else if (failure != null) {
      gathered.completeExceptionally(failure);
    } else {
      gathered.complete(
          new KnownFile(
              file.map(),
              states,
              task.oldestGrant(),
              task.publishedBytes(),
              task.truncationNumber(),
              task.suspects()));
    }
  }

  /** Grants from that number on are not to be resolved: their holders are alive. */
  private static ComponentState state(ListPendingReply reply, long number) {
    SortedMap<Long, Long> marks = new TreeMap<>(Long::compareUnsigned);
    reply
        .getMarksList()
        .forEach(mark -> marks.merge(mark.getGrant(), mark.getCompleteUpTo(), Math::max));
    return new ComponentState(
        reply.getWritesList().stream()
            .filter(write -> Long.compareUnsigned(write.getGrant(), number) < 0)
            .map(PendingLists::record)
            .toList(),
        marks,
        reply.getEof(),
        reply.getTruncationNumber(),
        reply.getComponentBytes(),
        reply.getResolvedBelow(),
        givenBack(reply));
  }

  private static SortedMap<Long, Long> givenBack(ListPendingReply reply) {
    SortedMap<Long, Long> given = new TreeMap<>();
    for (BlockRun run : reply.getGivenBackList()) {
      long end = run.getFirstBlock() + Integer.toUnsignedLong(run.getBlockCount());
      given.merge(run.getFirstBlock(), end, Math::max);
    }
    return given;
  }

  private static PendingListRecord record(PendingWrite write) {
    return new PendingListRecord(
        new PendingId(write.getGrant(), write.getFirstSeq(), write.getSeqCount()),
        kind(write.getKind()),
        write.getParticipantsList(),
        write.getOffset(),
        write.getLength(),
        write.getEof(),
        write.getTruncationNumber());
  }

  private static PendingListRecord.Kind kind(PendingKind kind) {
    return switch (kind) {
      case STRIPE -> PendingListRecord.Kind.STRIPE;
      case XOR_DATA -> PendingListRecord.Kind.XOR_DATA;
      case XOR_DELTA -> PendingListRecord.Kind.XOR_DELTA;
      case ABORTED -> PendingListRecord.Kind.ABORTED;
      case UNRECOGNIZED -> throw new IllegalArgumentException("a kind that is not known here");
    };
  }
}
