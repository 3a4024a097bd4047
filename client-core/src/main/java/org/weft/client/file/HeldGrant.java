package org.weft.client.file;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.weft.client.stripe.base.CompletePoint;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.wire.AcquireRangeReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.LostComponent;
import org.weft.protocol.wire.RegrantReply;

/**
 * A write grant as the volume's manager keeps it for a session. It may be replaced by another while
 * the file is written (P 5.8), so the calls that name it come one after another. Each call means
 * the grant in force when its turn comes. So no caller is told that the grant has ended because it
 * was just being replaced. Thread-safe.
 *
 * <p>What the caller says is complete counts only under the grant it was complete under: sequence
 * numbers begin anew with each grant (P 5.8).
 */
final class HeldGrant implements FileGrant, Regrants {
  private static final long NOTHING_MORE = 0;
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final VolumeCalls calls;
  private final Function<Grant, WriteTerms> termsOf;
  private final Optional<FileAttributes> made;
  private final CallSequencer turns = new CallSequencer();
  private final LengthAnswers answers;
  private final WriteShare share;

  // Guarded by this.
  private SessionGrant held;
  private Optional<WriteTerms> newest = Optional.empty();
  private boolean givenBack;

  /** A grant without a share of a quota. */
  HeldGrant(
      VolumeCalls calls,
      SessionGrant held,
      Function<Grant, WriteTerms> termsOf,
      Optional<FileAttributes> made) {
    this(calls, held, termsOf, Grant.getDefaultInstance(), made);
  }

  /**
   * A grant that was given.
   *
   * @param termsOf what a grant means for the file's components
   * @param granted the same as the manager said it
   * @param made the file, if it was made with the grant
   */
  HeldGrant(
      VolumeCalls calls,
      SessionGrant held,
      Function<Grant, WriteTerms> termsOf,
      Grant granted,
      Optional<FileAttributes> made) {
    this.calls = calls;
    this.made = made;
    this.held = held;
    this.termsOf = termsOf;
    this.share = new WriteShare(calls.grants(), this::held, granted);
    this.answers = new LengthAnswers(calls.grants(), this::held, this::tell);
  }

  /**
   * The grant that an answer gave.
   *
   * @param made the file, if it was made with the grant
   */
  static HeldGrant of(
      String path,
      VolumeCalls calls,
      FileData data,
      long sessionId,
      FileAttributes attributes,
      Grant granted,
      Optional<FileAttributes> made) {
    long objectId = attributes.getObjectId();
    return new HeldGrant(
        calls,
        new SessionGrant(path, sessionId, objectId, granted.getNumber()),
        next -> data.terms(objectId, next),
        granted,
        made);
  }

  /** The grant now in force. */
  synchronized SessionGrant held() {
    return held;
  }

  @Override
  public long objectId() {
    return held().objectId();
  }

  @Override
  public boolean reaches(long lengthBytes) {
    return share.reaches(lengthBytes);
  }

  @Override
  public CompletableFuture<Void> extend(long lengthBytes) {
    return share.extend(lengthBytes);
  }

  @Override
  public boolean isLive() {
    return calls.isLive(held().sessionId());
  }

  /**
   * Waits for the manager, unless that leaves the length to this client until it asks (P 6.5). Of
   * what is not fresh only the manager can say whether the grant is still in force.
   */
  @Override
  public CompletableFuture<Optional<FileAttributes>> publish(FileSink.Written written) {
    if (written.fresh()
        && !written.changed()
        && calls.grants().keeps(held(), written.sizeBytes())) {
      answers.kept();
      return CompletableFuture.completedFuture(Optional.empty());
    }
    answers.told();
    return inTurn(
            grant ->
                calls
                    .grants()
                    .publish(
                        grant,
                        written.sizeBytes(),
                        written.complete().under(grant.number()),
                        written.changed(),
                        written.cuts()))
        .thenApply(Optional::of);
  }

  /** Tells what was published and the manager may not have heard of. */
  private CompletableFuture<Void> tell() {
    return inTurn(
        grant ->
            isGivenBack()
                ? CompletableFuture.completedFuture(null)
                : calls
                    .grants()
                    .publish(grant, NOTHING_MORE, NOTHING_MORE)
                    .thenAccept(attributes -> {}));
  }

  /**
   * A length that is journalled.
   *
   * @param terms in place of those of before: the file is shared, and is to be cut under them
   */
  record LengthSet(FileAttributes attributes, Optional<WriteTerms> terms) {}

  /** Begins a cut, or shows a length that the file reads as zeros up to (P 4.3). */
  CompletableFuture<LengthSet> setLength(FileSink.Written written) {
    return inTurn(
        grant ->
            calls
                .grants()
                .setLength(
                    grant,
                    written.sizeBytes(),
                    written.complete().under(grant.number()),
                    late -> {
                      if (late.hasGrant()) {
                        tooLate(late.getGrant());
                      }
                    })
                .thenApply(
                    reply -> {
                      share.given(reply.getAttributes().getSize());
                      return new LengthSet(
                          reply.getAttributes(),
                          reply.hasGrant()
                              ? Optional.of(replaced(reply.getGrant()))
                              : Optional.empty());
                    }));
  }

  /** A cut is over on all components. */
  CompletableFuture<FileAttributes> trimmed(int truncationNumber, CompletePoint complete) {
    return inTurn(
        grant -> calls.grants().trimmed(grant, truncationNumber, complete.under(grant.number())));
  }

  /** Asks once to own a range of the shared file (P 6.5). */
  CompletableFuture<AcquireRangeReply> acquire(ByteRange range, RangeUse use) {
    return inTurn(grant -> calls.grants().acquire(grant, range, use));
  }

