package org.weft.metadata;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.CheckStatusReply;

/**
 * The check of a volume that no manager serves (P 6.8d), by the data directory of its last manager.
 * It is {@link OfflineCheckCourse} with methods that block and may be called from any thread.
 *
 * <pre>
 *   try (OfflineCheck check = OfflineCheck.begin(wanted, environment)) {
 *     CheckStatusReply now = check.status(0, 100);   // until it does not run any more
 *   }
 * </pre>
 */
public final class OfflineCheck implements AutoCloseable {
  private static final int CALL_TIMEOUT_MILLIS = 60_000;

  /**
   * Which volume is checked, and how.
   *
   * @param dataDirectory of the manager that had the volume last, or of its backup
   * @param path of the volume, or of something in it
   * @param parity compare it with the data as well
   * @param limits of memory: they have to hold the journal's tail
   */
  public record Wanted(
      Path dataDirectory,
      List<Endpoint> sysmgrs,
      byte[] joinToken,
      String path,
      boolean parity,
      CacheLimits limits) {
    public Wanted {
      sysmgrs = List.copyOf(sysmgrs);
      joinToken = joinToken.clone();
    }

    @Override
    public byte[] joinToken() {
      return joinToken.clone();
    }
  }

  private final OfflineCheckCourse course;

  private OfflineCheck(OfflineCheckCourse course) {
    this.course = course;
  }

  /**
   * Locks the directory and begins the check.
   *
   * @throws WeftException UNAVAILABLE: the directory is in use; NOT_FOUND: no manager has used it;
   *     and what {@link OfflineCheckCourse#begin} fails with
   */
  public static OfflineCheck begin(Wanted wanted, Environment environment) throws IOException {
    OfflineCheck check =
        new OfflineCheck(
            OfflineCheckCourse.of(
                wanted, LookedAtFolders.open(wanted.dataDirectory()), environment));
    try {
      var unused = waitFor(check.course.begin(), Long.MAX_VALUE);
      return check;
    } catch (IOException | RuntimeException e) {
      try {
        check.close();
      } catch (IOException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  /** Where the volume stands. */
  public String mountPath() {
    return course.mountPath();
  }

  /** As {@link OfflineCheckCourse#status}. */
  public CheckStatusReply status(long afterFinding, int max) throws IOException {
    return waitFor(course.status(afterFinding, max), CALL_TIMEOUT_MILLIS);
  }

  private static <T> T waitFor(CompletableFuture<T> future, long timeoutMillis) throws IOException {
    try {
      return future.get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : WeftException.of(e);
    } catch (TimeoutException e) {
      throw new WeftException(ErrorCode.DEADLINE_EXCEEDED, "the check does not go on", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WeftException(ErrorCode.CANCELLED, "the check was interrupted", e);
    }
  }

  /** Ends the check, and gives the directory back as it was. */
  @Override
  public void close() throws IOException {
    try {
      waitFor(course.close(), CALL_TIMEOUT_MILLIS);
    } finally {
      course.release();
    }
  }
}
