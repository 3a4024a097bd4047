package org.weft.client.volume;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AcquireRangeReply;
import org.weft.protocol.wire.AcquireRangeRequest;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.ExtendShareReply;
import org.weft.protocol.wire.ExtendShareRequest;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.LostComponent;
import org.weft.protocol.wire.PublishRequest;
import org.weft.protocol.wire.RecoverLeaseReply;
import org.weft.protocol.wire.RecoverLeaseRequest;
import org.weft.protocol.wire.RegrantReply;
import org.weft.protocol.wire.RegrantRequest;
import org.weft.protocol.wire.ReleaseRangeRequest;
import org.weft.protocol.wire.SetLengthRequest;
import org.weft.protocol.wire.TrimmedRequest;

/**
 * Requests of the holder of a write grant while it writes (P 4.3, 5.8, 6.5). Thread-safe; futures
 * complete as those of {@link VolumeCalls}.
 */
public final class GrantCalls {
  private static final Backoff RETRIES =
      Backoff.spread(TimeUnit.MILLISECONDS.toNanos(10), TimeUnit.MILLISECONDS.toNanos(250));

  private final VolumeSession session;

  public GrantCalls(VolumeSession session) {
    this.session = session;
  }

  /**
   * Tells the manager the length so far, as hflush established it; never less than before. Its
   * answer may leave later ones to {@link #keeps}.
   */
  public CompletableFuture<FileAttributes> publish(
      SessionGrant grant, long sizeBytes, long completeUpTo) {
    return publish(grant, sizeBytes, completeUpTo, false, OptionalInt.empty());
  }

  /**
   * As the other one.
   *
   * @param changed bytes within the length were written, too, since it was told last: the file's
   *     times change
   * @param cuts how often the file had been cut when it had that length; empty: as when it was told
   *     last
   * @return the file as it is shown from then on
   */
  public CompletableFuture<FileAttributes> publish(
      SessionGrant grant, long sizeBytes, long completeUpTo, boolean changed, OptionalInt cuts) {
    PublishedLengths lengths = lengths(grant);
    PublishedLengths.Length published =
        lengths.telling(
            grant.objectId(), grant.number(), new PublishedLengths.Length(sizeBytes, cuts));
    long publishedBytes = published.sizeBytes();
    boolean mayKeep = session.control().hears(grant.sessionId());
    VolumeRequest<AttributesReply> request =
        VolumeRequest.repeatable(
            Opcode.PUBLISH,
            grant.path(),
            context -> {
              PublishRequest.Builder body =
                  PublishRequest.newBuilder()
                      .setContext(context)
                      .setObjectId(grant.objectId())
                      .setGrant(grant.number())
                      .setSize(publishedBytes)
                      .setCompleteUpTo(completeUpTo)
                      .setMayKeep(mayKeep)
                      .setChanged(changed);
              published.cuts().ifPresent(body::setTruncationNumber);
              return body.build();
            },
            AttributesReply.parser());
    return session
        .call(request.inSession(grant.sessionId()))
        .thenApply(
            answer -> {
              lengths.answered(
                  grant.objectId(),
                  grant.number(),
                  publishedBytes,
                  new Lsn(answer.body().getKeptAsOf()));
              return answer.body().getAttributes();
            });
  }

  /**
   * Publishes the length so far without a word to the manager, which asks for it when a client
   * wants to know it (P 6.5).
   *
   * @return false if the manager has to be told
   */
  public boolean keeps(SessionGrant grant, long sizeBytes) {
    return lengths(grant).keeps(grant.objectId(), grant.number(), sizeBytes);
  }

  /** The manager has yet to hear of a length that was kept. */
  public boolean isBehind(SessionGrant grant) {
    return lengths(grant).isBehind(grant.objectId(), grant.number());
  }

  /**
   * The manager wants to know the length: from now on none is kept before an answer to a later
   * {@link #publish} says so.
   *
   * @return false if nothing was published under the grant
   */
  public boolean lengthWanted(SessionGrant grant, Lsn question) {
    return lengths(grant).wanted(grant.objectId(), grant.number(), question);
  }

  private PublishedLengths lengths(SessionGrant grant) {
    return session.lengths(grant.sessionId());
  }

  /** Another grant has taken the place of one that something was published under. */
  public void renumbered(SessionGrant before, long number) {
    lengths(before).renumbered(before.objectId(), before.number(), number);
  }

