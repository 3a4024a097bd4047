package org.weft.client;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.weft.client.callback.Callbacks;
import org.weft.client.file.CallSequencer;
import org.weft.client.file.FileData;
import org.weft.client.file.FileSource;
import org.weft.client.stripe.read.LentBuffer;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.OpenReply;

/**
 * A file open for reading, up to the length published when it was opened or {@link #refresh}ed
 * last. Reads at any positions, any number at a time; thread-safe. A file that loses its last name
 * lives on until its readers have closed it. An input that is never closed is given back when the
 * client ends.
 *
 * <p>Beside a writer that flushes, bytes below that length never change by its appending. They are
 * delivered right however often it writes the last stripe again.
 *
 * <p>Every byte delivered was checked against the checksums its writer made; what cannot be read
 * from one OSD is decoded from the others (P 5.6). A client that caches may answer small reads from
 * its memory, as long as no client writes the file (P 6.5e).
 */
public final class WeftInput implements AutoCloseable {
  /**
   * A file and its bytes, as one opening found them.
   *
   * @param giveBack to be run once, when this opening is needed no more
   * @param handle opens the same file again; empty if the manager gave none
   */
  record Opened(FileStatus status, FileSource source, Runnable giveBack, ByteString handle) {
    Opened(FileStatus status, FileSource source) {
      this(status, source, () -> {}, ByteString.EMPTY);
    }

    /** What a manager has opened; it is given back if there is no way to its bytes. */
    static Opened of(
        WeftPath path,
        VolumeCalls calls,
        SessionReply<OpenReply> answer,
        Function<VolumeCalls, FileData> dataOf,
        ReadOptions options) {
      OpenReply reply = answer.body();
      long objectId = reply.getAttributes().getObjectId();
      Runnable giveBack = () -> calls.closeReading(answer.sessionId(), objectId);
      try {
        return new Opened(
            FileStatus.fromMessage(path, reply.getAttributes()),
            dataOf
                .apply(calls)
                .source(
                    answer,
                    options.pattern().expected(),
                    options.likelyEndBytes(),
                    options.verifyParity()),
            giveBack,
            reply.getHandle());
      } catch (RuntimeException | Error e) {
        giveBack.run();
        throw e;
      }
    }
  }

  /** A file may be taken over by one appender after the other while it is read. */
  private static final int MAX_LOOKUPS = 5;

  private final Supplier<CompletableFuture<Opened>> reopen;
  private final Callbacks callbacks;
  private final AtomicReference<Runnable> giveBack;

  /** Of two openings under way the older might come last, and what was published be taken back. */
  private final CallSequencer reopenings = new CallSequencer();

  private volatile Opened current;
  private volatile boolean closed;

  WeftInput(Opened opened, Supplier<CompletableFuture<Opened>> reopen, Callbacks callbacks) {
    this.current = opened;
    this.giveBack = new AtomicReference<>(opened.giveBack());
    this.reopen = reopen;
    this.callbacks = callbacks;
  }

  /** The file as it was when it was opened, or refreshed last. */
  public FileStatus status() {
    return current.status();
  }

  /**
   * Reads from the position until the buffer is full or the file ends, and moves the buffer's
   * position. The buffer must not be touched before the future has completed, which cannot be
   * cancelled.
   *
   * @return how many bytes were read; -1 at or behind the end of the file
   */
  public CompletableFuture<Integer> read(long positionBytes, ByteBuffer target) {
    return callbacks.deliverInAnyCase(
        begin(positionBytes, target, new LentBuffer(target))
            .thenApply(
                count -> {
                  target.position(target.position() + Math.max(0, count));
                  return count;
                }));
  }

  /**
   * As {@link #read}, for a thread that waits. The buffer is the caller's again when this returns,
   * in whatever way. A read that goes on after its thread was interrupted writes nothing to it.
   *
   * @throws InterruptedIOException if the thread was interrupted; the buffer's position is as
   *     before, its content undefined
   */
  public int readAndWait(long positionBytes, ByteBuffer target) throws IOException {
    LentBuffer lent = new LentBuffer(target);
    try {
      // It completes on a thread of Weft's, where no code of a caller runs, and one more thread
      // need not be woken up for it.
      int count = Blocking.await(begin(positionBytes, target, lent));
      target.position(target.position() + Math.max(0, count));
      return count;
    } finally {
      lent.takeBack();
    }
  }

