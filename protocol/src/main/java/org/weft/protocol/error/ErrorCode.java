package org.weft.protocol.error;

import static org.weft.protocol.error.ErrorCategory.NEVER;
import static org.weft.protocol.error.ErrorCategory.NEW_GRANT;
import static org.weft.protocol.error.ErrorCategory.OTHER_REPLICA;
import static org.weft.protocol.error.ErrorCategory.SAME_REQUEST;

import java.util.HashMap;
import java.util.Map;

/**
 * The codes of failures, as numbers on the wire. Numbers are never reused.
 *
 * <p>Each code has a category. A question that names more than one code stands here: a test of the
 * architecture refuses lists of codes elsewhere.
 */
public enum ErrorCode {
  // The call itself.
  INTERNAL(1, NEVER),
  UNSUPPORTED(2, NEVER),
  MALFORMED(3, NEVER),
  INVALID_ARGUMENT(4, NEVER),
  DEADLINE_EXCEEDED(5, SAME_REQUEST),
  CANCELLED(6, NEVER),
  UNAVAILABLE(7, SAME_REQUEST),
  CONNECTION_LOST(8, SAME_REQUEST),
  OVERLOADED(9, SAME_REQUEST),
  WRONG_CLUSTER(10, NEVER),
  VERSION_MISMATCH(11, NEVER),
  NOT_LEADER(12, SAME_REQUEST),
  UNAUTHENTICATED(13, NEVER),
  // Objects.
  CAPABILITY_INVALID(20, NEW_GRANT),
  CAPABILITY_EXPIRED(21, NEW_GRANT),
  FENCED(22, NEW_GRANT),
  NO_SUCH_PARTITION(23, OTHER_REPLICA),
  NO_SUCH_OBJECT(24, OTHER_REPLICA),
  NO_SPACE(25, NEVER),
  BUSY(26, SAME_REQUEST),
  BAD_CHECKSUM(27, OTHER_REPLICA),
  BAD_MEDIA(28, OTHER_REPLICA),
  QUARANTINED(29, OTHER_REPLICA),
  TOMBSTONE(30, NEW_GRANT),
  WRITE_ABORTED(31, NEVER),
  STORE_FAILED(32, OTHER_REPLICA),
  // Files.
  NOT_FOUND(40, NEVER),
  EXISTS(41, NEVER),
  NOT_DIRECTORY(42, NEVER),
  IS_DIRECTORY(43, NEVER),
  NOT_EMPTY(44, NEVER),
  PERMISSION_DENIED(45, NEVER),
  NAME_INVALID(46, NEVER),
  CROSS_VOLUME(47, NEVER),
  BEING_WRITTEN(48, NEVER),
  SESSION_EXPIRED(49, NEVER),
  GRANT_REVOKED(50, NEW_GRANT),
  NOT_SERVING(51, OTHER_REPLICA),
  TOO_MANY_LOST(52, NEVER),
  LOOP(53, NEVER),
  HANDLE_INVALID(54, NEVER),
  /**
   * Which file a name leads to only OSDs may know that do not answer now: ask again once they do (P
   * 5.8).
   */
  OSDS_SILENT(55, NEVER),
  // Files by their numbers.
  /** The number was of a node that is gone, or of none. */
  STALE(60, NEVER),
  /** Only the owner or the superuser may do it. */
  NOT_OWNER(61, NEVER),
  /** The node changed since the time that the caller states. */
  GUARD_FAILED(62, NEVER),
  TOO_MANY_LINKS(63, NEVER),
  // Byte-range locks.
  LOCKED(70, NEVER),
  DEADLOCK(71, NEVER),

  /** A quota has no room for it. */
  QUOTA_EXCEEDED(150, NEVER);

  private static final Map<Integer, ErrorCode> BY_NUMBER = byNumber();

  private final int number;
  private final ErrorCategory category;

  ErrorCode(int number, ErrorCategory category) {
    this.number = number;
    this.category = category;
  }

  public int number() {
    return number;
  }

  /** The code of that number; INTERNAL for a number that this release does not know. */
  public static ErrorCode of(int number) {
    return BY_NUMBER.getOrDefault(number, INTERNAL);
  }

  /** What brings a caller further whose request failed so. */
  public ErrorCategory category() {
    return category;
  }

