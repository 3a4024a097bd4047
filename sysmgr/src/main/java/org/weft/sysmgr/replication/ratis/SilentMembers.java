package org.weft.sysmgr.replication.ratis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Decides which connections to other members are given up (P 6.2a). A connection that was cut and
 * stays open sends again later and later. So after the cut it is dead for up to as long again as
 * the cut was. A new one is open a moment after the network is whole.
 *
 * <p>No IO; not thread-safe. Times are milliseconds of a clock that never goes back.
 */
final class SilentMembers {
  /** So long nothing was heard before a connection is given up, and before its successor is. */
  static final long SILENCE_MILLIS = 3_000;

  /** A member that does not look for so long cannot say what was silent meanwhile. */
  private static final long MAX_BETWEEN_LOOKS_MILLIS = 1_500;

  /** What a member is to the others. */
  enum Standing {
    LEADS,
    FOLLOWS,
    /** It knows no leader: it asks for votes, or waits until it does. */
    WITHOUT_LEADER
  }

  /**
   * What a member sees.
   *
   * @param silentMillis the other members by number, and since when each has said nothing; counts
   *     only while this member leads
   */
  record Sight(Standing standing, Map<Integer, Long> silentMillis) {
    Sight {
      silentMillis = Map.copyOf(silentMillis);
    }
  }

  private final Map<Integer, Long> givenUpMillis = new HashMap<>();
  private Standing standing = Standing.FOLLOWS;
  private OptionalLong lookedMillis = OptionalLong.empty();
  private long sinceMillis;

  /** The members whose connections are given up now, by number. */
  List<Integer> toGiveUp(long nowMillis, Sight sight) {
    boolean slept =
        lookedMillis.isEmpty() || nowMillis - lookedMillis.getAsLong() > MAX_BETWEEN_LOOKS_MILLIS;
    if (slept || sight.standing() != standing) {
      sinceMillis = nowMillis;
    }
    lookedMillis = OptionalLong.of(nowMillis);
    standing = sight.standing();
    givenUpMillis.keySet().retainAll(sight.silentMillis().keySet());
    List<Integer> due = new ArrayList<>();
    if (standing == Standing.FOLLOWS || nowMillis - sinceMillis < SILENCE_MILLIS) {
      return due;
    }
    sight
        .silentMillis()
        .forEach(
            (member, silentMillis) -> {
              boolean silent =
                  standing == Standing.WITHOUT_LEADER || silentMillis >= SILENCE_MILLIS;
              if (silent && !isNew(member, nowMillis)) {
                givenUpMillis.put(member, nowMillis);
                due.add(member);
              }
            });
    due.sort(null);
    return due;
  }

  private boolean isNew(int member, long nowMillis) {
    Long last = givenUpMillis.get(member);
    return last != null && nowMillis - last < SILENCE_MILLIS;
  }
}
