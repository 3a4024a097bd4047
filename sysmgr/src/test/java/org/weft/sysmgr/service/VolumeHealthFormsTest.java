package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;
import org.weft.protocol.wire.BackupState;
import org.weft.protocol.wire.VolumeHealth;

/** What a manager says of a volume is what SysMgr answers when it is asked. */
class VolumeHealthFormsTest {
  private static final VolumeHealth SAID =
      VolumeHealth.newBuilder()
          .setVolumeId(7)
          .setEpoch(3)
          .setState("serving")
          .setSessions(11)
          .setWriteGrants(12)
          .setJournalRecords(13)
          .setJournalBytes(14)
          .setFiles(15)
          .setLaggingCopies(16)
          .setUnresolvedFiles(17)
          .setRepairComponents(18)
          .setRepairFiles(19)
          .setBackupId(2)
          .setBackupState(BackupState.BACKUP_IN_STEP)
          .addSoftQuota("a tree is large")
          .setFileBytes(20)
          .setUnsettledGrants(21)
          .build();

  private static VolumeHealth answered(VolumeHealth said) {
    return WireForms.health(HeartbeatHandler.volume(said));
  }

  @Test
  void nothingOfItIsLostOnTheWay() {
    assertEquals(SAID, answered(SAID));
    VolumeHealth none = SAID.toBuilder().setUnsettledGrants(0).build();
    assertEquals(none, answered(none), "none is not the same as unknown");
  }

  @Test
  void whatAManagerOfAnEarlierReleaseDoesNotSayStaysUnknown() {
    VolumeHealth older = SAID.toBuilder().clearUnsettledGrants().clearFileBytes().build();
    assertFalse(answered(older).hasUnsettledGrants());
    assertEquals(older, answered(older));
  }
}
