package org.weft.client.number;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.weft.client.file.CallSequencer;
import org.weft.client.file.WritableFile;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.stripe.base.PooledBytes;
import org.weft.client.stripe.base.References;
import org.weft.client.stripe.base.UnitPool;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.FileAttributes;

/**
 * The bytes of one file that is named by its number, for all its users. It is open for reading, for
 * writing, for both or not at all. It is opened when it is used, and closed when it has not been
 * used for a while. Before that all that was taken of it is brought to stable storage. Thread-safe;
 * never blocks.
 */
public final class NumberedFile {
  /** What opens it. */
  public interface Opener {
    CompletableFuture<SharedInput.Input> openForReading(NodeId file);

    /** Beside others; small writes are gathered. */
    CompletableFuture<WritableFile<?>> openForWriting(NodeId file);
  }

  /** What a reading was opened at: with another one it is opened again. */
  private record Stamp(long changeNumber, long ctimeNanos, long sizeBytes, boolean beingWritten) {
    static Stamp of(FoundFile found) {
      NodeAttributes node = found.node();
      return new Stamp(
          node.changeNumber(), node.ctimeNanos(), node.sizeBytes(), found.beingWritten());
    }
  }

  /** Less is read into memory of the heap, which is quicker than to hold on to a buffer. */
  public static final int MIN_POOLED_BYTES = 32 << 10;

  /** So many since the last write, and so long after it, and a file is only read now. */
  private static final int READS_ALONE = 16;

  private static final long READ_ALONE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final NodeId id;
  private final Opener opener;
  private final AheadMemory memory;
  private final UnitPool buffers;
  private final Runnable lost;

  /** Data beside each other; what opens otherwise, cuts or closes alone. */
  private final CallSequencer turns = new CallSequencer();

  private final UnstableWrites unstable = new UnstableWrites();

  // Guarded by this.
  private Stamp stamp;
  private SharedInput reading;
  private CompletableFuture<WritableFile<?>> writing;
  private boolean synced;
  private int underWay;
  private int writesUnderWay;
  private int readsSinceWrite;
  private long usedNanos;
  private long writtenNanos;
  private boolean forsaken;

  /**
   * @param memory for what is fetched ahead of readers
   * @param buffers to read into what is being written
   * @param lost bytes may have been lost that were taken and not brought to stable storage; called
   *     while a monitor is held
   */
  NumberedFile(NodeId id, Opener opener, AheadMemory memory, UnitPool buffers, Runnable lost) {
    this.id = id;
    this.opener = opener;
    this.memory = memory;
    this.buffers = buffers;
    this.lost = lost;
  }

  NodeId id() {
    return id;
  }

  /**
   * A call begins, unless this is closed for good.
   *
   * @param writes it is open for writing because of such calls
   */
  synchronized boolean enter(boolean writes, long nowNanos) {
    if (forsaken) {
      return false;
    }
    count(writes, 1, nowNanos);
    return true;
  }

  synchronized void exit(boolean writes, long nowNanos) {
    count(writes, -1, nowNanos);
  }

  private void count(boolean writes, int more, long nowNanos) {
    underWay += more;
    usedNanos = nowNanos;
    if (writes) {
      writesUnderWay += more;
      writtenNanos = nowNanos;
      readsSinceWrite = 0;
    } else if (more > 0) {
      readsSinceWrite++;
    }
  }

  /**
   * Its length, with what was taken and others cannot see yet; 0 if it is not written here.
   *
   * @param cuts how often the file was cut, as the manager says: this client may not have heard yet
   */
  long writtenBytes(int cuts) {
    CompletableFuture<WritableFile<?>> open;
    synchronized (this) {
      open = writing;
    }
    if (open == null || !open.isDone() || open.isCompletedExceptionally()) {
      return 0;
    }
    WritableFile<?> file = open.join();
    // What was given back is published, and others may have cut the file since.
    return file.isLent() ? 0 : file.writtenBytes(cuts);
  }

  /**
   * Reads as far as the file reaches.
   *
   * @param found as it is now
   * @return released by the caller; empty at or behind the end
   */
  CompletableFuture<Payload> read(FoundFile found, long positionBytes, int lengthBytes) {
    return turns.take(
        true,
        () -> {
          CompletableFuture<WritableFile<?>> open;
          synchronized (this) {
            open = writing;
          }
          // Nothing was taken yet by what is being opened: another client may keep it waiting.
          return open == null || !open.isDone() || isLent(open)
              ? reading(Stamp.of(found)).read(found, positionBytes, lengthBytes)
              : carry(open, file -> written(file, positionBytes, lengthBytes));
        });
  }

  private CompletableFuture<Payload> written(
      WritableFile<?> file, long positionBytes, int lengthBytes) {
    if (lengthBytes < MIN_POOLED_BYTES) {
      ByteBuffer target = ByteBuffer.allocate(lengthBytes);
      return file.read(positionBytes, target).thenApply(count -> Payload.of(target.flip()));
    }
    PooledBytes target = new PooledBytes(lengthBytes, buffers);
    return CallSequencer.begun(() -> file.read(positionBytes, target.memory()))
        .whenComplete(
            (count, thrown) -> {
              if (thrown != null) {
                target.giveBack();
              }
            })
        .thenApply(count -> target.payload());
  }