  /** As the other one, for a file that is not shared. */
  public CompletableFuture<FileAttributes> setLength(
      SessionGrant grant, long sizeBytes, long completeUpTo) {
    return setLength(grant, sizeBytes, completeUpTo, late -> {})
        .thenApply(AttributesReply::getAttributes);
  }

  /**
   * Begins a truncation; the attributes say whether something is left to {@link #trimmed}. Nothing
   * is to be published under the grant before this was answered. To one that cuts a shared file the
   * answer gives another grant in place of this one, which has ended.
   *
   * @param late gets an answer that comes after the caller was told that none came
   */
  public CompletableFuture<AttributesReply> setLength(
      SessionGrant grant, long sizeBytes, long completeUpTo, Consumer<AttributesReply> late) {
    OptionalLong published = lengths(grant).saying(grant.objectId(), grant.number());
    VolumeRequest<AttributesReply> asked =
        VolumeRequest.once(
                Opcode.SET_LENGTH,
                grant.path(),
                context -> {
                  SetLengthRequest.Builder request =
                      SetLengthRequest.newBuilder()
                          .setContext(context)
                          .setObjectId(grant.objectId())
                          .setGrant(grant.number())
                          .setSize(sizeBytes)
                          .setCompleteUpTo(completeUpTo);
                  published.ifPresent(request::setPublished);
                  return request.build();
                },
                AttributesReply.parser())
            .withLate(answer -> late.accept(answer.body()));
    return session
        .call(asked.inSession(grant.sessionId()))
        .thenApply(
            answer -> {
              // It is journalled, with all that was published before.
              lengths(grant).settled(grant.objectId(), grant.number());
              return answer.body();
            });
  }

  /** Ends a truncation: every component is cut. */
  public CompletableFuture<FileAttributes> trimmed(
      SessionGrant grant, int truncationNumber, long completeUpTo) {
    return attributes(
        VolumeRequest.repeatable(
            Opcode.TRIMMED,
            grant.path(),
            context ->
                TrimmedRequest.newBuilder()
                    .setContext(context)
                    .setObjectId(grant.objectId())
                    .setGrant(grant.number())
                    .setTruncationNumber(truncationNumber)
                    .setCompleteUpTo(completeUpTo)
                    .build(),
            AttributesReply.parser()),
        grant);
  }

  /**
   * Asks for a grant that does without the components lost, until one is given or the request's
   * time is over.
   */
  public CompletableFuture<RegrantReply> regrant(
      SessionGrant grant, List<LostComponent> lost, long completeUpTo) {
    return regrant(regrantRequest(grant, lost, completeUpTo))
        .thenCompose(
            reply ->
                reply.getBeingResolved()
                    ? regrant(grant, lost, completeUpTo)
                    : CompletableFuture.completedFuture(reply));
  }

  /**
   * The same once. Fails with BUSY, or UNAVAILABLE where no manager serves, while none of them is
   * given up. Fails so too while what was written last is being resolved. The answer that says that
   * this has begun is no grant.
   *
   * @param late gets a grant that comes after the caller was told that none came
   */
  public CompletableFuture<RegrantReply> regrantNow(
      SessionGrant grant,
      List<LostComponent> lost,
      long completeUpTo,
      Consumer<RegrantReply> late) {
    return regrant(
        regrantRequest(grant, lost, completeUpTo)
            .withLate(answer -> late.accept(answer.body()))
            .withoutPatience());
  }

  private CompletableFuture<RegrantReply> regrant(VolumeRequest<RegrantReply> request) {
    return session.call(request).thenApply(SessionReply::body);
  }

  private VolumeRequest<RegrantReply> regrantRequest(
      SessionGrant grant, List<LostComponent> lost, long completeUpTo) {
    OptionalLong published = lengths(grant).saying(grant.objectId(), grant.number());
    return VolumeRequest.once(
            Opcode.REGRANT,
            grant.path(),
            context -> {
              RegrantRequest.Builder request =
                  RegrantRequest.newBuilder()
                      .setContext(context)
                      .setObjectId(grant.objectId())
                      .setGrant(grant.number())
                      .addAllLost(lost)
                      .setCompleteUpTo(completeUpTo);
              published.ifPresent(request::setPublished);
              return request.build();
            },
            RegrantReply.parser())
        .inSession(grant.sessionId());
  }

