package org.weft.metadata.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/**
 * The files of a journal as its writer task sees them. It appends groups to the newest file, begins
 * a new file when it is full, and deletes old ones. Every opening begins a new file. The exception
 * is a backup that is promoted with its warm state; it continues in its own file. Not thread-safe.
 */
final class SegmentWriter {
  /** A frame before it is written. */
  record Body(FrameCodec.Kind kind, Lsn lsn, byte[] bytes) {}

  private final SegmentDirectory directory;
  private final JournalIdentity identity;
  private final RandomGenerator random;
  private final int segmentBytes;
  private final Deque<Segment> closed;
  private ByteBuffer buffer;

  private SegmentFile file;
  private SegmentHeader header;
  private long capacityBytes;
  private long endBytes;
  private long recordsInFile;
  private Lsn lastLsn;
  private Optional<Lsn> snapshotBase;
  private boolean copying;

  SegmentWriter(
      SegmentDirectory directory,
      JournalIdentity identity,
      RandomGenerator random,
      JournalOptions options,
      JournalOpening.Opened opened) {
    this.directory = directory;
    this.identity = identity;
    this.random = random;
    this.segmentBytes = options.segmentBytes();
    this.buffer = ByteBuffer.allocateDirect(options.groupBytes());
    this.closed = new ArrayDeque<>(opened.segments());
    this.snapshotBase = opened.snapshotBase();
    this.lastLsn = opened.contents().lastLsn();
  }

  /** Writes the group and syncs: when this returns it is durable. */
  void append(List<Body> group) throws IOException {
    long groupBytes =
        group.stream().mapToLong(body -> FrameCodec.sizeBytes(body.bytes().length)).sum();
    if (file == null || endBytes + groupBytes > capacityBytes) {
      roll(groupBytes);
    }
    ByteBuffer target = bufferFor(groupBytes);
    for (Body body : group) {
      FrameCodec.put(target, header.salt(), body.kind(), body.lsn(), endBytes, body.bytes());
    }
    file.write(new ByteBuffer[] {target.flip()}, endBytes);
    file.sync();
    endBytes += groupBytes;
    for (Body body : group) {
      recordsInFile += body.kind() == FrameCodec.Kind.RECORD ? 1 : 0;
      lastLsn = body.lsn();
      if (body.kind() == FrameCodec.Kind.SNAPSHOT) {
        snapshotBase = Optional.of(header.base());
      }
    }
  }

  private ByteBuffer bufferFor(long groupBytes) {
    if (groupBytes > buffer.capacity()) {
      return ByteBuffer.allocate(Math.toIntExact(groupBytes));
    }
    return buffer.clear();
  }

  private void roll(long groupBytes) throws IOException {
    closeFile();
    Segment previous = closed.peekLast();
    long base = lastLsn.value() + 1;
    if (previous != null && Long.compareUnsigned(base, previous.base().value()) <= 0) {
      base = previous.base().value() + 1;
    }
    SegmentHeader next =
        new SegmentHeader(
            identity,
            new Lsn(base),
            previous == null ? Lsn.ZERO : previous.base(),
            previous == null ? 0 : previous.endBytes(),
            random.nextLong());
    long capacity = Math.max(segmentBytes, SegmentHeader.BYTES + groupBytes);
    SegmentFile created = directory.create(JournalOpening.nameOf(next.base()));
    created.resize(capacity);
    created.write(new ByteBuffer[] {next.encode()}, 0);
    created.sync();
    directory.sync();
    file = created;
    header = next;
    capacityBytes = capacity;
    endBytes = SegmentHeader.BYTES;
    recordsInFile = 0;
  }

  /** All that is written so far; no file is deleted before {@link #endCopy}. */
  JournalCopy beginCopy(Runnable closed) throws IOException {
    closeFile();
    copying = true;
    return new JournalCopy(directory, new ArrayDeque<>(this.closed), closed);
  }

  void endCopy() {
    copying = false;
  }

  /** Deletes files that nothing needs any more. */
  void dropBelow(Lsn lsn) throws IOException {
    if (copying) {
      return;
    }
    while (oldestIsFlushed(lsn) && oldestIsBehindSnapshot()) {
      directory.delete(closed.removeFirst().name());
      // One by one: after a loss of power no file may be back whose successor is not.
      directory.sync();
    }
  }

  /** True if the oldest file stays only because of live state that stands in it alone. */
  boolean needsSnapshot(Lsn droppedBelow) {
    return oldestIsFlushed(droppedBelow) && !oldestIsBehindSnapshot();
  }

  private boolean oldestIsFlushed(Lsn droppedBelow) {
    return !closed.isEmpty() && closed.peekFirst().lastLsn().compareTo(droppedBelow) < 0;
  }

  private boolean oldestIsBehindSnapshot() {
    return snapshotBase.isPresent() && snapshotBase.get().compareTo(closed.peekFirst().base()) > 0;
  }

  JournalSize size() {
    long records = recordsInFile;
    long bytes = file == null ? 0 : capacityBytes;
    for (Segment segment : closed) {
      records += segment.records();
      bytes += segment.endBytes();
    }
    return new JournalSize(records, bytes);
  }

  /** Closes the newest file and gives back the space behind its end. */
  void closeFile() throws IOException {
    if (file == null) {
      return;
    }
    try (SegmentFile closing = file) {
      file = null;
      closing.resize(endBytes);
    }
    String name = JournalOpening.nameOf(header.base());
    closed.addLast(new Segment(name, header.base(), lastLsn, recordsInFile, endBytes));
  }
}