  /** Gives a range back in which everything is complete; the length is published with it. */
  CompletableFuture<FileAttributes> release(ByteRange range, FileSink.Written written) {
    return inTurn(
        grant ->
            calls
                .grants()
                .release(
                    grant,
                    range,
                    written.sizeBytes(),
                    written.complete().under(grant.number()),
                    written.changed(),
                    written.cuts()));
  }

  /**
   * Waits for the manager, except for a file that was made with the grant and of which no OSD has
   * heard. That file is as it was made, and the manager is told soon, of many such files at once. A
   * client that wants to write the file before the manager knows is told that the file is being
   * written, and asks again.
   */
  @Override
  public CompletableFuture<FileAttributes> close(FileSink.Written written) {
    boolean unwritten = written.complete().equals(CompletePoint.NONE);
    if (unwritten && written.sizeBytes() == 0 && made.isPresent()) {
      closeUnwritten();
      return CompletableFuture.completedFuture(made.get());
    }
    return inTurn(
        grant -> {
          giveBack();
          return calls.close(
              grant,
              written.sizeBytes(),
              written.complete().under(grant.number()),
              unwritten,
              written.changed(),
              written.cuts());
        });
  }

  private void closeUnwritten() {
    var unused =
        inTurn(
                grant -> {
                  giveBack();
                  return calls.closeUnwritten(grant);
                })
            .whenComplete(
                (nothing, thrown) -> {
                  if (thrown != null) {
                    var unusedToo = abandon();
                  }
                });
  }

  /** Makes a call under the grant that is in force when its turn comes. */
  private <T> CompletableFuture<T> inTurn(Function<SessionGrant, CompletableFuture<T>> call) {
    return turns.take(() -> call.apply(held()));
  }

  /** Waits for no other call: a call under way may hang, and its outcome matters no more. */
  @Override
  public CompletableFuture<FileAttributes> abandon() {
    return abandon(giveBack());
  }

  /**
   * It is repeated while the session lives, also past the time that the caller waits. Only the
   * session's end would free the file, and the session lives as long as the client.
   */
  private CompletableFuture<FileAttributes> abandon(SessionGrant grant) {
    CompletableFuture<FileAttributes> told = calls.abandon(grant);
    var unused =
        told.whenComplete(
            (attributes, thrown) -> {
              if (thrown != null && WeftException.of(thrown).code().mayPass()) {
                calls.grants().later(AGAIN_NANOS, () -> abandonIfLive(grant));
              }
            });
    return told;
  }

  private void abandonIfLive(SessionGrant grant) {
    if (calls.isLive(grant.sessionId())) {
      var unused = abandon(grant);
    }
  }

  private SessionGrant giveBack() {
    answers.end();
    synchronized (this) {
      givenBack = true;
      return held;
    }
  }

  private synchronized boolean isGivenBack() {
    return givenBack;
  }

  /**
   * Where an earlier call has brought another grant in place of that, the answer is that one, and
   * the manager is not asked. The grant that is in doubt has ended (P 6.5.108).
   */
  @Override
  public CompletableFuture<WriteTerms> regrant(
      WriteTerms under, List<ComponentFailure> lost, long completeUpTo) {
    CompletePoint complete = new CompletePoint(under.grant().number(), completeUpTo);
    List<LostComponent> named = lost.stream().map(HeldGrant::message).toList();
    return inTurn(
        grant ->
            isGivenBack()
                ? CompletableFuture.failedFuture(over(grant))
                : insteadOf(under)
                    .map(CompletableFuture::completedFuture)
                    .orElseGet(
                        () ->
                            calls
                                .grants()
                                .regrantNow(
                                    grant, named, complete.under(grant.number()), this::tooLate)
                                .thenApply(this::replaced)));
  }

  /** The terms in force, if they are not those. */
  private synchronized Optional<WriteTerms> insteadOf(WriteTerms under) {
    return newest.filter(terms -> terms.grant().number() != under.grant().number());
  }

  /** No write that counts is under way any more, so none has to do without a component. */
  private static WeftException over(SessionGrant grant) {
    return new WeftException(
        ErrorCode.CANCELLED, grant.path() + ": the file's write grant was given back");
  }

  private static LostComponent message(ComponentFailure failure) {
    return LostComponent.newBuilder()
        .setComponentIndex(failure.componentIndex())
        .setOsd(failure.osd().value())
        .setError(failure.cause().code().number())
        .build();
  }

  private WriteTerms replaced(RegrantReply reply) {
    if (reply.getBeingResolved()) {
      throw new CompletionException(
          new WeftException(
              ErrorCode.UNAVAILABLE, "what was written last is being resolved; ask again"));
    }
    return replaced(reply.getGrant());
  }

  private WriteTerms replaced(Grant granted) {
    SessionGrant next;
    boolean unwanted;
    synchronized (this) {
      next = held.renumbered(granted.getNumber());
      calls.grants().renumbered(held, next.number());
      held = next;
      unwanted = givenBack;
    }
    if (unwanted) {
      // What was given back was the one before, in vain.
      var unused = abandon(next);
    }
    share.replaced(granted);
    WriteTerms terms = termsOf.apply(granted);
    synchronized (this) {
      newest = Optional.of(terms);
    }
    return terms;
  }

  /** No caller waits for the answer any more: the writing has failed, or soon will. */
  private void tooLate(RegrantReply reply) {
    if (reply.getBeingResolved()) {
      // It is no grant: the next request gets one, or the old one is given back.
      return;
    }
    tooLate(reply.getGrant());
  }

  private void tooLate(Grant granted) {
    var unused = abandon(held().renumbered(granted.getNumber()));
  }
}
