package org.weft.nfs.nlm;

/** Procedures of version 4, by their numbers: RFC 1813 section 6.2. */
public enum NlmProcedure {
  NULL(0),
  TEST(1),
  LOCK(2),
  CANCEL(3),
  UNLOCK(4),
  GRANTED(5),
  TEST_MSG(6),
  LOCK_MSG(7),
  CANCEL_MSG(8),
  UNLOCK_MSG(9),
  GRANTED_MSG(10),
  TEST_RES(11),
  LOCK_RES(12),
  CANCEL_RES(13),
  UNLOCK_RES(14),
  GRANTED_RES(15),
  SHARE(20),
  UNSHARE(21),
  NM_LOCK(22),
  FREE_ALL(23);

  public static final int PROGRAM = 100_021;
  public static final int VERSION = 4;

  private final int number;

  NlmProcedure(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }

  /**
   * The procedure that brings the result of an asynchronous one.
   *
   * @throws IllegalArgumentException of any other
   */
  public NlmProcedure result() {
    return switch (this) {
      case TEST_MSG -> TEST_RES;
      case LOCK_MSG -> LOCK_RES;
      case CANCEL_MSG -> CANCEL_RES;
      case UNLOCK_MSG -> UNLOCK_RES;
      case GRANTED_MSG -> GRANTED_RES;
      default -> throw new IllegalArgumentException(this + " has its result in its reply");
    };
  }
}
