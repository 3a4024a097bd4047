package org.weft.protocol.seam;

import java.io.IOException;
import java.util.List;

/** A folder of {@link SegmentFile}s. Thread-safe. Names are plain file names. */
public interface SegmentDirectory {
  /** Opens a file that exists. */
  SegmentFile open(String name) throws IOException;

  /** Makes an empty file; one that exists is a {@link java.nio.file.FileAlreadyExistsException}. */
  SegmentFile create(String name) throws IOException;

  /** Names of all files, sorted. */
  List<String> list() throws IOException;

  void delete(String name) throws IOException;

  /** Replaces the target, atomically. */
  void rename(String from, String to) throws IOException;

  /** What the disk has left for files to grow by. */
  default long usableBytes() throws IOException {
    return Long.MAX_VALUE;
  }

  /** Makes creations, deletions and renames durable. */
  void sync() throws IOException;

  /**
   * True if reading a file, or asking it for a payload, may block the caller. A thread that must
   * not wait does neither then.
   */
  default boolean keepsWaiting() {
    return false;
  }
}
