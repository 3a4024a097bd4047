package org.weft.client;

import com.google.protobuf.ByteString;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.weft.client.stripe.base.CompletePoint;
import org.weft.client.volume.Answer;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.OpenReply;

/**
 * Makes of a write grant what its client writes with: streams, and files open for changes. Both
 * give the grant back while they are idle and others want it, where the manager gave a handle by
 * which they find the file again (P 6.5). Thread-safe.
 */
final class WriteOpenings {
  private final Function<VolumeCalls, FileData> dataOf;
  private final Callbacks callbacks;

  WriteOpenings(Function<VolumeCalls, FileData> dataOf, Callbacks callbacks) {
    this.dataOf = dataOf;
    this.callbacks = callbacks;
  }

  /** A file that was made with its grant. */
  WeftOutput created(WeftPath path, VolumeCalls calls, Answer<CreateReply> answer) {
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
  CompletableFuture<WeftOutput> appending(
      WeftPath path, VolumeCalls calls, Answer<OpenReply> answer) {
    return tail(path, calls, answer)
        .thenApply(open -> output(path, calls, open, answer.body().getHandle()));
  }

  private WeftOutput output(
      WeftPath path, VolumeCalls calls, LentStream.Open open, ByteString handle) {
    long sizeBytes = open.attributes().getSize();
    AtomicBoolean holdsBytes = new AtomicBoolean();
    if (handle.isEmpty()) {
      return new WeftOutput(path, open.sink(), open.grant(), sizeBytes, callbacks);
    }
    long objectId = open.attributes().getObjectId();
    LentStream stream =
        new LentStream(
            path,
            open,
            new WantedGrant(calls.grants(), objectId),
            left ->
                calls
                    .returnToWriting(path.toString(), objectId, handle, false)
                    .thenCompose(again -> tailAsLeft(path, calls, again, left)),
            holdsBytes::get);
    return new WeftOutput(path, stream, stream, sizeBytes, callbacks, holdsBytes);
  }

  private CompletableFuture<LentStream.Open> tailAsLeft(
      WeftPath path, VolumeCalls calls, Answer<OpenReply> again, FileAttributes left) {
    FileAttributes now = again.body().getAttributes();
    try {
      LentStream.requireAsLeft(path, left, now);
    } catch (RpcException changed) {
      HeldGrant grant = heldGrant(path, calls, again);
      return again.body().getGrant().getHasTrim()
          ? halfDone(path, grant, changed)
          : notBegun(path, grant, now, changed);
    }
    return tail(path, calls, again);
  }

  private HeldGrant heldGrant(WeftPath path, VolumeCalls calls, Answer<OpenReply> answer) {
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
      WeftPath path, VolumeCalls calls, Answer<OpenReply> answer) {
    FileData data = dataOf.apply(calls);
    FileAttributes attributes = answer.body().getAttributes();
    Grant granted = answer.body().getGrant();
    HeldGrant grant = heldGrant(path, calls, answer);
    CompletableFuture<FileSink> sink =
        Turns.begun(
            () ->
                granted.getHasTrim()
                    ? UnfinishedCut.finished(data, attributes, granted, grant)
                        .thenCompose(data::tail)
                    : data.tail(attributes, granted, grant));
    return sink.thenApply(tail -> new LentStream.Open(tail, grant, attributes))
        .exceptionallyCompose(
            failure ->
                granted.getHasTrim()
                    ? halfDone(path, grant, RpcException.of(failure))
                    : notBegun(path, grant, attributes, RpcException.of(failure)));
  }

  /** A stripe may be half written: the manager puts it in order. */
  private static <T> CompletableFuture<T> halfDone(
      WeftPath path, HeldGrant grant, RpcException failure) {
    var unused = grant.abandon();
    return CompletableFuture.failedFuture(named(path, failure));
  }

  /** Nothing was written: the grant goes back as if the file had been closed. */
  private static <T> CompletableFuture<T> notBegun(
      WeftPath path, HeldGrant grant, FileAttributes attributes, RpcException failure) {
    var unused = grant.close(new FileSink.Written(attributes.getSize(), CompletePoint.NONE));
    return CompletableFuture.failedFuture(named(path, failure));
  }

  private static RpcException named(WeftPath path, RpcException failure) {
    String message = String.valueOf(failure.getMessage());
    return message.startsWith(path + ":")
        ? failure
        : new RpcException(failure.code(), path + ": " + message, failure);
  }

  /** A file that exists is changed at any positions. */
  CompletableFuture<WeftFile> changing(
      WeftPath path, VolumeCalls calls, Answer<OpenReply> answer, UpdateOptions options) {
    ByteString handle = answer.body().getHandle();
    long objectId = answer.body().getAttributes().getObjectId();
    return changing(
        path,
        calls,
        answer,
        options,
        () -> calls.returnToWriting(path.toString(), objectId, handle, options.shared()));
  }

  /**
   * As the other one.
   *
   * @param reopening asks for the grant again after it was given back
   */
  CompletableFuture<WeftFile> changing(
      WeftPath path,
      VolumeCalls calls,
      Answer<OpenReply> answer,
      UpdateOptions options,
      Supplier<CompletableFuture<Answer<OpenReply>>> reopening) {
    long objectId = answer.body().getAttributes().getObjectId();
    boolean canReturn = !answer.body().getHandle().isEmpty();
    Supplier<CompletableFuture<GrantedFile>> again =
        () -> reopening.get().thenCompose(returned -> granted(path, calls, returned, options));
    return granted(path, calls, answer, options)
        .thenApply(
            file ->
                canReturn
                    ? new LentFile(
                        file, new WantedGrant(calls.grants(), objectId), again, callbacks)
                    : file);
  }

  private CompletableFuture<GrantedFile> granted(
      WeftPath path, VolumeCalls calls, Answer<OpenReply> answer, UpdateOptions options) {
    FileData data = dataOf.apply(calls);
    FileAttributes attributes = answer.body().getAttributes();
    Grant granted = answer.body().getGrant();
    HeldGrant grant = heldGrant(path, calls, answer);
    return Turns.begun(() -> UnfinishedCut.finished(data, attributes, granted, grant))
        .thenApply(
            updater ->
                file(
                    new GrantedFile.Opened(
                        path,
                        updater,
                        grant,
                        calls.grants(),
                        attributes.getSize(),
                        options.gathering()),
                    granted.getShared()))
        .exceptionallyCompose(failure -> halfDone(path, grant, RpcException.of(failure)));
  }

  private GrantedFile file(GrantedFile.Opened opened, boolean shared) {
    return shared ? new SharedFile(opened, callbacks) : new UpdatedFile(opened, callbacks);
  }
}
