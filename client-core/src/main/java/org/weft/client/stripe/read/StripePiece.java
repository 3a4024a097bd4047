package org.weft.client.stripe.read;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.OwnLimits;

/** The part of a read that lies in one stripe, and what has failed on the way to it. */
final class StripePiece {
  private static final int MAX_BAD_CHECKSUMS = 3;

  private final Layout layout;
  private final long stripe;
  private final int fromBytes;
  private final ReadTarget target;
  private final int targetIndex;
  private final int lengthBytes;
  private final SortedMap<Integer, WeftException> failed = new TreeMap<>();
  private int badChecksums;
  private boolean grown;

  /**
   * A part of a read.
   *
   * @param fromBytes where it starts in the stripe
   * @param targetIndex where its bytes go in the target
   */
  StripePiece(
      Layout layout,
      long stripe,
      int fromBytes,
      ReadTarget target,
      int targetIndex,
      int lengthBytes) {
    this.layout = layout;
    this.stripe = stripe;
    this.fromBytes = fromBytes;
    this.target = target;
    this.targetIndex = targetIndex;
    this.lengthBytes = lengthBytes;
  }

  long stripe() {
    return stripe;
  }

  int firstUnit() {
    return fromBytes / layout.unitBytes();
  }

  int lastUnit() {
    return (toBytes() - 1) / layout.unitBytes();
  }

  private int toBytes() {
    return fromBytes + lengthBytes;
  }

  /** Where the part of d_i that is wanted starts, inside the unit. */
  int startIn(int unit) {
    return Math.max(0, fromBytes - unit * layout.unitBytes());
  }

  /** Where it ends. */
  int endIn(int unit) {
    return Math.min(layout.unitBytes(), toBytes() - unit * layout.unitBytes());
  }

  int wantedBytes(int unit) {
    return endIn(unit) - startIn(unit);
  }

  /** The place of the wanted part of d_i in the target. */
  ByteBuffer targetOf(int unit) {
    return target.memory(indexOf(unit), wantedBytes(unit));
  }

  private int indexOf(int unit) {
    return targetIndex + unit * layout.unitBytes() + startIn(unit) - fromBytes;
  }

  /** True if the target takes bytes as they came. */
  boolean keepsArrived() {
    return target.keepsArrived();
  }

  /** The target takes over the wanted part of d_i. */
  void keep(int unit, ArrivedBytes bytes) {
    target.keep(indexOf(unit), bytes);
  }

  /** That component could not give its unit of this stripe. */
  void fail(int component, WeftException cause) {
    failed.put(component, cause);
    if (cause.code() == ErrorCode.BAD_CHECKSUM) {
      badChecksums++;
    }
  }

  boolean hasFailed(int component) {
    return failed.containsKey(component);
  }

  /** Why components have failed, by index. */
  SortedMap<Integer, WeftException> failures() {
    return failed;
  }

  /** Forgets failures that may pass; false if there were none. */
  boolean forgivePassing() {
    return failed.values().removeIf(this::mayPass);
  }

  /** Forgets what came from this process's own limits; gives one of those, if there were any. */
  Optional<WeftException> forgiveOwnLimits() {
    Optional<WeftException> own = failed.values().stream().filter(OwnLimits::caused).findFirst();
    failed.values().removeIf(OwnLimits::caused);
    return own;
  }

  private boolean mayPass(WeftException cause) {
    return switch (cause.code()) {
      case BAD_CHECKSUM -> badChecksums < MAX_BAD_CHECKSUMS;
      // Growing makes all components of the group, one after the other (P 4.2).
      case NO_SUCH_OBJECT -> grown;
      // The manager compares the OSD now, which serves readers again after that (P 5.8).
      case QUARANTINED -> true;
      default -> cause.code().mayPass();
    };
  }

  /** That the right to read has ended, if a component has said so. */
  Optional<WeftException> endOfGrant() {
    return failed.values().stream().filter(cause -> cause.code().isEndOfRight()).findFirst();
  }

  /** The file is not small any more, whatever its published length says (P 4.2). */
  void markGrown() {
    grown = true;
  }

  boolean hasGrown() {
    return grown;
  }
}
