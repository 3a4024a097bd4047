package org.weft.metadata.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.weft.metadata.WatchedScheduler;
import org.weft.metadata.journal.JournalOptions;
import org.weft.metadata.journal.JournalPlace;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.AcquiredVolume;
import org.weft.protocol.wire.PartitionKeys;
import org.weft.protocol.wire.VolumeRow;
import org.weft.protocol.wire.WorkingKey;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;
import org.weft.testkit.storage.MemorySegmentDirectory;
import org.weft.testkit.storage.StorageFaults;

/** What is opened of a volume is closed with it, wherever its opening failed. */
class VolumeOpeningTest {
  private final VirtualTime time = new VirtualTime(1);
  private final WatchedScheduler scheduler = new WatchedScheduler(time);
  private final Environment environment =
      new Environment(
          time, time, scheduler, new SplittableRandom(1), new VirtualWire(time, 1), () -> "boot");

  private static VolumeAssignment assignment() throws Exception {
    return VolumeAssignment.of(
        AcquiredVolume.newBuilder()
            .setVolume(
                VolumeRow.newBuilder().setVolumeId(7).setManagerId(3).setPath("/v").setEpoch(1))
            .setKeys(
                PartitionKeys.newBuilder()
                    .addKeys(
                        WorkingKey.newBuilder()
                            .setVersion(1)
                            .setKey(ByteString.copyFrom(new byte[32]))))
            .build(),
        3);
  }

  @Test
  void unreadableJournalIsClosed() throws Exception {
    MemorySegmentDirectory disk = new MemorySegmentDirectory(new StorageFaults());
    VolumeOpening opening =
        new VolumeOpening(
            assignment(),
            new JournalPlace("journal", () -> disk, JournalOptions.DEFAULT),
            Optional.empty(),
            environment,
            isWarm -> {
              throw new AssertionError("as the test wants it");
            });
    assertThrows(
        AssertionError.class,
        () -> opening.open(new ClusterId("0123456789abcdef0123456789abcdef")));
    assertEquals(1, scheduler.open("journal-").size(), "it was opened");
    opening.leave(null);
    assertEquals(List.of(), scheduler.open("journal-"));
  }
}
