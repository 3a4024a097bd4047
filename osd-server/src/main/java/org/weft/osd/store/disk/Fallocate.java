package org.weft.osd.store.disk;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.system.Preallocation;

/**
 * Linux's {@code fallocate}: the file system notes that the space is the file's, and that nothing
 * is written there yet. Writing zeros takes the disk's time and the processor's, as much as the
 * bytes that come later.
 *
 * <p>A caller that syncs each write should rather have zeros. The first sync of a block that was
 * never written also has to wait for the file system's journal.
 */
public final class Fallocate implements Preallocation {
  private static final Logger LOG = LoggerFactory.getLogger(Fallocate.class);

  private static final int WRITE_ONLY_CLOSED_ON_EXEC = 1 | 0_2000000;
  private static final int INTERRUPTED = 4;

  /** ENODEV, EINVAL, ENOSYS, EOPNOTSUPP: not on such a file, or not here. */
  private static final Set<Integer> CANNOT = Set.of(19, 22, 38, 95);

  /** Of the C library; sizes are those of 64-bit systems. */
  private interface Calls extends Library {
    int open(String path, int flags) throws LastErrorException;

    int fallocate(int descriptor, int mode, long offset, long length) throws LastErrorException;

    int close(int descriptor) throws LastErrorException;
  }

  /** Looked for when a segment grows for the first time: a store that starts need not wait. */
  private static final class OfSystem {
    private static final Optional<Calls> CALLS = find();

    private static Optional<Calls> find() {
      if (!Platform.isLinux() || !Platform.is64Bit()) {
        return Optional.empty();
      }
      try {
        // Some C libraries have none.
        NativeLibrary.getInstance("c").getFunction("fallocate");
        return Optional.of(Native.load("c", Calls.class));
      } catch (LinkageError e) {
        LOG.info("fallocate cannot be called, segments grow by writing zeros: {}", e.toString());
        return Optional.empty();
      }
    }
  }

  @Override
  public boolean allocate(Path file, long fromBytes, long toBytes) throws IOException {
    if (OfSystem.CALLS.isEmpty()) {
      return false;
    }
    Calls calls = OfSystem.CALLS.get();
    int descriptor;
    try {
      descriptor = calls.open(file.toString(), WRITE_ONLY_CLOSED_ON_EXEC);
    } catch (LastErrorException e) {
      // Its name may be one that the C library spells in another way.
      LOG.debug("{} cannot be opened by name: {}", file, e.getMessage());
      return false;
    }
    try {
      return allocate(calls, file, descriptor, fromBytes, toBytes - fromBytes);
    } finally {
      close(calls, file, descriptor);
    }
  }

  private static boolean allocate(
      Calls calls, Path file, int descriptor, long offsetBytes, long lengthBytes)
      throws IOException {
    while (true) {
      try {
        calls.fallocate(descriptor, 0, offsetBytes, lengthBytes);
        return true;
      } catch (LastErrorException e) {
        if (CANNOT.contains(e.getErrorCode())) {
          LOG.debug("{} cannot be given space without writing: {}", file, e.getMessage());
          return false;
        }
        if (e.getErrorCode() != INTERRUPTED) {
          throw new IOException(file + ": " + e.getMessage(), e);
        }
      }
    }
  }

  private static void close(Calls calls, Path file, int descriptor) {
    try {
      calls.close(descriptor);
    } catch (LastErrorException e) {
      LOG.warn("{}: a descriptor was not closed: {}", file, e.getMessage());
    }
  }
}