  /** What was written is published: reading it need not take the file from its next writer. */
  private static boolean isLent(CompletableFuture<WritableFile<?>> open) {
    return open.isDone() && !open.isCompletedExceptionally() && open.join().isLent();
  }

  /** The call has entered it. */
  private SharedInput reading(Stamp wanted) {
    SharedInput before;
    SharedInput opened;
    synchronized (this) {
      if (reading != null && wanted.equals(stamp) && !reading.hasFailed()) {
        reading.enter();
        return reading;
      }
      before = reading;
      opened = new SharedInput(CallSequencer.begun(() -> opener.openForReading(id)), memory);
      opened.enter();
      reading = opened;
      stamp = wanted;
    }
    replace(before);
    return opened;
  }

  private static void replace(SharedInput before) {
    if (before != null) {
      before.replaced();
    }
  }

  /**
   * Takes bytes; they are released, whatever comes of it. Bytes that need not be stable may be over
   * before they have left this process. What was taken and is lost then is counted as lost. Whole
   * stripes of those are kept where they came, if they came in one buffer.
   *
   * @return of stable bytes the file as its manager shows it, if that was told of them
   */
  CompletableFuture<Optional<FileAttributes>> write(
      long positionBytes, Payload bytes, boolean stable) {
    References memory = new References(bytes::release);
    CompletableFuture<Optional<FileAttributes>> written =
        turns.take(
            true,
            () ->
                carry(
                    writing(),
                    file ->
                        stable
                            ? putStable(file, positionBytes, bytes)
                            : putUnstable(file, positionBytes, bytes, memory)));
    return written.whenComplete(
        (told, thrown) -> {
          memory.release();
          if (stable && thrown == null) {
            synced();
          }
        });
  }

  private CompletableFuture<Optional<FileAttributes>> putUnstable(
      WritableFile<?> file, long positionBytes, Payload bytes, References memory) {
    unstable.begin();
    return CallSequencer.begun(() -> put(file, positionBytes, bytes, memory))
        .whenComplete((nothing, thrown) -> unstable.end());
  }

  private synchronized void synced() {
    synced = writing != null;
  }

  /** It was brought to stable storage since it was opened for writing: more of that may follow. */
  synchronized boolean hasSynced() {
    return synced;
  }

  private static CompletableFuture<Optional<FileAttributes>> putStable(
      WritableFile<?> file, long positionBytes, Payload bytes) {
    return bytes.buffers().size() == 1
        ? file.writeAndSync(positionBytes, bytes.buffers().get(0).duplicate())
        : put(positionBytes, bytes, file::write).thenCompose(nothing -> file.sync());
  }

  private static CompletableFuture<Optional<FileAttributes>> put(
      WritableFile<?> file, long positionBytes, Payload bytes, References memory) {
    boolean keeps = bytes.buffers().size() == 1;
    return put(
            positionBytes,
            bytes,
            (at, part) -> keeps ? file.write(at, part, memory) : file.write(at, part))
        .thenApply(nothing -> Optional.empty());
  }

  private static CompletableFuture<Void> put(
      long positionBytes, Payload bytes, BiFunction<Long, ByteBuffer, CompletableFuture<Void>> to) {
    CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
    long position = positionBytes;
    for (ByteBuffer each : bytes.buffers()) {
      long at = position;
      ByteBuffer part = each.duplicate();
      position += part.remaining();
      last = last.thenCompose(nothing -> to.apply(at, part));
    }
    return last;
  }

  private CompletableFuture<WritableFile<?>> writing() {
    SharedInput before;
    CompletableFuture<WritableFile<?>> opened;
    synchronized (this) {
      if (writing != null) {
        return writing;
      }
      opened = CallSequencer.begun(() -> opener.openForWriting(id));
      writing = opened;
      before = reading;
      reading = null;
    }
    replace(before);
    // What was read meanwhile is of before what will be written.
    var unused = opened.thenRun(this::endReading);
    return opened;
  }

  private void endReading() {
    SharedInput before;
    synchronized (this) {
      before = reading;
      reading = null;
    }
    replace(before);
  }

  /** A call on the file that is open; one that ends the writing is the last. */
  private <T> CompletableFuture<T> carry(
      CompletableFuture<WritableFile<?>> open,
      java.util.function.Function<WritableFile<?>, CompletableFuture<T>> call) {
    CompletableFuture<T> done = new CompletableFuture<>();
    var unused =
        open.thenCompose(file -> CallSequencer.begun(() -> call.apply(file)))
            .whenComplete(
                (value, thrown) -> {
                  if (thrown == null) {
                    done.complete(value);
                    return;
                  }
                  // A call may have failed alone: a read, or a write for want of space.
                  if (open.isCompletedExceptionally() || open.join().hasFailed()) {
                    given(open);
                  }
                  done.completeExceptionally(WeftException.of(thrown));
                });
    return done;
  }

