package org.weft.metadata.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/**
 * Reads a journal's files, oldest first, and checks that they follow each other without a gap. It
 * cuts the torn tail of the newest: on the disk if the journal is opened, in memory alone if it is
 * looked at.
 */
final class JournalOpening {
  private static final Pattern NAME = Pattern.compile("journal-[0-9a-f]{16}\\.log");

  /** The contents that were found, and their files. */
  record Opened(JournalContents contents, List<Segment> segments, Optional<Lsn> snapshotBase) {}

  private final SegmentDirectory directory;
  private final JournalIdentity identity;
  private final boolean mends;

  /**
   * @param mends what a crash left behind is put in order on the disk
   */
  private JournalOpening(SegmentDirectory directory, JournalIdentity identity, boolean mends) {
    this.directory = directory;
    this.identity = identity;
    this.mends = mends;
  }

  static String nameOf(Lsn base) {
    return String.format("journal-%016x.log", base.value());
  }

  static Opened open(SegmentDirectory directory, JournalIdentity identity) throws IOException {
    return read(new JournalOpening(directory, identity, true));
  }

  /** The same, and nothing is changed: the next one that opens it finds what is found now. */
  static JournalContents look(SegmentDirectory directory, JournalIdentity identity)
      throws IOException {
    return read(new JournalOpening(directory, identity, false)).contents();
  }

  private static Opened read(JournalOpening opening) throws IOException {
    List<SegmentScan> scans = opening.scanAll();
    FrameReader reader = new FrameReader();
    List<Segment> segments = new ArrayList<>();
    for (SegmentScan scan : scans) {
      segments.add(reader.read(scan));
    }
    return new Opened(reader.contents(), segments, reader.snapshotBase());
  }

  /**
   * A newest file without a record, as a crash leaves it behind that came before the first one was
   * durable.
   *
   * @param header empty if it was not durable either
   */
  private record Unwritten(String name, Optional<SegmentHeader> header) {}

  private List<SegmentScan> scanAll() throws IOException {
    List<String> names =
        directory.list().stream().filter(name -> NAME.matcher(name).matches()).sorted().toList();
    List<SegmentScan> scans = new ArrayList<>();
    Optional<Unwritten> unwritten = Optional.empty();
    SegmentHeader next = null;
    for (int index = names.size() - 1; index >= 0; index--) {
      String name = names.get(index);
      boolean isNewest = index == names.size() - 1;
      ByteBuffer file = readWhole(name);
      Optional<SegmentHeader> header = header(name, file);
      if (header.isEmpty() && isNewest && isUnfinished(file)) {
        unwritten = Optional.of(new Unwritten(name, header));
        continue;
      }
      SegmentHeader own =
          header.orElseThrow(() -> SegmentScan.damaged(name, 0, "its header cannot be read"));
      checkIdentity(name, own);
      if (next == null && unwritten.flatMap(Unwritten::header).isPresent()) {
        var unused = older(name, own, file, unwritten.flatMap(Unwritten::header).get());
      }
      SegmentScan scan = next == null ? newest(name, own, file) : older(name, own, file, next);
      if (isNewest && scan.frames().isEmpty()) {
        unwritten = Optional.of(new Unwritten(name, header));
        continue;
      }
      scans.add(0, scan);
      next = own;
    }
    if (unwritten.isPresent()) {
      requireBehind(scans, unwritten.get());
      if (mends) {
        delete(unwritten.get().name());
      }
    }
    return scans;
  }

