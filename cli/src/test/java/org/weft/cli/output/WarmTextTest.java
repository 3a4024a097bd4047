package org.weft.cli.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.WarmCopyState;

/** What operators are told of a backup's memory. */
class WarmTextTest {
  private static VolumeHealth health(WarmCopyState.Phase phase, String reason) {
    return VolumeHealth.newBuilder()
        .setBackupId(2)
        .setWarm(
            WarmCopyState.newBuilder()
                .setPhase(phase)
                .setAppliedLsn(Lsn.of(7, 1_234).value())
                .setRecordsBehind(3)
                .setRedoRecords(5_600)
                .setReason(reason))
        .build();
  }

  @Test
  void aWarmBackupSaysHowFarItIs() {
    assertEquals(
        "warm, 3 records behind, at 7:1234; 5,600 records for redo",
        WarmText.of(health(WarmCopyState.Phase.WARM, "")));
    assertEquals("filling, 3 records behind", WarmText.of(health(WarmCopyState.Phase.FILLING, "")));
  }

  @Test
  void aColdBackupSaysWhy() {
    assertEquals(
        "cold: a record is missing",
        WarmText.of(health(WarmCopyState.Phase.COLD, "a record is missing")));
  }

  @Test
  void aBackupOfAnOlderReleaseIsUnknown() {
    VolumeHealth older = VolumeHealth.newBuilder().setBackupId(2).build();
    assertEquals("warm: unknown", WarmText.of(older));
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    WarmText.into(json, older);
    assertEquals("unknown", json.path("state").asText());
  }
}
