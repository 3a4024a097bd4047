package org.weft.metadata.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.seam.SegmentDirectory;

/**
 * A journal in files of one directory. One task at a time turns everything that has been queued
 * into one write and one sync (group commit). {@link FrameCodec} and {@link SegmentHeader} draw the
 * bytes.
 *
 * <p>The monitor guards the queue; no IO happens under it.
 */
public final class FileJournal implements JournalLog {
  private static final Logger LOG = LoggerFactory.getLogger(FileJournal.class);

  /** Frames on their way to the disk: a record, a whole snapshot, or a mark. */
  private record Pending(List<SegmentWriter.Body> bodies, CompletableFuture<Void> done) {
    FrameCodec.Kind kind() {
      return bodies.get(0).kind();
    }

    long bytes() {
      return bodies.stream().mapToLong(body -> body.bytes().length).sum();
    }
  }

  private final JournalOptions options;
  private final SegmentWriter segments;
  private final OwnedExecutor writer;

  private final Deque<Pending> queue = new ArrayDeque<>();
  private long queuedBytes;
  private int queuedRecords;
  private boolean draining;
  private Lsn lastAppended;
  private Lsn dropBelow = Lsn.ZERO;
  private WeftException failure;
  private boolean snapshotQueued;
  private boolean markQueued;
  private Lsn marked = Lsn.ZERO;
  private JournalContents contents;

  private volatile boolean snapshotNeeded;
  private volatile JournalSize size;

  private FileJournal(
      JournalOptions options,
      SegmentWriter segments,
      OwnedExecutor writer,
      JournalContents contents) {
    this.options = options;
    this.segments = segments;
    this.writer = writer;
    this.contents = contents;
    this.lastAppended = contents.lastLsn();
    this.size = segments.size();
  }

  /**
   * Reads what the directory holds, cuts a torn tail, and is ready to append. Blocks. Damage before
   * the tail is a {@link WeftException} BAD_CHECKSUM that names file and offset, a journal of
   * another volume WRONG_CLUSTER.
   *
   * @param random draws the salt of each new file
   */
  public static FileJournal open(
      SegmentDirectory directory,
      JournalIdentity identity,
      Scheduler scheduler,
      RandomGenerator random,
      JournalOptions options)
      throws IOException {
    JournalOpening.Opened opened = JournalOpening.open(directory, identity);
    SegmentWriter segments = new SegmentWriter(directory, identity, random, options, opened);
    OwnedExecutor writer = scheduler.newSerialExecutor("journal-" + identity.volume());
    return new FileJournal(options, segments, writer, opened.contents());
  }

  @Override
  public synchronized JournalContents contents() {
    if (contents == null) {
      throw new IllegalStateException("what the journal held is forgotten at the first append");
    }
    return contents;
  }

  @Override
  public CompletionStage<Void> append(JournalRecord record) {
    return append(JournalEntry.of(record));
  }

  /**
   * Appends what was encoded already: a record, as {@link #append(JournalRecord)} does, or a whole
   * snapshot as of the last record. Completes when it is durable.
   */
  public CompletionStage<Void> append(JournalEntry entry) {
    return append(List.of(entry));
  }

  /**
   * Appends entries that came together, in their order, so that one sync can be enough for all.
   * Completes when all are durable. If one is refused, it fails at once; those before it are
   * appended, and no others.
   */
  public CompletionStage<Void> append(List<JournalEntry> entries) {
    List<Pending> pending = entries.stream().map(FileJournal::pending).toList();
    WeftException refusal = null;
    boolean start = false;
    try {
      synchronized (this) {
        for (int index = 0; index < pending.size() && refusal == null; index++) {
          JournalEntry entry = entries.get(index);
          refusal = entry.snapshot() ? failure : mayFollow(entry);
          if (refusal == null) {
            start |= enqueue(entry, pending.get(index));
          }
        }
      }
    } finally {
      startDraining(start);
    }
    if (refusal != null) {
      return CompletableFuture.failedFuture(refusal);
    }
    return pending.size() == 1
        ? pending.get(0).done()
        : CompletableFuture.allOf(
            pending.stream().map(Pending::done).toArray(CompletableFuture[]::new));
  }

  /** Under the monitor. */
  private boolean enqueue(JournalEntry entry, Pending pending) {
    if (entry.snapshot()) {
      lastAppended = entry.lsn().compareTo(lastAppended) > 0 ? entry.lsn() : lastAppended;
      snapshotQueued = true;
    } else {
      lastAppended = entry.lsn();
      contents = null;
      queuedRecords++;
    }
    return enqueue(pending);
  }

