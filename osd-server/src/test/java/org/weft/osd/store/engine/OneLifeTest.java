package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.weft.osd.store.engine.recovery.CacheLife;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.osd.store.format.StoreHeader;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.KeyValueStore;

/** Which starts of a store may say that the start before has ended (P 5.10). */
class OneLifeTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final String ORIGINAL = new CacheLife("boot", "mount", "folder 1").toString();
  private static final String COPY = new CacheLife("boot", "mount", "folder 2").toString();
  private static final int MAX_OPERATIONS = 10_000;

  private static void open(Rig rig, String life) throws WeftException {
    rig.store =
        OsdfsStore.open(rig.options, rig.tables, rig.segments, rig.time, rig.random, () -> life);
  }

  private static void join(Rig rig) throws WeftException {
    rig.store.join(CLUSTER, new OsdId(4));
  }

  private static boolean tookOver(Rig rig) {
    return rig.store.identity().history().tookOver();
  }

  /** Its last start was let in, and was killed. */
  private static Rig killed() throws WeftException {
    Rig rig = Rig.small();
    rig.stop();
    open(rig, ORIGINAL);
    join(rig);
    rig.kill();
    return rig;
  }

  @Test
  void aStartAfterAKillTakesOverAtOnce() throws WeftException {
    Rig rig = killed();
    for (int starts = 0; starts < 3; starts++) {
      open(rig, ORIGINAL);
      assertTrue(tookOver(rig), "none of these starts was in another folder");
      rig.kill();
    }
  }

  @Test
  void restartsOfACopyDoNotMakeItTheOriginal() throws WeftException {
    Rig rig = killed();
    for (int starts = 0; starts < 3; starts++) {
      open(rig, COPY);
      assertFalse(tookOver(rig), "the last start that was let in may go on in the original");
      rig.kill();
    }
    open(rig, COPY);
    join(rig);
    rig.kill();
    open(rig, COPY);
    assertTrue(tookOver(rig), "the start that was let in last was in this folder");
  }

  @Test
  void aCopyWithAnInterruptedOpeningIsNotTheOriginal() throws WeftException {
    int deaths = 0;
    for (int death = 1; death < MAX_OPERATIONS; death++) {
      Rig rig = killed();
      rig.faults.losePowerAt(rig.faults.operations() + death);
      try {
        open(rig, COPY);
      } catch (WeftException e) {
        deaths++;
        rig.kill();
        open(rig, COPY);
        assertFalse(tookOver(rig), "died at operation " + death);
        continue;
      }
      break;
    }
    assertTrue(deaths > 5, "an opening takes " + deaths + " operations");
  }

  @Test
  void anAdmittedStartThatDiedBeforeNotingItCounts() throws WeftException {
    Rig rig = killed();
    open(rig, COPY);
    rig.kill();
    open(rig, ORIGINAL);
    assertFalse(tookOver(rig), "the start in the other folder may have been let in, and go on");
  }

  /** An older release notes in the header in which life the last start was, let in or not. */
  private static void leaveAsAnOlderRelease(Rig rig) throws Exception {
    StoreHeader header = HeaderCodec.decode(rig.tables.get(StoreKeys.header()));
    assertEquals(1, header.osd().stream().count());
    byte[] value = HeaderCodec.encode(header);
    value[55] &= ~8;
    assertFalse(HeaderCodec.decode(value).oneLife());
    rig.tables.write(new KeyValueStore.Batch().put(StoreKeys.header(), value), true);
  }

  @Test
  void aStoreOfAnOlderReleaseIsTakenOverWithoutWaiting() throws Exception {
    Rig rig = killed();
    leaveAsAnOlderRelease(rig);
    open(rig, ORIGINAL);
    assertTrue(tookOver(rig), "it knows of the one start that was let in");
    rig.kill();
    leaveAsAnOlderRelease(rig);
    open(rig, ORIGINAL);
    assertFalse(tookOver(rig), "nothing tells where the start that was let in was");
    join(rig);
    rig.kill();
    open(rig, ORIGINAL);
    assertTrue(tookOver(rig));
  }
}