  /**
   * The same request to the same server may succeed a moment later. The server was not reached, did
   * not reply in time or had no room, or no member led.
   */
  public boolean mayPass() {
    return category == SAME_REQUEST;
  }

  /**
   * The server answers, and has nothing that can be used: it is damaged, not there, shut to clients
   * or not served. Another component, copy or manager may do.
   */
  public boolean isOfReplica() {
    return category == OTHER_REPLICA;
  }

  /** The right that the request states has ended, or was never given: it takes another grant. */
  public boolean isEndOfRight() {
    return category == NEW_GRANT;
  }

  // What became of the request.

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

  /**
   * The request may have been carried out, and its answer was lost: a change may be repeated under
   * its own number alone (P 6.4).
   */
  public boolean isInDoubt() {
    return switch (this) {
      case CONNECTION_LOST, DEADLINE_EXCEEDED, CANCELLED -> true;
      default -> false;
    };
  }

  /** The server has said nothing of what was asked for: it took nothing up, or is in doubt. */
  public boolean isNoAnswer() {
    return isNotTaken() || isInDoubt();
  }

  /**
   * Another member of the same group may answer: this one said nothing, does not lead, or met what
   * it did not expect.
   */
  public boolean mayAnotherAnswer() {
    return isNoAnswer() || this == NOT_LEADER || this == INTERNAL;
  }

  // What the server is, or is not.

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

  /** Another object would have met it as well: it says something of the OSD, not of the object. */
  public boolean isOfServer() {
    return switch (this) {
      case INTERNAL,
          UNSUPPORTED,
          DEADLINE_EXCEEDED,
          CANCELLED,
          UNAVAILABLE,
          CONNECTION_LOST,
          OVERLOADED,
          WRONG_CLUSTER,
          VERSION_MISMATCH,
          UNAUTHENTICATED,
          CAPABILITY_INVALID,
          CAPABILITY_EXPIRED,
          NO_SUCH_PARTITION,
          NO_SPACE,
          BAD_MEDIA,
          STORE_FAILED,
          QUARANTINED ->
          true;
      default -> false;
    };
  }

  /**
   * What the caller speaks of is not there any more, or another process has taken its place: SysMgr
   * knows better.
   */
  public boolean isSuperseded() {
    return this == FENCED || this == NOT_FOUND;
  }

  // What an OSD holds.

  /**
   * The OSD says that it cannot rely on what it holds of the component, or on anything that it
   * holds. A block is damaged, or its whole store has failed.
   */
  public boolean isOfMedium() {
    return this == BAD_MEDIA || this == STORE_FAILED;
  }

  /** A block of the component is damaged on its disk; other blocks of it may be sound. */
  public boolean isOfBlock() {
    return this == BAD_CHECKSUM || this == BAD_MEDIA;
  }

  /** The component answers, and what it holds there is of no use. */
  public boolean isDamage() {
    return isOfBlock() || isOfMedium();
  }

  /** The OSD has no such object. */
  public boolean isAbsent() {
    return this == NO_SUCH_OBJECT || this == NO_SUCH_PARTITION;
  }

  /**
   * The component has heard of a later grant than the request's, or was removed since. Where the
   * manager has gone on without the component, it cannot be made under the old grant.
   */
  public boolean isOvertaken() {
    return this == FENCED || this == TOMBSTONE;
  }

  /**
   * What the caller was told when it opened the file holds no more: its right has ended, or the
   * object is not there. Opening the file again shows what is there now.
   */
  public boolean isOutdated() {
    return isEndOfRight() || this == NO_SUCH_OBJECT;
  }

  // What the namespace holds.

  /** The path leads to nothing. */
  public boolean leadsNowhere() {
    return this == NOT_FOUND || this == NOT_DIRECTORY;
  }

  /** What is there under the names of the request forbids it, or nothing is. */
  public boolean isOfNames() {
    return leadsNowhere() || this == EXISTS || this == IS_DIRECTORY || this == NOT_EMPTY;
  }

  private static Map<Integer, ErrorCode> byNumber() {
    Map<Integer, ErrorCode> map = new HashMap<>();
    for (ErrorCode code : values()) {
      map.put(code.number, code);
    }
    return Map.copyOf(map);
  }
}
