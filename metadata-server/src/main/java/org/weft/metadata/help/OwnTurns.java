package org.weft.metadata.help;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.weft.protocol.id.ObjectId;

/**
 * How many components of a volume its primary copies itself at a time (P 6.8). A turn is kept for a
 * file from before its component is begun. So it is known then whether a worker will have to do it.
 * Confined to the volume's thread.
 */
final class OwnTurns {
  private final int most;

  /** Files with a turn of which nothing is copied yet; false once nothing comes of it. */
  private final Map<ObjectId, BooleanSupplier> kept = new HashMap<>();

  private int taken;

  OwnTurns(int most) {
    this.most = most;
  }

  /** Components that are being copied. */
  int taken() {
    return taken;
  }

  /**
   * Keeps a turn until it is taken, or nothing comes of what is begun; false if none is left.
   *
   * @param isComing false once nothing comes of it
   */
  boolean keep(ObjectId file, BooleanSupplier isComing) {
    kept.remove(file);
    if (!isFree()) {
      return false;
    }
    kept.put(file, isComing);
    return true;
  }

  /** Takes the turn that was kept for the file, or one that is free; false if there is none. */
  boolean take(ObjectId file) {
    if (kept.remove(file) == null && !isFree()) {
      return false;
    }
    taken++;
    return true;
  }

  /** A turn that was taken is over. */
  void end() {
    taken--;
  }

  /** True if there is one that is kept for none. */
  boolean isFree() {
    kept.values().removeIf(isComing -> !isComing.getAsBoolean());
    return taken + kept.size() < most;
  }
}