  /**
   * As {@link #read}, of so many bytes, which are given where they lie.
   *
   * @return to be released by the caller; empty at or behind the end of the file
   */
  CompletableFuture<Payload> bytes(long positionBytes, int lengthBytes) {
    return begin(positionBytes, source -> source.bytes(positionBytes, lengthBytes));
  }

  private CompletableFuture<Integer> begin(long positionBytes, ByteBuffer target, LentBuffer lent) {
    if (target.isReadOnly()) {
      throw new IllegalArgumentException(path() + ": the buffer to read into is read-only");
    }
    return begin(positionBytes, source -> source.read(positionBytes, lent));
  }

  private <T> CompletableFuture<T> begin(
      long positionBytes, Function<FileSource, CompletableFuture<T>> call) {
    if (positionBytes < 0) {
      throw new IllegalArgumentException(
          path() + ": a position must not be negative, got " + positionBytes);
    }
    if (closed) {
      return CompletableFuture.failedFuture(
          new WeftException(ErrorCode.INVALID_ARGUMENT, path() + ": the file is closed"));
    }
    FileSource asked = current.source();
    CompletableFuture<T> done = new CompletableFuture<>();
    read(asked, call, MAX_LOOKUPS, done);
    return done;
  }

  private <T> void read(
      FileSource asked,
      Function<FileSource, CompletableFuture<T>> call,
      int lookups,
      CompletableFuture<T> done) {
    var unused =
        CallSequencer.begun(() -> call.apply(asked))
            .whenComplete(
                (value, thrown) -> {
                  if (thrown == null) {
                    done.complete(value);
                    return;
                  }
                  WeftException failure = WeftException.of(thrown);
                  if (lookups > 0) {
                    retry(asked, failure, call, lookups, done);
                  } else {
                    done.completeExceptionally(named(failure));
                  }
                });
  }

  private <T> void retry(
      FileSource failed,
      WeftException failure,
      Function<FileSource, CompletableFuture<T>> call,
      int lookups,
      CompletableFuture<T> done) {
    var unused =
        CallSequencer.begun(() -> fresh(failed, failure))
            .whenComplete(
                (again, second) -> {
                  if (second == null) {
                    read(again, call, lookups - 1, done);
                  } else {
                    done.completeExceptionally(named(WeftException.of(second)));
                  }
                });
  }

  /**
   * A capability may have been revoked, or the map have changed, as where components were rebuilt
   * on other OSDs: the file is opened again. Fails with the failure itself where that cannot help.
   */
  private CompletableFuture<FileSource> fresh(FileSource failed, WeftException failure) {
    if (!mayHelp(failure.code())) {
      return CompletableFuture.failedFuture(failure);
    }
    return reopenings.take(() -> freshNow(failed, failure));
  }

  /** Another read may have opened the file again meanwhile. */
  private CompletableFuture<FileSource> freshNow(FileSource failed, WeftException failure) {
    FileSource latest = current.source();
    return latest == failed
        ? reopen.get().thenCompose(opened -> adopt(opened, failure))
        : CompletableFuture.completedFuture(latest);
  }

  private CompletableFuture<FileSource> adopt(Opened opened, WeftException failure) {
    if (opened.status().objectId() != status().objectId()) {
      opened.giveBack().run();
      return CompletableFuture.failedFuture(
          new WeftException(
              failure.code(),
              "the file was replaced by another while it was being read; open it again",
              failure));
    }
    if (failure.code() == ErrorCode.TOO_MANY_LOST && opened.status().map().equals(status().map())) {
      opened.giveBack().run();
      return CompletableFuture.failedFuture(failure);
    }
    current = opened;
    giveBack.getAndSet(opened.giveBack()).run();
    if (closed) {
      giveBack.getAndSet(() -> {}).run();
    }
    return CompletableFuture.completedFuture(opened.source());
  }

