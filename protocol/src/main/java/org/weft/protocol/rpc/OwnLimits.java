package org.weft.protocol.rpc;

import java.util.List;
import java.util.Locale;
import org.weft.protocol.error.WeftException;

/**
 * Tells whether a failure comes from the limits of this process: memory, threads or file
 * descriptors. It then says nothing of the other side: a peer must not be reported, avoided or
 * counted as lost for it.
 */
public final class OwnLimits {
  /** What the system's own words contain. */
  private static final List<String> WORDS =
      List.of("too many open files", "cannot allocate memory", "no buffer space available");

  /** Longer chains of causes do not occur; a cycle would be endless. */
  private static final int MAX_CAUSES = 32;

  private OwnLimits() {}

  /** True if the failure, or a cause of it, is that this process has no more of something. */
  public static boolean caused(Throwable failure) {
    return cause(failure) != null;
  }

  private static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
      if (cause instanceof OutOfMemoryError || isShort(cause)) {
        return cause;
      }
      cause = cause.getCause();
    }
    return null;
  }

  private static boolean isShort(Throwable cause) {
    // What a peer says of itself comes as a WeftException, and is not meant.
    if (cause instanceof WeftException || cause.getMessage() == null) {
      return false;
    }
    String message = cause.getMessage().toLowerCase(Locale.ROOT);
    return WORDS.stream().anyMatch(message::contains);
  }

  /**
   * The failure as a part of a sentence, and what to raise.
   *
   * @throws IllegalArgumentException if it does not come from this process's limits
   */
  public static String inWords(Throwable failure) {
    Throwable cause = cause(failure);
    if (cause == null) {
      throw new IllegalArgumentException("not a limit of this process", failure);
    }
    String said = String.valueOf(cause.getMessage());
    String lower = said.toLowerCase(Locale.ROOT);
    String what;
    if (lower.contains("too many open files")) {
      what = "this process has as many files and connections open as it may (raise `ulimit -n`)";
    } else if (lower.contains("thread")) {
      what = "this process can start no more threads (raise `ulimit -u`)";
    } else if (lower.contains("direct")) {
      what = "this process has no direct memory left (raise -XX:MaxDirectMemorySize)";
    } else {
      what = "this process has no memory left";
    }
    return what + ": " + said;
  }
}
