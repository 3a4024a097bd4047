package org.weft.client.number;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.weft.client.file.CallSequencer;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.stripe.base.UnitPool;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.FileAttributes;

/**
 * Files that are open since they were read or written by their numbers. NFS says neither when a
 * file is opened nor when it is closed. What is not used for a while is closed here, so that others
 * can write it. Thread-safe; never blocks.
 */
public final class NumberedData {
  /** What is open for writing keeps others out. */
  private static final long WRITING_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** What was fetched ahead of a reader that does not come is memory for others. */
  private static final long AHEAD_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long READING_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Files that stay open without being used; the manager allows a session more. */
  private static final int MAX_IDLE = 10_000;

  private final NumberedFile.Opener opener;
  private final LongSupplier ticker;
  private final BiConsumer<Long, Runnable> later;
  private final AheadMemory memory;
  private final UnitPool buffers;
  private final AtomicLong losses = new AtomicLong();

  // Guarded by this; least recently used first.
  private final Map<NodeId, NumberedFile> files = new LinkedHashMap<>(16, 0.75f, true);
  private boolean looking;

  /**
   * @param aheadBytes that all files together may have fetched ahead
   * @param buffers to read into what is being written
   * @param ticker monotonic nanoseconds
   * @param later runs a task after so many nanoseconds
   */
  public NumberedData(
      NumberedFile.Opener opener,
      long aheadBytes,
      UnitPool buffers,
      LongSupplier ticker,
      BiConsumer<Long, Runnable> later) {
    this.opener = opener;
    this.memory = new AheadMemory(aheadBytes);
    this.buffers = buffers;
    this.ticker = ticker;
    this.later = later;
  }

  long losses() {
    return losses.get();
  }

  CompletableFuture<Payload> read(FoundFile found, long positionBytes, int lengthBytes) {
    return with(found.node().id(), false, file -> file.read(found, positionBytes, lengthBytes));
  }

  /**
   * @return of stable bytes the file as its manager shows it, if that was told of them
   */
  CompletableFuture<Optional<FileAttributes>> write(
      NodeId id, long positionBytes, Payload bytes, boolean stable) {
    return with(id, true, file -> file.write(positionBytes, bytes, stable));
  }

  /**
   * @return the file as its manager shows it, if that was told of something
   */
  CompletableFuture<Optional<FileAttributes>> commit(NodeId id) {
    return with(id, true, NumberedFile::commit);
  }

  /** The manager knows of all that was written here before, if anything was. */
  CompletableFuture<Void> tell(NodeId id) {
    return find(id).isPresent()
        ? with(id, false, NumberedFile::tell)
        : CompletableFuture.completedFuture(null);
  }

  CompletableFuture<Void> setLength(NodeId id, long sizeBytes) {
    return with(id, true, file -> file.setLength(sizeBytes));
  }

  /** A node with a length that only this client knows. */
  NodeAttributes shown(NodeAttributes node) {
    long written = node.type() == NodeType.FILE ? writtenBytes(node.id(), node.cuts()) : 0;
    return written > node.sizeBytes() ? node.withSize(written) : node;
  }

  /** A length that others cannot see yet; 0 if there is none. */
  private long writtenBytes(NodeId id, int cuts) {
    return find(id).map(file -> file.writtenBytes(cuts)).orElse(0L);
  }

  /** Clients write it, and have it brought to stable storage again and again. */
  boolean isSyncedOften(NodeId id) {
    return find(id).map(NumberedFile::hasSynced).orElse(false);
  }

  private synchronized Optional<NumberedFile> find(NodeId id) {
    return Optional.ofNullable(files.get(id));
  }

  /** The file has lost its last name: it does not stay open for later readers. */
  void removed(NodeId id) {
    find(id).ifPresent(this::end);
  }

  private <T> CompletableFuture<T> with(
      NodeId id, boolean writes, Function<NumberedFile, CompletableFuture<T>> call) {
    long nowNanos = ticker.getAsLong();
    NumberedFile file = entered(id, writes, nowNanos);
    CompletableFuture<T> begun = CallSequencer.begun(() -> call.apply(file));
    if (!writes && file.isReadAlone(nowNanos)) {
      // Behind this read: it need not wait, and what it knows of the file is of before the close.
      end(file);
    }
    return begun.whenComplete((value, thrown) -> file.exit(writes, ticker.getAsLong()));
  }

  private NumberedFile entered(NodeId id, boolean writes, long nowNanos) {
    NumberedFile file;
    boolean first;
    synchronized (this) {
      file = files.get(id);
      if (file == null || !file.enter(writes, nowNanos)) {
        file = new NumberedFile(id, opener, memory, buffers, losses::incrementAndGet);
        boolean unused = file.enter(writes, nowNanos);
        files.put(id, file);
      }
      first = !looking;
      looking = true;
    }
    if (first) {
      later.accept(LOOK_NANOS, this::look);
    }
    return file;
  }

  private void look() {
    List<NumberedFile> idle = new ArrayList<>();
    List<NumberedFile> resting = new ArrayList<>();
    boolean more;
    synchronized (this) {
      long nowNanos = ticker.getAsLong();
      int over = files.size() - MAX_IDLE;
      for (NumberedFile file : files.values()) {
        boolean ends =
            file.isWriting()
                ? file.isUnwritten(nowNanos, over > 0 ? 0 : WRITING_NANOS)
                : file.isIdle(nowNanos, over > 0 ? 0 : READING_NANOS);
        if (ends) {
          idle.add(file);
          over--;
        } else if (file.isIdle(nowNanos, AHEAD_NANOS)) {
          resting.add(file);
        }
      }
      more = !files.isEmpty();
      looking = more;
    }
    resting.forEach(NumberedFile::rest);
    idle.forEach(this::end);
    if (more) {
      later.accept(LOOK_NANOS, this::look);
    }
  }

  private void end(NumberedFile file) {
    var unused =
        file.end()
            .thenAccept(
                over -> {
                  if (over) {
                    forget(file);
                  }
                });
  }

  private synchronized void forget(NumberedFile file) {
    files.remove(file.id(), file);
  }

  /** Closes all; completes when it is done, well or badly. */
  public CompletableFuture<Void> shutdown() {
    List<NumberedFile> all;
    synchronized (this) {
      all = List.copyOf(files.values());
    }
    return CompletableFuture.allOf(
        all.stream()
            .map(file -> file.end().handle((over, thrown) -> null))
            .toArray(CompletableFuture[]::new));
  }
}