  private static Pending pending(JournalEntry entry) {
    long most = entry.bodies().stream().mapToLong(body -> body.length).max().orElse(0);
    if (!entry.snapshot() && most > MAX_RECORD_BYTES) {
      throw new IllegalArgumentException(
          "a record has at most " + MAX_RECORD_BYTES + " bytes, " + entry.lsn() + " has " + most);
    }
    FrameCodec.Kind kind = entry.snapshot() ? FrameCodec.Kind.SNAPSHOT : FrameCodec.Kind.RECORD;
    List<SegmentWriter.Body> frames =
        entry.bodies().stream()
            .map(body -> new SegmentWriter.Body(kind, entry.lsn(), body))
            .toList();
    return new Pending(frames, new CompletableFuture<>());
  }

  /** Under the monitor. */
  private WeftException mayFollow(JournalEntry record) {
    if (record.lsn().compareTo(lastAppended) <= 0) {
      throw new IllegalArgumentException(
          "LSNs ascend: " + record.lsn() + " cannot follow " + lastAppended);
    }
    return refusal(Math.toIntExact(record.bytes()));
  }

  /** Why nothing can be appended, or null. Under the monitor. */
  private WeftException refusal(int bytes) {
    if (failure != null) {
      return failure;
    }
    if (queuedRecords >= options.queueRecords() || queuedBytes + bytes > options.queueBytes()) {
      return new WeftException(
          ErrorCode.OVERLOADED,
          queuedRecords
              + " records of "
              + queuedBytes
              + " bytes already wait for the journal's"
              + " disk; try again later");
    }
    return null;
  }

  @Override
  public CompletionStage<Void> writeSnapshot(List<LiveEffect> liveState) {
    return append(JournalEntry.ofSnapshot(lastAppended(), liveState));
  }

  /** The largest LSN that was appended. */
  public synchronized Lsn lastAppended() {
    return lastAppended;
  }

  /** The last argument of {@link #dropBelow} since the journal was opened. */
  public synchronized Lsn droppedBelow() {
    return dropBelow;
  }

  /**
   * Begins a copy of all that has been appended until now, and maybe of some that comes beside it.
   * No file goes before the copy is closed; one copy is under way at a time.
   */
  public CompletionStage<JournalCopy> beginCopy() {
    CompletableFuture<JournalCopy> begun = new CompletableFuture<>();
    try {
      writer.execute(() -> beginCopy(begun));
    } catch (RejectedExecutionException e) {
      begun.completeExceptionally(
          new WeftException(ErrorCode.CANCELLED, "the journal has been closed", e));
    }
    return begun;
  }

  private void beginCopy(CompletableFuture<JournalCopy> begun) {
    try {
      begun.complete(segments.beginCopy(this::copied));
    } catch (Throwable e) {
      fail(List.of(), e);
      begun.completeExceptionally(WeftException.of(e));
    }
  }

