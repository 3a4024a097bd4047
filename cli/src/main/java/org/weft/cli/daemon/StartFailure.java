package org.weft.cli.daemon;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import org.weft.cli.output.CommandFailure;
import org.weft.cli.output.FailureText;
import org.weft.cli.output.PrintableText;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Why a daemon did not start, where the machine is the cause. Examples are a full or read-only
 * disk, too few file descriptors, or a directory without permission. The failure may lie below
 * others that say less, since libraries wrap the kernel's message.
 */
public final class StartFailure {
  /** What a daemon needs without clients. */
  public static final int DAEMON_DESCRIPTORS = 256;

  private static final String MORE_DESCRIPTORS =
      "; raise the limit (`ulimit -n 65536`, for systemd LimitNOFILE=65536) and start again";

  private StartFailure() {}

  /**
   * The same failure in a sentence with what to do; itself if the machine is not at fault.
   *
   * @param data the data directory of what was started
   */
  public static Exception explained(Exception failure, Path data) {
    boolean saysIt = failure instanceof WeftException rpc && rpc.code() == ErrorCode.NO_SPACE;
    return saysIt ? failure : sentence(failure, data).orElse(failure);
  }

  private static Optional<Exception> sentence(Exception failure, Path data) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Throwable> left = new ArrayDeque<>();
    left.add(failure);
    Optional<Exception> local = Optional.empty();
    while (!left.isEmpty()) {
      Throwable each = left.remove();
      if (!seen.add(each)) {
        continue;
      }
      Optional<Exception> known = known(each, failure, data);
      if (known.isPresent()) {
        return known;
      }
      if (local.isEmpty() && each instanceof FileSystemException file) {
        local = Optional.of(ofFile(file, failure, data));
      }
      if (each.getCause() != null) {
        left.add(each.getCause());
      }
      for (Throwable beside : each.getSuppressed()) {
        left.add(beside);
      }
    }
    return local;
  }

  private static Optional<Exception> known(Throwable each, Exception failure, Path data) {
    String text = String.valueOf(each.getMessage());
    if (text.contains("No space left on device") || text.contains("Disk quota exceeded")) {
      return Optional.of(
          new WeftException(
              ErrorCode.NO_SPACE,
              "the disk under "
                  + data
                  + " is full ("
                  + own(each)
                  + "); make room there, or name another data directory, and start again",
              failure));
    }
    if (text.contains("Read-only file system")) {
      return Optional.of(
          new WeftException(
              ErrorCode.PERMISSION_DENIED,
              "the disk under "
                  + data
                  + " is mounted read-only ("
                  + own(each)
                  + "); mount it for writing (after an error of the disk the kernel log says why),"
                  + " or name another data directory, and start again",
              failure));
    }
    if (text.contains("Too many open files")) {
      return Optional.of(
          new CommandFailure(
              "the process may open no more files (" + own(each) + ")" + MORE_DESCRIPTORS,
              failure));
    }
    return Optional.empty();
  }

  /** Its own message, without advice for clients. */
  private static String own(Throwable failure) {
    return PrintableText.of(failure.getMessage());
  }

  private static Exception ofFile(FileSystemException file, Exception failure, Path data) {
    String text =
        "%s; mend that, or name another data directory than %s, and start again"
            .formatted(FailureText.of(file), data);
    return file instanceof AccessDeniedException
        ? new WeftException(ErrorCode.PERMISSION_DENIED, text, failure)
        : new CommandFailure(text, failure);
  }

  /**
   * Refuses a start that would fail later, at a place that cannot be foreseen.
   *
   * @param least file descriptors that are needed
   */
  public static void requireDescriptors(int least) {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
        && system.getMaxFileDescriptorCount() < least) {
      throw new CommandFailure(
          "the process may have "
              + system.getMaxFileDescriptorCount()
              + " files open, and needs "
              + least
              + " at least"
              + MORE_DESCRIPTORS);
    }
  }
}
