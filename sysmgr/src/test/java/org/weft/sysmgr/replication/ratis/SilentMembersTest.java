package org.weft.sysmgr.replication.ratis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.weft.sysmgr.replication.ratis.SilentMembers.Sight;
import org.weft.sysmgr.replication.ratis.SilentMembers.Standing;

/** P 6.2a: connections to other members that lead nowhere are given up. */
class SilentMembersTest {
  private static final long LOOK_MILLIS = 500;

  private final SilentMembers silent = new SilentMembers();
  private final List<String> givenUp = new ArrayList<>();
  private long nowMillis = 1_000;

  /** Looks for so long; the times of what was given up are counted from the beginning of this. */
  private void look(long lengthMillis, Standing standing, Map<Integer, Long> silentMillis) {
    long endMillis = nowMillis + lengthMillis;
    long beginMillis = nowMillis;
    givenUp.clear();
    for (; nowMillis < endMillis; nowMillis += LOOK_MILLIS) {
      for (int member : silent.toGiveUp(nowMillis, new Sight(standing, silentMillis))) {
        givenUp.add(member + " at " + (nowMillis - beginMillis));
      }
    }
  }

  @Test
  void aFollowerOfALeaderGivesNothingUp() {
    look(20_000, Standing.FOLLOWS, Map.of(1, 0L, 2, 9_000L));
    assertEquals(List.of(), givenUp);
  }

  @Test
  void aMemberWithoutLeaderGivesAllUpEveryThreeSeconds() {
    look(5_000, Standing.FOLLOWS, Map.of(1, 0L, 2, 0L));
    look(7_000, Standing.WITHOUT_LEADER, Map.of(1, 0L, 2, 0L));
    assertEquals(List.of("1 at 3000", "2 at 3000", "1 at 6000", "2 at 6000"), givenUp);
  }

  @Test
  void aLeaderGivesUpTheSilentOneAlone() {
    look(3_000, Standing.LEADS, Map.of(2, 0L, 3, 0L));
    look(7_000, Standing.LEADS, Map.of(2, 700L, 3, 3_000L));
    assertEquals(List.of("3 at 0", "3 at 3000", "3 at 6000"), givenUp);
  }

  @Test
  void silenceBeforeItLedDoesNotCount() {
    look(5_000, Standing.FOLLOWS, Map.of(2, 0L));
    look(3_000, Standing.LEADS, Map.of(2, 3_500L));
    assertEquals(List.of(), givenUp);
  }

  @Test
  void aMemberThatSleptHearsTheOthersFirst() {
    look(5_000, Standing.LEADS, Map.of(2, 0L));
    nowMillis += 10_000;
    look(3_000, Standing.LEADS, Map.of(2, 10_000L));
    assertEquals(List.of(), givenUp);
  }

  @Test
  void aMemberThatIsHeardAgainIsKept() {
    look(4_000, Standing.WITHOUT_LEADER, Map.of(2, 0L));
    look(10_000, Standing.LEADS, Map.of(2, 300L));
    assertEquals(List.of(), givenUp);
  }
}