  private void copied() {
    try {
      writer.execute(
          () -> {
            segments.endCopy();
            reclaim();
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("a copy ended after its journal had been closed");
    }
  }

  private boolean enqueue(Pending pending) {
    queue.addLast(pending);
    queuedBytes += pending.bytes();
    boolean start = !draining;
    draining = true;
    return start;
  }

  private void startDraining(boolean start) {
    if (!start) {
      return;
    }
    try {
      writer.execute(this::drain);
    } catch (RejectedExecutionException e) {
      fail(List.of(), new IOException("its writer has ended", e));
    }
  }

  /** Waiting callers get an error, too. No record is queued behind a task that has ended. */
  private void drain() {
    List<Pending> group = List.of();
    try {
      for (group = nextGroup(); !group.isEmpty(); group = nextGroup()) {
        write(group);
        finish(group);
        for (int last = group.size() - 1; last >= 0; last--) {
          group.get(last).done().complete(null);
        }
        if (group.get(0).kind() == FrameCodec.Kind.SNAPSHOT) {
          reclaim();
        }
      }
    } catch (Throwable e) {
      fail(group, e);
    }
  }

  /** Records that may be written at once, or one snapshot; empty ends the task. */
  private synchronized List<Pending> nextGroup() {
    List<Pending> group = new ArrayList<>();
    long bytes = 0;
    while (!queue.isEmpty() && failure == null) {
      Pending next = queue.peekFirst();
      boolean snapshot = next.kind() == FrameCodec.Kind.SNAPSHOT;
      if (!group.isEmpty() && (snapshot || bytes + next.bytes() > options.groupBytes())) {
        break;
      }
      group.add(queue.removeFirst());
      bytes += next.bytes();
      if (snapshot) {
        break;
      }
    }
    draining = !group.isEmpty();
    return group;
  }

  private void write(List<Pending> group) throws IOException {
    List<SegmentWriter.Body> bodies = new ArrayList<>();
    group.forEach(pending -> bodies.addAll(pending.bodies()));
    segments.append(bodies);
  }

  private void finish(List<Pending> group) {
    Lsn drop;
    synchronized (this) {
      forget(group);
      drop = dropBelow;
      if (marked.compareTo(dropBelow) < 0) {
        // The task that runs this goes on with it.
        var unused = enqueueMark();
      }
    }
    snapshotNeeded = segments.needsSnapshot(drop);
    size = segments.size();
  }

  private void forget(List<Pending> group) {
    for (Pending pending : group) {
      queuedBytes -= pending.bytes();
      switch (pending.kind()) {
        case RECORD -> queuedRecords--;
        case SNAPSHOT -> snapshotQueued = false;
        case MARK -> markQueued = false;
      }
    }
  }

  private void fail(List<Pending> group, Throwable cause) {
    List<Pending> failed = new ArrayList<>(group);
    WeftException reason;
    synchronized (this) {
      if (failure == null) {
        failure =
            new WeftException(
                ErrorCode.INTERNAL,
                "the journal cannot be written: "
                    + (cause instanceof IOException ? cause.getMessage() : cause)
                    + "; the manager must be restarted once its disk is in order",
                cause);
      }
      failed.addAll(queue);
      queue.clear();
      // Nothing is queued any more, and one task at a time had the rest.
      queuedBytes = 0;
      queuedRecords = 0;
      snapshotQueued = false;
      markQueued = false;
      draining = false;
      reason = failure;
    }
    LOG.error("{}", reason.getMessage(), cause);
    failed.forEach(pending -> pending.done().completeExceptionally(reason));
  }

  @Override
  public synchronized Optional<WeftException> failure() {
    return Optional.ofNullable(failure);
  }

  @Override
  public synchronized boolean hasRoom() {
    return queuedRecords <= options.queueRecords() / 2 && queuedBytes <= options.queueBytes() / 2;
  }

  @Override
  public boolean snapshotWanted() {
    if (!snapshotNeeded) {
      return false;
    }
    synchronized (this) {
      return !snapshotQueued;
    }
  }

  @Override
  public void dropBelow(Lsn lsn) {
    boolean start;
    synchronized (this) {
      if (lsn.compareTo(dropBelow) <= 0 || failure != null) {
        return;
      }
      dropBelow = lsn;
      start = enqueueMark();
    }
    startDraining(start);
    try {
      writer.execute(this::reclaim);
    } catch (RejectedExecutionException e) {
      LOG.debug("files of a journal that is being closed stay until it is opened again");
    }
  }

  /** So that redo need not begin with the oldest file. Under the monitor. */
  private boolean enqueueMark() {
    if (markQueued) {
      return false;
    }
    markQueued = true;
    marked = dropBelow;
    byte[] body = ByteBuffer.allocate(Long.BYTES).putLong(0, dropBelow.value()).array();
    SegmentWriter.Body mark = new SegmentWriter.Body(FrameCodec.Kind.MARK, lastAppended, body);
    return enqueue(new Pending(List.of(mark), new CompletableFuture<>()));
  }

  private void reclaim() {
    Lsn drop;
    synchronized (this) {
      if (failure != null) {
        return;
      }
      drop = dropBelow;
    }
    try {
      segments.dropBelow(drop);
    } catch (Throwable e) {
      fail(List.of(), e);
      return;
    }
    snapshotNeeded = segments.needsSnapshot(drop);
    size = segments.size();
  }

  @Override
  public JournalSize size() {
    return size;
  }

  @Override
  public void close() throws IOException {
    writer.close();
    segments.closeFile();
    synchronized (this) {
      if (failure == null) {
        failure = new WeftException(ErrorCode.CANCELLED, "the journal has been closed");
      }
    }
  }
}
