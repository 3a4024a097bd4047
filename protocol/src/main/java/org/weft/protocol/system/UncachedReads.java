package org.weft.protocol.system;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads of a file past the page cache. The file is opened for each read: a scrub, which reads a
 * whole disk in weeks, must not hold all of its files open twice. Thread-safe.
 */
final class UncachedReads {
  private static final Logger LOG = LoggerFactory.getLogger(UncachedReads.class);

  private final Path file;
  private volatile boolean unsupported;

  UncachedReads(Path file) {
    this.file = file;
  }

  /**
   * Fills the buffer from the offset.
   *
   * @return false, with the buffer as it was, if this file system has only the way through its
   *     cache
   * @throws IOException if the medium could not be read
   */
  boolean read(ByteBuffer target, long offsetBytes) throws IOException {
    if (unsupported) {
      return false;
    }
    ByteBuffer view = target.duplicate();
    try (FileChannel medium =
        FileChannel.open(file, StandardOpenOption.READ, ExtendedOpenOption.DIRECT)) {
      FileSegment.readFully(file, medium, view, offsetBytes);
    } catch (UnsupportedOperationException e) {
      return refused(e);
    } catch (IOException e) {
      if (isRefusal(e)) {
        return refused(e);
      }
      throw e;
    }
    target.position(view.position());
    return true;
  }

  /** EINVAL, or what the JDK says of offsets that do not fit the file system's blocks. */
  private static boolean isRefusal(IOException e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("Invalid argument") || message.contains("multiple of the block size");
  }

  private boolean refused(Exception why) {
    unsupported = true;
    LOG.info("{} is read through the page cache alone: {}", file, why.toString());
    return false;
  }
}
