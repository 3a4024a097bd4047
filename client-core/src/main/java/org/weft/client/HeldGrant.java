package org.weft.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.weft.client.stripe.ComponentFailure;
import org.weft.client.stripe.Regrants;
import org.weft.client.stripe.WriteTerms;
import org.weft.client.volume.GrantCalls;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.LostComponent;
import org.weft.protocol.wire.RegrantReply;

/**
 * A write grant as the volume's manager keeps it for a session. It may be replaced by another while
 * the file is written (P 5.8); whoever speaks of it means the one now in force. Thread-safe.
 */
final class HeldGrant implements WriteGrant, Regrants {
  private final VolumeCalls calls;
  private final Function<Grant, WriteTerms> termsOf;

  // Guarded by this.
  private GrantCalls.Held held;
  private boolean givenBack;

  /**
   * A grant that was given.
   *
   * @param termsOf what a grant means for the file's components
   */
  HeldGrant(VolumeCalls calls, GrantCalls.Held held, Function<Grant, WriteTerms> termsOf) {
    this.calls = calls;
    this.held = held;
    this.termsOf = termsOf;
  }

  /** The grant now in force. */
  synchronized GrantCalls.Held held() {
    return held;
  }

  @Override
  public boolean isLive() {
    return calls.isLive(held().sessionId());
  }

  @Override
  public CompletableFuture<FileAttributes> publish(FileSink.Written written) {
    return calls.grants().publish(held(), written.sizeBytes(), written.completeUpTo());
  }

  /** Begins a cut, or shows a length that the file reads as zeros up to (P 4.3). */
  CompletableFuture<FileAttributes> setLength(FileSink.Written written) {
    return calls.grants().setLength(held(), written.sizeBytes(), written.completeUpTo());
  }

  /** A cut is over on all components. */
  CompletableFuture<FileAttributes> trimmed(int truncationNumber, long completeUpTo) {
    return calls.grants().trimmed(held(), truncationNumber, completeUpTo);
  }

  @Override
  public CompletableFuture<FileAttributes> close(FileSink.Written written) {
    GrantCalls.Held last = giveBack();
    return calls.close(
        last.path(),
        last.sessionId(),
        last.objectId(),
        last.number(),
        written.sizeBytes(),
        written.completeUpTo(),
        false);
  }

  @Override
  public CompletableFuture<FileAttributes> abandon() {
    return abandon(giveBack());
  }

  private CompletableFuture<FileAttributes> abandon(GrantCalls.Held grant) {
    return calls.close(
        grant.path(), grant.sessionId(), grant.objectId(), grant.number(), 0, 0, true);
  }

  private synchronized GrantCalls.Held giveBack() {
    givenBack = true;
    return held;
  }

  @Override
  public CompletableFuture<WriteTerms> regrant(
      WriteTerms under, List<ComponentFailure> lost, long completeUpTo) {
    List<LostComponent> named = lost.stream().map(HeldGrant::message).toList();
    return calls
        .grants()
        .regrantNow(held(), named, completeUpTo, this::tooLate)
        .thenApply(this::replaced);
  }

  private static LostComponent message(ComponentFailure failure) {
    return LostComponent.newBuilder()
        .setComponentIndex(failure.componentIndex())
        .setOsd(failure.osd().value())
        .setError(failure.cause().code().number())
        .build();
  }

  private WriteTerms replaced(RegrantReply reply) {
    GrantCalls.Held next;
    boolean unwanted;
    synchronized (this) {
      next = held.renumbered(reply.getGrant().getNumber());
      held = next;
      unwanted = givenBack;
    }
    if (unwanted) {
      // What was given back was the one before, in vain.
      var unused = abandon(next);
    }
    return termsOf.apply(reply.getGrant());
  }

  /** Nobody waits for it any more: the writing has failed, or soon will. */
  private void tooLate(RegrantReply reply) {
    var unused = abandon(held().renumbered(reply.getGrant().getNumber()));
  }
}
