package org.weft.client.file;

import com.google.protobuf.ByteString;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.weft.client.callback.Callbacks;
import org.weft.client.gather.GatherLimits;
import org.weft.client.stripe.base.CompletePoint;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.OpenReply;

/**
 * Makes of a write grant what its client writes with: streams, and files open for changes. Both
 * give the grant back while they are idle and others want it. That needs a handle of the manager's,
 * by which they find the file again (P 6.5). Thread-safe.
 */
public final class WriteOpenings {
  private final Function<VolumeCalls, FileData> dataOf;
  private final Callbacks callbacks;

  /**
   * What is written behind a file's end.
   *
   * @param sizeBytes published length: writing goes on from there
   * @param holdsBytes to be set while bytes are held back before they come to the sink
   */
  public record Appending(
      FileSink sink, FileGrant grant, long sizeBytes, AtomicBoolean holdsBytes) {}

  /**
   * How a file is changed.
   *
   * @param shared others may change it at the same time
   * @param gathering empty: every write is sent at once
   */
  public record Wanted(boolean shared, Optional<GatherLimits> gathering) {}

  /**
   * @param dataOf carries the bytes of a volume's files
   */
  public WriteOpenings(Function<VolumeCalls, FileData> dataOf, Callbacks callbacks) {
    this.dataOf = dataOf;
    this.callbacks = callbacks;
  }

  /** A file that was made with its grant. */
  public Appending created(String path, VolumeCalls calls, SessionReply<CreateReply> answer) {
    FileData data = dataOf.apply(calls);
    FileAttributes attributes = answer.body().getAttributes();
    Grant granted = answer.body().getGrant();
    HeldGrant grant =
        HeldGrant.of(
            path, calls, data, answer.sessionId(), attributes, granted, Optional.of(attributes));
    try {
      LentStream.Open open =
          new LentStream.Open(data.sink(attributes, granted, grant), grant, attributes);
      return output(path, calls, open, answer.body().getHandle());
    } catch (RuntimeException | Error e) {
      // The session may last: without this the file would be written for as long.
      var unused = grant.abandon();
      throw e;
    }
  }

  /** What is written goes behind the end of a file that exists. */
  public CompletableFuture<Appending> appending(
      String path, VolumeCalls calls, SessionReply<OpenReply> answer) {
    return tail(path, calls, answer)
        .thenApply(open -> output(path, calls, open, answer.body().getHandle()));
  }

  private Appending output(
      String path, VolumeCalls calls, LentStream.Open open, ByteString handle) {
    long sizeBytes = open.attributes().getSize();
    AtomicBoolean holdsBytes = new AtomicBoolean();
    if (handle.isEmpty()) {
      return new Appending(open.sink(), open.grant(), sizeBytes, holdsBytes);
    }
    long objectId = open.attributes().getObjectId();
    LentStream stream =
        new LentStream(
            path,
            open,
            new WantedGrant(calls.grants(), objectId),
            left ->
                calls
                    .returnToWriting(path, objectId, handle, false)
                    .thenCompose(again -> tailAsLeft(path, calls, again, left)),
            holdsBytes::get);
    return new Appending(stream, stream, sizeBytes, holdsBytes);
  }

  private CompletableFuture<LentStream.Open> tailAsLeft(
      String path, VolumeCalls calls, SessionReply<OpenReply> again, FileAttributes left) {
    FileAttributes now = again.body().getAttributes();
    try {
      LentStream.requireAsLeft(path, left, now);
    } catch (WeftException changed) {
      HeldGrant grant = heldGrant(path, calls, again);
      return again.body().getGrant().getHasTrim()
          ? halfDone(path, grant, changed)
          : notBegun(path, grant, now, changed);
    }
    return tail(path, calls, again);
  }

  private HeldGrant heldGrant(String path, VolumeCalls calls, SessionReply<OpenReply> answer) {
    return HeldGrant.of(
        path,
        calls,
        dataOf.apply(calls),
        answer.sessionId(),
        answer.body().getAttributes(),
        answer.body().getGrant(),
        Optional.empty());
  }

