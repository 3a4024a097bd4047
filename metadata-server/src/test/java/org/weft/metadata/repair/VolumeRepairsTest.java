package org.weft.metadata.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/** When files that cannot be rebuilt have their turn again. */
class VolumeRepairsTest {
  private static final ObjectId FILE = new ObjectId(70_000);

  private final ScriptedVolume volume = new ScriptedVolume();
  private long nowNanos;
  private final VolumeRepairs repairs = new VolumeRepairs(volume, 4, () -> nowNanos, Runnable::run);

  private void lookAfterMillis(long millis) {
    nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
    repairs.look();
  }

  @Test
  void onlyATableWithOtherOsdsIsAReasonToTryAtOnce() {
    volume.missing.add(FILE);
    volume.up.put(new OsdId(1), 7L);
    repairs.clusterChanged();
    lookAfterMillis(0);
    lookAfterMillis(1_000);
    assertEquals(2, volume.tried.size());
    repairs.clusterChanged();
    lookAfterMillis(500);
    assertEquals(2, volume.tried.size(), "the table says the same as before");
    volume.up.put(new OsdId(2), 7L);
    repairs.clusterChanged();
    lookAfterMillis(500);
    assertEquals(3, volume.tried.size(), "another OSD may take it");
    volume.up.put(new OsdId(2), 8L);
    repairs.clusterChanged();
    lookAfterMillis(500);
    assertEquals(4, volume.tried.size(), "that OSD has started again");
    assertEquals(1, repairs.progress().failed());
    assertEquals(List.of("no OSD takes it"), repairs.progress().words());
  }

  @Test
  void otherwiseItHasItsTurnAfterAPause() {
    volume.missing.add(FILE);
    repairs.clusterChanged();
    lookAfterMillis(0);
    repairs.clusterChanged();
    lookAfterMillis(999);
    assertEquals(1, volume.tried.size());
    lookAfterMillis(500);
    assertEquals(2, volume.tried.size());
  }
}
