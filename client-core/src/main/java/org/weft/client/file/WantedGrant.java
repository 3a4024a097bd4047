package org.weft.client.file;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.weft.client.volume.ControlListener;
import org.weft.client.volume.GrantCalls;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;

/**
 * Hears that the manager wants the write grant of one open file back (P 6.5). A file that is closed
 * soon after it was opened does not listen at all: a connection would be opened for it.
 * Thread-safe; never blocks.
 */
final class WantedGrant {
  /** A file that is open for longer may be waited for. */
  private static final long SILENT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final GrantCalls calls;
  private final long objectId;
  private final ControlWatch watch;

  WantedGrant(GrantCalls calls, long objectId) {
    this.calls = calls;
    this.objectId = objectId;
    this.watch = new ControlWatch(calls);
  }

  /** Monotonic. */
  long nowNanos() {
    return calls.nowNanos();
  }

  /**
   * Listens, from a while after now on.
   *
   * @param number of the grant that is held at that moment
   * @param wanted hears whether it is for a repair alone
   */
  void listen(LongSupplier number, Consumer<Boolean> wanted) {
    ControlListener listener =
        new ControlListener() {
          @Override
          public void recalled(long grant, ByteRange range) {
            // Only a shared file owns ranges, and it listens for itself.
          }

          @Override
          public void grantWanted(long grant, boolean forRepair) {
            if (grant == number.getAsLong()) {
              wanted.accept(forRepair);
            }
          }
        };
    calls.later(SILENT_NANOS, () -> watch.begin(objectId, listener));
  }

  /** The file is closed or given up. */
  void end() {
    watch.end();
  }

  /** A file that is no more when it is asked for again was taken from its writer. */
  static WeftException removed(String path, Throwable thrown) {
    WeftException cause = WeftException.of(thrown);
    return cause.code() == ErrorCode.NOT_FOUND
        ? new WeftException(
            ErrorCode.GRANT_REVOKED,
            path + ": the file was removed while its write grant was given back to others",
            cause)
        : cause;
  }
}
