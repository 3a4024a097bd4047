package org.weft.sysmgr.service.intake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.weft.protocol.wire.BackupState;
import org.weft.protocol.wire.RecoveryProgress;
import org.weft.protocol.wire.RepairState;
import org.weft.protocol.wire.VolumeHealth;

/** What a manager says of a volume is kept as it is, unless there is too much of it. */
class HealthLimitsTest {
  private static final VolumeHealth SAID =
      VolumeHealth.newBuilder()
          .setVolumeId(7)
          .setEpoch(3)
          .setState("serving")
          .setSessions(11)
          .setLaggingCopies(-1)
          .setBackupId(2)
          .setBackupState(BackupState.BACKUP_IN_STEP)
          .addSoftQuota("a tree is large")
          .setFileBytes(0)
          .setUnsettledGrants(21)
          .addClearedOsd(4)
          .addClearedDrain(1L << 63)
          .setRepair(RepairState.newBuilder().addLostOsd(2).addLostOsd(3))
          .build();

  @Test
  void aHealthReportWithinLimitsIsKeptWhole() {
    assertEquals(SAID, HealthLimits.within(SAID));
    VolumeHealth none = SAID.toBuilder().setUnsettledGrants(0).build();
    assertEquals(none, HealthLimits.within(none), "none is not the same as unknown");
  }

  @Test
  void fieldsThatAnOlderManagerOmitsStayUnknown() {
    VolumeHealth older = SAID.toBuilder().clearUnsettledGrants().clearFileBytes().build();
    assertFalse(HealthLimits.within(older).hasUnsettledGrants());
    assertEquals(older, HealthLimits.within(older));
  }

  @Test
  void anUnknownStateOfTheBackupKeepsItsNumber() {
    VolumeHealth newer = SAID.toBuilder().setBackupStateValue(77).build();
    assertEquals(newer, HealthLimits.within(newer));
  }

  @Test
  void listsAndSentencesAreCutAtAnyDepth() {
    String essay = "x".repeat(100_000);
    VolumeHealth kept =
        HealthLimits.within(
            VolumeHealth.newBuilder()
                .setState(essay)
                .addAllSoftQuota(Collections.nCopies(1_000, essay))
                .addAllClearedOsd(Collections.nCopies(20_000, 4))
                .addAllClearedDrain(Collections.nCopies(20_000, 1L))
                .setRepair(RepairState.newBuilder().addAllLostOsd(Collections.nCopies(20_000, 5)))
                .setRecovery(
                    RecoveryProgress.newBuilder()
                        .setStep(essay)
                        .addAllNotes(Collections.nCopies(1_000, essay)))
                .build());
    assertEquals(ReportLimits.sentence(essay), kept.getState());
    assertEquals(HealthLimits.MAX_SENTENCES, kept.getSoftQuotaCount());
    assertEquals(ReportLimits.sentence(essay), kept.getSoftQuota(0));
    assertEquals(HealthLimits.MAX_ROWS, kept.getClearedOsdCount());
    assertEquals(HealthLimits.MAX_ROWS, kept.getClearedDrainCount());
    assertEquals(HealthLimits.MAX_ROWS, kept.getRepair().getLostOsdCount());
    assertEquals(ReportLimits.sentence(essay), kept.getRecovery().getStep());
    assertEquals(HealthLimits.MAX_SENTENCES, kept.getRecovery().getNotesCount());
  }

  @Test
  void fieldsOfANewerReleaseAreDroppedAtAnyDepth() {
    UnknownFieldSet newer =
        UnknownFieldSet.newBuilder()
            .addField(
                9_000,
                UnknownFieldSet.Field.newBuilder()
                    .addLengthDelimited(ByteString.copyFrom(new byte[100]))
                    .build())
            .build();
    VolumeHealth.Builder more = SAID.toBuilder().setUnknownFields(newer);
    more.getRepairBuilder().setUnknownFields(newer);
    assertTrue(more.build().getSerializedSize() > SAID.getSerializedSize() + 200);
    assertEquals(SAID, HealthLimits.within(more.build()));
  }
}