  /**
   * Ends the reading; reads under way are not waited for. Without effect the second time. Never
   * blocks.
   */
  @Override
  public void close() {
    closed = true;
    giveBack.getAndSet(() -> {}).run();
  }

  /** Where too many components are lost, a newer map may name others that were rebuilt. */
  private static boolean mayHelp(ErrorCode code) {
    return code.isOutdated() || code == ErrorCode.TOO_MANY_LOST;
  }

  private WeftException named(WeftException failure) {
    String message = String.valueOf(failure.getMessage());
    return message.contains(path().toString())
        ? failure
        : new WeftException(failure.code(), path() + ": " + message, failure);
  }

  private WeftPath path() {
    return current.status().path();
  }

  /**
   * Asks for the length published by now, and reads up to there from now on. Reads under way are
   * not disturbed, and streams that have come to their end go on. Fails with NOT_FOUND if the name
   * leads to another file by now or to none, and then reads go on as before.
   */
  public CompletableFuture<Long> refresh() {
    return callbacks.deliver(
        reopenings.take(
            () ->
                reopen
                    .get()
                    .thenCompose(
                        opened ->
                            adopt(
                                    opened,
                                    new WeftException(
                                        ErrorCode.NOT_FOUND,
                                        "the file has been removed or replaced"))
                                .thenApply(adopted -> opened.status().sizeBytes()))));
  }

  /** The file as a stream with read-ahead, for one reader that blocks. */
  Cursor cursor() {
    return new Cursor();
  }

  /** A position in the file. Not thread-safe. */
  final class Cursor implements AutoCloseable {
    private FileSource used = current.source();
    private FileSource.Stream stream = used.stream(0);
    private long positionBytes;
    private int mostAheadBytes = Integer.MAX_VALUE;

    long positionBytes() {
      return positionBytes;
    }

    void seek(long position) {
      if (position != positionBytes) {
        stream.seek(position);
        positionBytes = position;
      }
    }

    /** Fetches no more than so many bytes ahead, nor more than is configured. */
    void readAhead(int mostBytes) {
      mostAheadBytes = mostBytes;
      stream.readAhead(mostBytes);
    }

    /** At least one byte, as many as are at hand; -1 at the end. */
    int read(ByteBuffer target) throws IOException {
      int count = readOnce(target);
      if (count < 0 && used != current.source()) {
        // The file was looked up again since: it may be longer now.
        goOn(current.source());
        count = readOnce(target);
      }
      positionBytes += Math.max(0, count);
      return count;
    }

    /** Bytes that are at hand, without waiting; 0 if there are none. */
    int readArrived(byte[] target, int offset, int length) {
      try {
        int count = stream.readArrived(target, offset, length);
        positionBytes += count;
        return count;
      } catch (RuntimeException | Error e) {
        beginAnew(e);
        throw e;
      }
    }

    private int readOnce(ByteBuffer target) throws IOException {
      for (int lookups = MAX_LOOKUPS; ; lookups--) {
        try {
          return Blocking.await(stream.read(target));
        } catch (WeftException e) {
          if (lookups == 0) {
            beginAnew(e);
            throw named(e);
          }
          lookUpAgain(e);
        } catch (InterruptedIOException | RuntimeException | Error e) {
          // What was interrupted goes on, and would move the stream later.
          beginAnew(e);
          throw e;
        }
      }
    }

    private void lookUpAgain(WeftException failure) throws IOException {
      FileSource next;
      try {
        next = Blocking.await(fresh(used, failure));
      } catch (WeftException e) {
        beginAnew(e);
        throw named(e);
      } catch (InterruptedIOException | RuntimeException | Error e) {
        beginAnew(e);
        throw e;
      }
      goOn(next);
    }

    /** The stream may have moved before it failed: another one goes on at the cursor's position. */
    private void beginAnew(Throwable failure) {
      try {
        goOn(used);
      } catch (RuntimeException | Error e) {
        failure.addSuppressed(e);
      }
    }

    private void goOn(FileSource next) {
      FileSource.Stream before = stream;
      stream = next.stream(positionBytes);
      used = next;
      try {
        stream.readAhead(mostAheadBytes);
      } finally {
        before.close();
      }
    }

    @Override
    public void close() {
      stream.close();
    }
  }
}