  /**
   * Asks once to own whole stripes of a shared file. Fails with BUSY while others own some of them
   * so that this client cannot. Fails with FENCED if another grant is to be asked for first. More
   * may be given than was asked for.
   */
  public CompletableFuture<AcquireRangeReply> acquire(
      SessionGrant grant, ByteRange range, RangeUse use) {
    return session
        .call(
            VolumeRequest.repeatable(
                    Opcode.ACQUIRE_RANGE,
                    grant.path(),
                    context ->
                        AcquireRangeRequest.newBuilder()
                            .setContext(context)
                            .setObjectId(grant.objectId())
                            .setGrant(grant.number())
                            .setFrom(range.from())
                            .setTo(range.toInMessage())
                            .setUse(use.toMessage())
                            .build(),
                    AcquireRangeReply.parser())
                .inSession(grant.sessionId()))
        .thenApply(SessionReply::body);
  }

  /**
   * Asks once to make a file longer than its share of a quota lets it (P 6.6a); QUOTA_EXCEEDED if
   * there is no room.
   *
   * @param patient BUSY rather than QUOTA_EXCEEDED, while idle writers are asked for their shares
   */
  public CompletableFuture<ExtendShareReply> extendShare(
      SessionGrant grant, long lengthBytes, boolean patient) {
    return session
        .call(
            VolumeRequest.repeatable(
                    Opcode.EXTEND_SHARE,
                    grant.path(),
                    context ->
                        ExtendShareRequest.newBuilder()
                            .setContext(context)
                            .setObjectId(grant.objectId())
                            .setGrant(grant.number())
                            .setLength(lengthBytes)
                            .setPatient(patient)
                            .build(),
                    ExtendShareReply.parser())
                .inSession(grant.sessionId()))
        .thenApply(SessionReply::body);
  }

  /**
   * Gives whole stripes back; everything written there is complete.
   *
   * @param changed as {@link #publish} has it, and the cuts, too
   */
  public CompletableFuture<FileAttributes> release(
      SessionGrant grant,
      ByteRange range,
      long sizeBytes,
      long completeUpTo,
      boolean changed,
      OptionalInt cuts) {
    return attributes(
        VolumeRequest.repeatable(
            Opcode.RELEASE_RANGE,
            grant.path(),
            context -> {
              ReleaseRangeRequest.Builder body =
                  ReleaseRangeRequest.newBuilder()
                      .setContext(context)
                      .setObjectId(grant.objectId())
                      .setGrant(grant.number())
                      .setFrom(range.from())
                      .setTo(range.toInMessage())
                      .setSize(sizeBytes)
                      .setChanged(changed)
                      .setCompleteUpTo(completeUpTo);
              cuts.ifPresent(body::setTruncationNumber);
              return body.build();
            },
            AttributesReply.parser()),
        grant);
  }

  /**
   * The listener hears from now on what the manager asks of the file's writer; it must not block.
   *
   * @return ends it
   */
  public Runnable watch(long objectId, ControlListener listener) {
    return session.control().watch(objectId, listener);
  }

  /** Runs the task after a while; when the client is closed, at once. */
  public void later(long delayNanos, Runnable task) {
    session.later(delayNanos, task);
  }

  /** Completes after a while, or at the end of the session. */
  public CompletableFuture<Void> pause(long delayNanos) {
    CompletableFuture<Void> waited = new CompletableFuture<>();
    later(delayNanos, () -> waited.complete(null));
    return waited;
  }

  /** How long a caller that was told to wait does so before it asks again. */
  public Backoff.Delays patience() {
    return RETRIES.begin(session.environment().random());
  }

  /** Monotonic. */
  public long nowNanos() {
    return session.nowNanos();
  }

  /** Takes a file from the client that writes it; to be repeated until the answer says closed. */
  public CompletableFuture<RecoverLeaseReply> recoverLease(String path) {
    return session
        .call(
            VolumeRequest.repeatable(
                Opcode.RECOVER_LEASE,
                path,
                context ->
                    RecoverLeaseRequest.newBuilder()
                        .setContext(context)
                        .setNode(session.mount().node(path))
                        .build(),
                RecoverLeaseReply.parser()))
        .thenApply(SessionReply::body);
  }

  private CompletableFuture<FileAttributes> attributes(
      VolumeRequest<AttributesReply> request, SessionGrant grant) {
    return session
        .call(request.inSession(grant.sessionId()))
        .thenApply(answer -> answer.body().getAttributes());
  }
}