  /**
   * The writing has failed: the next call opens the file again. A commit that finds nothing to do
   * finds the loss counted, too.
   */
  private void given(CompletableFuture<WritableFile<?>> open) {
    synchronized (this) {
      if (writing != open) {
        return;
      }
      writing = null;
      synced = false;
      if (unstable.forget()) {
        lost.run();
      }
    }
    var unused = open.thenCompose(WritableFile::abort).exceptionally(thrown -> null);
  }

  /**
   * Brings all that was taken to stable storage.
   *
   * @return the file as its manager shows it, if that was told of something
   */
  CompletableFuture<Optional<FileAttributes>> commit() {
    return turns.take(true, this::commitNow).whenComplete((told, thrown) -> synced());
  }

  private CompletableFuture<Optional<FileAttributes>> commitNow() {
    CompletableFuture<WritableFile<?>> open;
    synchronized (this) {
      open = writing;
    }
    return open == null
        ? CompletableFuture.completedFuture(Optional.empty())
        : carry(open, this::syncAll);
  }

  /** What a write brought that was under way meanwhile may be missing from it. */
  private CompletableFuture<Optional<FileAttributes>> syncAll(WritableFile<?> file) {
    long covered = unstable.covered();
    return file.sync()
        .thenApply(
            told -> {
              unstable.committed(covered);
              return told;
            });
  }

  /**
   * Sends all that was taken, and tells the manager of it (P 6.5c.7.10). Nothing of that is durable
   * by it. What is lost instead is counted, and is told no more.
   */
  CompletableFuture<Void> tell() {
    return turns.take(true, this::tellNow);
  }

  private CompletableFuture<Void> tellNow() {
    CompletableFuture<WritableFile<?>> open;
    synchronized (this) {
      open = writing;
    }
    return open == null
        ? CompletableFuture.completedFuture(null)
        : carry(open, WritableFile::hflush)
            .exceptionallyCompose(
                thrown ->
                    isWriting()
                        ? CompletableFuture.failedFuture(thrown)
                        : CompletableFuture.completedFuture(null));
  }

  /**
   * Sets the length, beside other clients that have the file open shared. It stays open: what cuts
   * a file often writes it then. It goes alone once the file is open: others may keep it waiting.
   */
  CompletableFuture<Void> setLength(long sizeBytes) {
    return writing()
        .handle((file, thrown) -> null)
        .thenCompose(
            nothing ->
                turns.take(false, () -> carry(writing(), file -> file.setLength(sizeBytes))));
  }

  private static <S> CompletableFuture<Void> syncedAndClosed(WritableFile<S> file) {
    return file.hsync().thenCompose(nothing -> file.close()).thenAccept(status -> {});
  }

  /** All of it is on stable storage, and it is not open. Alone. */
  private CompletableFuture<Void> closeNow() {
    SharedInput input;
    CompletableFuture<WritableFile<?>> open;
    synchronized (this) {
      input = reading;
      reading = null;
      open = writing;
    }
    replace(input);
    if (open == null) {
      return CompletableFuture.completedFuture(null);
    }
    return this.<Void>carry(open, NumberedFile::syncedAndClosed).thenRun(() -> closed(open));
  }

  private synchronized void closed(CompletableFuture<WritableFile<?>> open) {
    if (writing == open) {
      writing = null;
      synced = false;
      var unused = unstable.forget();
    }
  }

  /** It is open for writing. */
  synchronized boolean isWriting() {
    return writing != null;
  }

  /** It was not used for so long. */
  synchronized boolean isIdle(long nowNanos, long forNanos) {
    return underWay == 0 && nowNanos - usedNanos >= forNanos;
  }

  /** It was not written for so long, though it may have been read. */
  synchronized boolean isUnwritten(long nowNanos, long forNanos) {
    return writesUnderWay == 0 && nowNanos - writtenNanos >= forNanos;
  }

  /**
   * The file is open for writing, and was read so often since it was written that it is better
   * closed. A write, and an attempt to close it, begin the count anew. It gets no read grant
   * before.
   */
  synchronized boolean isReadAlone(long nowNanos) {
    return writing != null
        && writesUnderWay == 0
        && readsSinceWrite >= READS_ALONE
        && nowNanos - writtenNanos >= READ_ALONE_NANOS;
  }

  /** What was fetched ahead is given up. */
  void rest() {
    SharedInput input;
    synchronized (this) {
      input = reading;
    }
    if (input != null) {
      input.rest();
    }
  }

  /** Closes it; no call begins here any more if none is under way by then. */
  CompletableFuture<Boolean> end() {
    synchronized (this) {
      readsSinceWrite = 0;
    }
    return turns.take(
        false,
        (Supplier<CompletableFuture<Boolean>>)
            () -> closeNow().handle((nothing, thrown) -> isOver()));
  }

  private synchronized boolean isOver() {
    forsaken = underWay == 0 && writing == null && reading == null;
    return forsaken;
  }
}
