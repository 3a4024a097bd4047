package org.weft.osd.store.rocksdb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.OutOfSpaceException;
import org.weft.osd.store.disk.Fallocate;

/**
 * Space on the disk that is kept for batches others wait for: a file beside the tables, as large as
 * that. When the disk is full the file goes, and its space is lent to the disk. It is taken again
 * when there is plenty. A disk that never had plenty has no reserve.
 *
 * <p>Thread-safe; does IO on the calling thread. Nothing of it has to be durable.
 */
final class SpaceReserve {
  static final long BYTES = 32L << 20;

  private static final Logger LOG = LoggerFactory.getLogger(SpaceReserve.class);
  private static final String FILE = "space-reserve";
  private static final int PIECE_BYTES = 1 << 20;

  private final Path file;
  private volatile boolean held;
  private volatile boolean lent;

  private SpaceReserve(Path file, boolean held) {
    this.file = file;
    this.held = held;
  }

  /** What the process before has left; a file that is too short is taken again. */
  static SpaceReserve in(Path folder) throws IOException {
    Path file = folder.resolve(FILE);
    return new SpaceReserve(file, Files.exists(file) && Files.size(file) >= BYTES);
  }

  boolean isHeld() {
    return held;
  }

  /** The disk has it, and is to give it back. */
  boolean isLent() {
    return lent;
  }

  /** Takes it from the disk; without effect if the disk turns out to be full. */
  synchronized void take() throws IOException {
    if (held) {
      return;
    }
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      if (!new Fallocate().allocate(file, 0, BYTES)) {
        fill(channel);
      }
      held = true;
      lent = false;
    } catch (IOException e) {
      Files.deleteIfExists(file);
      if (!OutOfSpaceException.caused(e)) {
        throw e;
      }
      LOG.info("no space for what is kept on a full disk: {}", e.toString());
    }
  }

  private static void fill(FileChannel channel) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocate(PIECE_BYTES);
    for (long done = 0; done < BYTES; ) {
      done += channel.write(zeros.clear(), done);
    }
  }

  /** Lends it to the disk; false if it is not held, or the disk does not let go of it. */
  synchronized boolean lend() {
    if (!held) {
      return false;
    }
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.warn("the disk is full, and does not give up the space that is kept for managers", e);
      return false;
    }
    LOG.warn("the disk is full: the space that is kept for managers is used now");
    held = false;
    lent = true;
    return true;
  }
}
