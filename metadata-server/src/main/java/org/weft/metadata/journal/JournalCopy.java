package org.weft.metadata.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/**
 * Reads what a journal held when the copy was begun, one file after another; the files stay until
 * it is closed. Reading blocks. Used by one thread at a time.
 */
public final class JournalCopy implements AutoCloseable {
  /** A file's entries, in order, and the newest mark in it; {@link Lsn#ZERO}: it has none. */
  public record Part(List<JournalEntry> entries, Lsn dropBelow) {
    public Part {
      entries = List.copyOf(entries);
    }
  }

  private final SegmentDirectory directory;
  private final Deque<Segment> left;
  private final Runnable closed;
  private List<byte[]> snapshot = new ArrayList<>();

  JournalCopy(SegmentDirectory directory, Deque<Segment> files, Runnable closed) {
    this.directory = directory;
    this.left = files;
    this.closed = closed;
  }

  /** True if another file is left. */
  public boolean hasNext() {
    return !left.isEmpty();
  }

  /** Reads all files that are left, as the opening of a journal does. */
  public JournalContents contents() throws IOException {
    FrameReader reader = new FrameReader();
    while (hasNext()) {
      var unused = reader.read(nextScan());
    }
    return reader.contents();
  }

  private SegmentScan nextScan() throws IOException {
    Segment segment = left.removeFirst();
    ByteBuffer bytes;
    try (SegmentFile file = directory.open(segment.name())) {
      bytes = ByteBuffer.allocate(Math.toIntExact(segment.endBytes()));
      file.read(bytes, 0);
      bytes.flip();
    }
    SegmentHeader header =
        SegmentHeader.decode(bytes)
            .orElseThrow(() -> SegmentScan.damaged(segment.name(), 0, "its header cannot be read"));
    return SegmentScan.closed(segment.name(), header, bytes, segment.endBytes());
  }

  /**
   * Reads the next file; damage is an {@link org.weft.protocol.error.WeftException} BAD_CHECKSUM.
   */
  public Part next() throws IOException {
    SegmentScan scan = nextScan();
    List<JournalEntry> entries = new ArrayList<>();
    Lsn dropBelow = Lsn.ZERO;
    for (FrameCodec.Frame frame : scan.frames()) {
      byte[] body = new byte[frame.body().remaining()];
      frame.body().duplicate().get(body);
      switch (frame.kind()) {
        case RECORD -> entries.add(new JournalEntry(false, frame.lsn(), List.of(body)));
        case SNAPSHOT -> snapshotPart(frame, body, entries);
        case MARK -> dropBelow = new Lsn(ByteBuffer.wrap(body).getLong());
      }
    }
    return new Part(entries, dropBelow);
  }

  /** Parts of one snapshot stand together; what was begun and not ended counts for nothing. */
  private void snapshotPart(FrameCodec.Frame frame, byte[] body, List<JournalEntry> entries) {
    EffectCodec.SnapshotPart part = EffectCodec.decodeSnapshotPart(ByteBuffer.wrap(body));
    if (part.part() == 0) {
      snapshot = new ArrayList<>();
    }
    snapshot.add(body);
    if (part.last()) {
      entries.add(new JournalEntry(true, frame.lsn(), snapshot));
      snapshot = new ArrayList<>();
    }
  }

  /** The files may go. Any thread. */
  @Override
  public void close() {
    closed.run();
  }
}