  private CompletableFuture<LentStream.Open> tail(
      String path, VolumeCalls calls, SessionReply<OpenReply> answer) {
    FileData data = dataOf.apply(calls);
    FileAttributes attributes = answer.body().getAttributes();
    Grant granted = answer.body().getGrant();
    HeldGrant grant = heldGrant(path, calls, answer);
    CompletableFuture<FileSink> sink =
        CallSequencer.begun(
            () ->
                granted.getHasTrim()
                    ? UnfinishedCut.finished(data, attributes, granted, grant)
                        .thenCompose(data::tail)
                    : data.tail(attributes, granted, grant));
    return sink.thenApply(tail -> new LentStream.Open(tail, grant, attributes))
        .exceptionallyCompose(
            failure ->
                granted.getHasTrim()
                    ? halfDone(path, grant, WeftException.of(failure))
                    : notBegun(path, grant, attributes, WeftException.of(failure)));
  }

  /** A stripe may be half written: the manager puts it in order. */
  private static <T> CompletableFuture<T> halfDone(
      String path, HeldGrant grant, WeftException failure) {
    var unused = grant.abandon();
    return CompletableFuture.failedFuture(named(path, failure));
  }

  /** Nothing was written: the grant goes back as if the file had been closed. */
  private static <T> CompletableFuture<T> notBegun(
      String path, HeldGrant grant, FileAttributes attributes, WeftException failure) {
    var unused = grant.close(new FileSink.Written(attributes.getSize(), CompletePoint.NONE));
    return CompletableFuture.failedFuture(named(path, failure));
  }

  private static WeftException named(String path, WeftException failure) {
    String message = String.valueOf(failure.getMessage());
    return message.startsWith(path + ":")
        ? failure
        : new WeftException(failure.code(), path + ": " + message, failure);
  }

  /** A file that exists is changed at any positions. */
  public <S> CompletableFuture<WritableFile<S>> changing(
      NamedFile<S> name, VolumeCalls calls, SessionReply<OpenReply> answer, Wanted wanted) {
    ByteString handle = answer.body().getHandle();
    long objectId = answer.body().getAttributes().getObjectId();
    return changing(
        name,
        calls,
        answer,
        wanted,
        () -> calls.returnToWriting(name.path(), objectId, handle, wanted.shared()));
  }

  /**
   * As the other one.
   *
   * @param reopening asks for the grant again after it was given back
   */
  public <S> CompletableFuture<WritableFile<S>> changing(
      NamedFile<S> name,
      VolumeCalls calls,
      SessionReply<OpenReply> answer,
      Wanted wanted,
      Supplier<CompletableFuture<SessionReply<OpenReply>>> reopening) {
    long objectId = answer.body().getAttributes().getObjectId();
    boolean canReturn = !answer.body().getHandle().isEmpty();
    Supplier<CompletableFuture<GrantedFile<S>>> again =
        () -> reopening.get().thenCompose(returned -> granted(name, calls, returned, wanted));
    return granted(name, calls, answer, wanted)
        .thenApply(
            file ->
                canReturn
                    ? new LentFile<>(
                        file, new WantedGrant(calls.grants(), objectId), again, callbacks)
                    : file);
  }

  private <S> CompletableFuture<GrantedFile<S>> granted(
      NamedFile<S> name, VolumeCalls calls, SessionReply<OpenReply> answer, Wanted wanted) {
    FileData data = dataOf.apply(calls);
    FileAttributes attributes = answer.body().getAttributes();
    Grant granted = answer.body().getGrant();
    HeldGrant grant = heldGrant(name.path(), calls, answer);
    return CallSequencer.begun(() -> UnfinishedCut.finished(data, attributes, granted, grant))
        .thenApply(
            updater ->
                file(
                    new GrantedFile.Opened<>(
                        name,
                        updater,
                        grant,
                        calls.grants(),
                        attributes.getSize(),
                        wanted.gathering()),
                    granted.getShared()))
        .exceptionallyCompose(failure -> halfDone(name.path(), grant, WeftException.of(failure)));
  }

  private <S> GrantedFile<S> file(GrantedFile.Opened<S> opened, boolean shared) {
    return shared ? new SharedFile<>(opened, callbacks) : new UpdatedFile<>(opened, callbacks);
  }
}
