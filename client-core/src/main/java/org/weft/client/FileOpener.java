package org.weft.client;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.weft.client.callback.Callbacks;
import org.weft.client.file.FileData;
import org.weft.client.file.WritableFile;
import org.weft.client.file.WriteOpenings;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.client.volume.VolumeRouter;
import org.weft.protocol.capability.FileHandle;
import org.weft.protocol.wire.OpenReply;

/**
 * Opens files for {@link WeftFileSystem}, and for reads and writes by their numbers. Thread-safe.
 */
final class FileOpener {
  private final VolumeRouter router;
  private final Function<VolumeCalls, FileData> dataOf;
  private final Callbacks callbacks;
  private final KnownFiles known;
  private final WriteOpenings writing;

  /**
   * @param dataOf carries the bytes of a volume's files
   */
  FileOpener(VolumeRouter router, Function<VolumeCalls, FileData> dataOf, Callbacks callbacks) {
    this.router = router;
    this.dataOf = dataOf;
    this.callbacks = callbacks;
    this.writing = new WriteOpenings(dataOf, callbacks);
    this.known =
        new KnownFiles(
            router,
            (path, calls, answer, options) ->
                input(path, opened(path, calls, answer, options), options));
  }

  /** What can be said without waiting. */
  KnownFiles known() {
    return known;
  }

  /** What open files are written with. */
  WriteOpenings writing() {
    return writing;
  }

  /** Opens what a path leads to, for reading. */
  CompletableFuture<WeftInput> open(WeftPath path, ReadOptions options) {
    return open(path, calls -> calls.openForReading(path.toString()), options);
  }

  /** Opens for reading what had a name when its handle was made. */
  CompletableFuture<WeftInput> open(WeftPath path, FileHandle handle) {
    return open(
        path, again(path, handle.object().value(), handle.encode()), ReadOptions.defaults());
  }

  private static Function<VolumeCalls, CompletableFuture<SessionReply<OpenReply>>> again(
      WeftPath path, long objectId, ByteString handle) {
    return calls -> calls.openAgain(path.toString(), objectId, handle);
  }

  private CompletableFuture<WeftInput> open(
      WeftPath path,
      Function<VolumeCalls, CompletableFuture<SessionReply<OpenReply>>> opening,
      ReadOptions options) {
    return callbacks.deliver(
        opened(path, opening, options).thenApply(opened -> input(path, opened, options)),
        WeftInput::close);
  }

  private WeftInput input(WeftPath path, WeftInput.Opened opened, ReadOptions options) {
    return new WeftInput(opened, reopen(path, opened, options), callbacks);
  }

  private Supplier<CompletableFuture<WeftInput.Opened>> reopen(
      WeftPath path, WeftInput.Opened first, ReadOptions options) {
    var opening = again(path, first.status().objectId(), first.handle());
    return () -> opened(path, opening, options);
  }

  private CompletableFuture<WeftInput.Opened> opened(
      WeftPath path,
      Function<VolumeCalls, CompletableFuture<SessionReply<OpenReply>>> opening,
      ReadOptions options) {
    return at(
        path,
        calls -> opening.apply(calls).thenApply(answer -> opened(path, calls, answer, options)));
  }

  /** What a manager has opened for reading. */
  WeftInput.Opened opened(
      WeftPath path, VolumeCalls calls, SessionReply<OpenReply> answer, ReadOptions options) {
    return WeftInput.Opened.of(path, calls, answer, dataOf, options);
  }

  /** Makes a file and opens it for writing. */
  CompletableFuture<WeftOutput> create(WeftPath path, VolumeCalls.Creation wanted) {
    CompletableFuture<WeftOutput> created =
        at(
            path,
            calls ->
                calls
                    .create(path.toString(), wanted)
                    .thenApply(
                        answer ->
                            new WeftOutput(
                                path, writing.created(path.toString(), calls, answer), callbacks)));
    return callbacks.deliver(
        created,
        unwanted -> {
          var unused = unwanted.abort();
        });
  }

  /** Opens a file for writing behind its end. */
  CompletableFuture<WeftOutput> append(WeftPath path, OptionalInt writerPatienceMillis) {
    CompletableFuture<WeftOutput> opened =
        at(
            path,
            calls ->
                calls
                    .openForWriting(path.toString(), false, writerPatienceMillis)
                    .thenCompose(answer -> writing.appending(path.toString(), calls, answer))
                    .thenApply(appending -> new WeftOutput(path, appending, callbacks)));
    return callbacks.deliver(
        opened,
        unwanted -> {
          var unused = unwanted.close();
        });
  }

  /** Opens a file for writing at any positions. */
  CompletableFuture<WeftFile> openForUpdate(WeftPath path, UpdateOptions options) {
    return callbacks.deliver(
        update(path, options).thenApply(file -> (WeftFile) new OpenedForUpdate(path, file)),
        unwanted -> {
          var unused = unwanted.close();
        });
  }

  /** The same below the API; completes on threads of the client. */
  CompletableFuture<WritableFile<FileStatus>> update(WeftPath path, UpdateOptions options) {
    return at(
        path,
        calls ->
            calls
                .openForWriting(path.toString(), options.shared(), OptionalInt.empty())
                .thenCompose(
                    answer ->
                        writing.changing(FileStatus.named(path), calls, answer, options.wanted())));
  }

  private <T> CompletableFuture<T> at(
      WeftPath path, Function<VolumeCalls, CompletableFuture<T>> call) {
    return router.at(path.toString(), call);
  }

  /** A file that is open for changes, under the path by which its user named it. */
  private record OpenedForUpdate(WeftPath path, WritableFile<FileStatus> file) implements WeftFile {
    @Override
    public long objectId() {
      return file.objectId();
    }

    @Override
    public boolean isGranted() {
      return file.isGranted();
    }

    @Override
    public boolean isLent() {
      return file.isLent();
    }

    @Override
    public boolean hasFailed() {
      return file.hasFailed();
    }

    @Override
    public long sizeBytes() {
      return file.sizeBytes();
    }

    @Override
    public CompletableFuture<Void> write(long positionBytes, ByteBuffer data) {
      return file.write(positionBytes, data);
    }

    @Override
    public CompletableFuture<Integer> read(long positionBytes, ByteBuffer target) {
      return file.read(positionBytes, target);
    }

    @Override
    public CompletableFuture<Void> setLength(long sizeBytes) {
      return file.setLength(sizeBytes);
    }

    @Override
    public CompletableFuture<Void> punch(long positionBytes, long lengthBytes) {
      return file.punch(positionBytes, lengthBytes);
    }

    @Override
    public CompletableFuture<Void> hflush() {
      return file.hflush();
    }

    @Override
    public CompletableFuture<Void> hsync() {
      return file.hsync();
    }

    @Override
    public CompletableFuture<FileStatus> close() {
      return file.close();
    }

    @Override
    public CompletableFuture<Void> abort() {
      return file.abort();
    }
  }
}