  /**
   * A file begins right behind the end of the file before it, which is on the disk as a whole by
   * then. No file is deleted whose successor holds nothing. Anything else is damage, and a deletion
   * would hide it.
   */
  private static void requireBehind(List<SegmentScan> scans, Unwritten unwritten)
      throws WeftException {
    Optional<SegmentScan> last =
        scans.isEmpty() ? Optional.empty() : Optional.of(scans.get(scans.size() - 1));
    String name = unwritten.name();
    if (unwritten.header().isPresent()) {
      SegmentHeader header = unwritten.header().get();
      if (!name.equals(nameOf(header.base()))) {
        throw SegmentScan.damaged(name, 0, "its header is that of " + nameOf(header.base()));
      }
      if (last.isEmpty() && !header.previousBase().equals(Lsn.ZERO)) {
        throw missing(nameOf(header.previousBase()), "before " + name + ", which holds nothing");
      }
      return;
    }
    Lsn newest = last.map(JournalOpening::lastLsn).orElse(Lsn.ZERO);
    boolean follows =
        name.equals(nameOf(newest.next()))
            || last.isPresent() && name.equals(nameOf(last.get().header().base().next()));
    if (!follows) {
      throw missing(
          "with the records behind " + newest, "before " + name + ", which holds nothing");
    }
  }

  private static Lsn lastLsn(SegmentScan scan) {
    return scan.frames().isEmpty()
        ? scan.header().base()
        : scan.frames().get(scan.frames().size() - 1).lsn();
  }

  private static WeftException missing(String what, String where) {
    return new WeftException(
        ErrorCode.BAD_CHECKSUM,
        "the journal file " + what + " is missing " + where + "; restore it from a copy");
  }

  private static Optional<SegmentHeader> header(String name, ByteBuffer file) throws WeftException {
    try {
      return SegmentHeader.decode(file);
    } catch (IllegalArgumentException e) {
      throw new WeftException(
          ErrorCode.VERSION_MISMATCH,
          "the journal file "
              + name
              + " cannot be read: "
              + e.getMessage()
              + "; start the release that wrote it",
          e);
    }
  }

  /** A crash while the file was made: its header was not synced yet, so nothing follows it. */
  private static boolean isUnfinished(ByteBuffer file) {
    for (int offset = SegmentHeader.BYTES; offset < file.limit(); offset++) {
      if (file.get(offset) != 0) {
        return false;
      }
    }
    return true;
  }

  private void checkIdentity(String name, SegmentHeader header) throws WeftException {
    if (!header.identity().equals(identity)) {
      throw new WeftException(
          ErrorCode.WRONG_CLUSTER,
          "the journal file "
              + name
              + " belongs to volume "
              + header.identity().volume()
              + " of cluster "
              + header.identity().cluster()
              + ", expected volume "
              + identity.volume()
              + " of cluster "
              + identity.cluster()
              + "; give this manager its own data directory");
    }
  }

  /**
   * What it holds is written again, with the same bytes, and made durable. The process before may
   * have died between a write and its sync, or its last sync may have failed. Then the kernel shows
   * bytes that it would never bring to the disk by itself.
   */
  private SegmentScan newest(String name, SegmentHeader header, ByteBuffer file)
      throws IOException {
    SegmentScan scan = SegmentScan.newest(name, header, file);
    if (mends && !scan.frames().isEmpty()) {
      try (SegmentFile segment = directory.open(name)) {
        int endBytes = Math.toIntExact(scan.endBytes());
        // What fills the last frame up may be lacking.
        int thereBytes = Math.min(endBytes, file.limit());
        segment.write(new ByteBuffer[] {file.duplicate().position(0).limit(thereBytes)}, 0);
        segment.resize(endBytes);
        segment.sync();
      }
    }
    return scan;
  }

  private static SegmentScan older(
      String name, SegmentHeader header, ByteBuffer file, SegmentHeader next) throws WeftException {
    if (!next.previousBase().equals(header.base())) {
      throw missing(nameOf(next.previousBase()), "between " + name + " and " + nameOf(next.base()));
    }
    return SegmentScan.closed(name, header, file, next.previousEndBytes());
  }

  private ByteBuffer readWhole(String name) throws IOException {
    try (SegmentFile segment = directory.open(name)) {
      ByteBuffer file = ByteBuffer.allocate(Math.toIntExact(segment.sizeBytes()));
      segment.read(file, 0);
      return file.flip();
    }
  }

  private void delete(String name) throws IOException {
    directory.delete(name);
    directory.sync();
  }
}
