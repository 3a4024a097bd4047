package org.weft.protocol.error;

import java.util.HashMap;
import java.util.Map;

/** What can go wrong, as a number on the wire. Numbers are never reused. */
public enum ErrorCode {
  // The call itself.
  INTERNAL(1),
  UNSUPPORTED(2),
  MALFORMED(3),
  INVALID_ARGUMENT(4),
  DEADLINE_EXCEEDED(5),
  CANCELLED(6),
  UNAVAILABLE(7),
  CONNECTION_LOST(8),
  OVERLOADED(9),
  WRONG_CLUSTER(10),
  VERSION_MISMATCH(11),
  NOT_LEADER(12),
  UNAUTHENTICATED(13),
  // Objects.
  CAPABILITY_INVALID(20),
  CAPABILITY_EXPIRED(21),
  FENCED(22),
  NO_SUCH_PARTITION(23),
  NO_SUCH_OBJECT(24),
  NO_SPACE(25),
  BUSY(26),
  BAD_CHECKSUM(27),
  BAD_MEDIA(28),
  QUARANTINED(29),
  TOMBSTONE(30),
  WRITE_ABORTED(31),
  STORE_FAILED(32),
  // Files.
  NOT_FOUND(40),
  EXISTS(41),
  NOT_DIRECTORY(42),
  IS_DIRECTORY(43),
  NOT_EMPTY(44),
  PERMISSION_DENIED(45),
  NAME_INVALID(46),
  CROSS_VOLUME(47),
  BEING_WRITTEN(48),
  SESSION_EXPIRED(49),
  GRANT_REVOKED(50),
  NOT_SERVING(51),
  TOO_MANY_LOST(52),
  LOOP(53),
  HANDLE_INVALID(54),
  /** Which file a name leads to only OSDs may know that do not answer now: ask again (P 5.8). */
  OSDS_SILENT(55),
  // Files by their numbers.
  /** The number was of a node that is gone, or of none. */
  STALE(60),
  /** Only the owner or the superuser may do it. */
  NOT_OWNER(61),
  /** The node changed since the time that the caller states. */
  GUARD_FAILED(62),
  TOO_MANY_LINKS(63),
  // Byte-range locks.
  LOCKED(70),
  DEADLOCK(71),

  /** A quota has no room for it. */
  QUOTA_EXCEEDED(150);

  private static final Map<Integer, ErrorCode> BY_NUMBER = byNumber();

  private final int number;

  ErrorCode(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }

  /** The code of that number; INTERNAL for a number that this release does not know. */
  public static ErrorCode of(int number) {
    return BY_NUMBER.getOrDefault(number, INTERNAL);
  }

  /**
   * The OSD says that what it holds of the component, or all that it holds, cannot be relied on: a
   * block is damaged, or its whole store has failed.
   */
  public boolean isOfMedium() {
    return this == BAD_MEDIA || this == STORE_FAILED;
  }

  /** A block of the component is damaged on its disk; other blocks of it may be sound. */
  public boolean isOfBlock() {
    return this == BAD_CHECKSUM || this == BAD_MEDIA;
  }

  /**
   * The same request to the same server may succeed a moment later: it was not reached, did not
   * answer in time, or had no room for it; or no member led.
   */
  public boolean mayPass() {
    return isUnanswered() || this == OVERLOADED || this == BUSY || this == NOT_LEADER;
  }

  /**
   * The server refuses the process itself, or does not understand it: no retry helps before a
   * person has changed a setting or a release.
   */
  public boolean isLasting() {
    return switch (this) {
      case WRONG_CLUSTER,
          VERSION_MISMATCH,
          UNAUTHENTICATED,
          UNSUPPORTED,
          INVALID_ARGUMENT,
          MALFORMED ->
          true;
      default -> false;
    };
  }

  /** The server was not reached, or its answer was not: this says nothing of what was asked for. */
  public boolean isUnanswered() {
    return switch (this) {
      case UNAVAILABLE, CONNECTION_LOST, DEADLINE_EXCEEDED -> true;
      default -> false;
    };
  }

  /**
   * The request was surely not taken up: it may be sent again, elsewhere or later, also under
   * another number.
   */
  public boolean isNotTaken() {
    return switch (this) {
      case UNAVAILABLE, NOT_SERVING, OVERLOADED -> true;
      default -> false;
    };
  }

  /** The right that the request states has ended, or was never given: it takes another grant. */
  public boolean isEndOfRight() {
    return switch (this) {
      case FENCED, CAPABILITY_EXPIRED, CAPABILITY_INVALID -> true;
      default -> false;
    };
  }

  private static Map<Integer, ErrorCode> byNumber() {
    Map<Integer, ErrorCode> map = new HashMap<>();
    for (ErrorCode code : values()) {
      map.put(code.number, code);
    }
    return Map.copyOf(map);
  }
}
