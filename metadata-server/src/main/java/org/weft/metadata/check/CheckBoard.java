package org.weft.metadata.check;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CheckFinding;
import org.weft.protocol.wire.CheckState;
import org.weft.protocol.wire.CheckStatusReply;

/**
 * The check of a volume that is under way, or the last one. It is not durable: a manager that
 * starts knows of none, and a command that waits for a check begins it again. On the volume's
 * thread.
 */
public final class CheckBoard implements CheckDesk {
  private static final int MAX_FINDINGS = 1_000;

  private final CheckedVolume volume;
  private final LongSupplier clockNanos;
  private final Executor home;
  private long lastId;
  private VolumeCheck check;
  private boolean closed;

  /**
   * @param firstId ids of checks are larger, and those of another manager's are not
   * @param clockNanos a monotonic clock
   * @param home the volume's thread
   */
  public CheckBoard(CheckedVolume volume, long firstId, LongSupplier clockNanos, Executor home) {
    this.volume = volume;
    this.lastId = firstId;
    this.clockNanos = clockNanos;
    this.home = home;
  }

  /** To be called now and then, while the volume is served. */
  public void look() {
    if (check != null && !closed) {
      check.look();
    }
  }

  @Override
  public CheckStatusReply start(boolean parity) throws WeftException {
    if (closed) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE, "the volume is being closed, and cannot be checked; try again");
    }
    if (check != null && check.isRunning()) {
      if (parity && !check.parity()) {
        throw new WeftException(
            ErrorCode.BUSY,
            "a check of the volume without parity is under way; wait for it, or cancel it with weft"
                + " volume check --cancel");
      }
      return status(0, Long.MAX_VALUE, 0);
    }
    lastId++;
    check = new VolumeCheck(lastId, parity, volume, clockNanos, home);
    return status(0, Long.MAX_VALUE, 0);
  }

  @Override
  public CheckStatusReply status(long id, long afterFinding, int max) {
    if (check == null || id != 0 && id != check.id()) {
      return CheckStatusReply.getDefaultInstance();
    }
    FindingList found = check.findings();
    List<CheckFinding> some = found.after(afterFinding, Math.max(0, Math.min(MAX_FINDINGS, max)));
    return CheckStatusReply.newBuilder()
        .setCheckId(check.id())
        .setParity(check.parity())
        .setState(check.state())
        .setDoing(check.doing())
        .setElapsedMillis(TimeUnit.NANOSECONDS.toMillis(check.elapsedNanos()))
        .setObjects(check.progress().objects)
        .setExpectedObjects(volume.expectedObjects())
        .setNames(check.progress().names)
        .setStripes(check.progress().stripes)
        .setWritten(check.progress().written)
        .setFindings(found.found())
        .addAllFinding(some)
        .setMore(afterFinding < Long.MAX_VALUE && found.hasMore(afterFinding + some.size()))
        .addAllUnchecked(found.unchecked())
        .setUncheckedInAll(found.left())
        .build();
  }

  @Override
  public CheckStatusReply cancel(long id) {
    if (check != null && (id == 0 || id == check.id())) {
      check.end(CheckState.CHECK_CANCELLED, "it was cancelled");
    }
    return status(id, Long.MAX_VALUE, 0);
  }

  /** Looks at nothing any more. */
  public void close() {
    closed = true;
    if (check != null) {
      check.end(CheckState.CHECK_CANCELLED, "the volume is not served here any more");
    }
  }
}
