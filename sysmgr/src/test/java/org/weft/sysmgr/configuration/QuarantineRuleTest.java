package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OpenVolumes;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;

/** The end of a quarantine, volume by volume (P 5.8). */
final class QuarantineRuleTest {
  private static final NodeKey OSD = new NodeKey(NodeKey.Kind.OSD, 1);
  private static final PartitionId ROOT = Volume.ROOT;
  private static final PartitionId SECOND = new PartitionId(2);
  private static final PartitionId THIRD = new PartitionId(3);
  private static final ManagerId MANAGER = new ManagerId(1);

  private final ConfigurationMachine machine = new ConfigurationMachine();
  private final RandomCommands random = new RandomCommands(7);
  private long incarnation;

  @BeforeEach
  void twoVolumesAreServed() {
    machine.apply(random.format());
    machine.apply(joining(NodeKey.Kind.MANAGER, "m", 7310, 0, false));
    machine.apply(new Command.Acquire(MANAGER, 0, 1, 1, Optional.empty()));
    machine.apply(new Command.Formatted(MANAGER, ROOT, epoch(ROOT)));
    volume("/second");
    osdStarts(false);
  }

  private static Command.Join joining(
      NodeKey.Kind kind, String identity, int port, long incarnation, boolean unclean) {
    return Joins.of(
        kind,
        identity,
        "",
        0,
        List.of(new Endpoint("127.0.0.1", port)),
        "host",
        incarnation,
        100,
        unclean,
        5_000);
  }

  /** Recorded, and served up to where clients come. */
  private PartitionId volume(String path) {
    PartitionId id = recorded(path);
    machine.apply(new Command.Formatted(MANAGER, id, epoch(id)));
    assertTrue(machine.state().volumes().get(id).formatted());
    return id;
  }

  private PartitionId recorded(String path) {
    machine.apply(
        new Command.CreateVolume(
            path, 1, 0, 1, Configuration.DEFAULT_BLADE_SET, random.format().rootKey(), 7, 5_000));
    PartitionId id = machine.state().volumes().lastKey();
    machine.apply(new Command.Acquire(MANAGER, 0, 1, 1, Optional.of(id)));
    return id;
  }

  private void osdStarts(boolean unclean) {
    machine.apply(joining(NodeKey.Kind.OSD, "a", 7400, ++incarnation, unclean));
  }

  private long epoch(PartitionId volume) {
    return machine.state().volumes().get(volume).epoch();
  }

  private OsdNode osd() {
    return machine.state().osds().get(new OsdId(1));
  }

  private void judged(Liveness liveness, long endKnown, OpenVolumes open) {
    machine.apply(
        new Command.SetLiveness(
            List.of(
                new Command.Judgement(
                    OSD,
                    incarnation,
                    liveness,
                    false,
                    machine.state().partitionsVersion(),
                    endKnown,
                    open,
                    "")),
            6_000));
  }

  private void givenUp() {
    judged(Liveness.DOWN, 0, OpenVolumes.NONE);
  }

  private void says(long quarantine, PartitionId... open) {
    judged(Liveness.QUARANTINED, 0, new OpenVolumes(quarantine, volumes(open)));
  }

  private CommandResult compared(PartitionId volume, long quarantine) {
    return machine.apply(
        new Command.Readmit(MANAGER, volume, epoch(volume), new OsdId(1), incarnation, quarantine));
  }

  private static SortedSet<PartitionId> volumes(PartitionId... ids) {
    return new TreeSet<>(List.of(ids));
  }

  @Test
  void aComparedVolumeIsOpenedAlone() {
    osdStarts(true);
    assertEquals(volumes(ROOT, SECOND), machine.state().awaited(osd()));
    assertEquals(volumes(), machine.state().open(osd()));
    compared(ROOT, 1);
    assertEquals(volumes(SECOND), machine.state().awaited(osd()));
    assertEquals(volumes(ROOT), machine.state().open(osd()));
    assertEquals(Liveness.QUARANTINED, osd().node().liveness());
    assertTrue(osd().quarantine().lostWrites(), "the second volume still has to decide");
    compared(SECOND, 1);
    assertFalse(osd().quarantine().active());
  }

  @Test
  void aVolumeIsOpenOnceItsOsdServesIt() {
    osdStarts(true);
    says(1, ROOT);
    assertEquals(volumes(), osd().quarantine().open(), "its manager has not compared it");
    compared(ROOT, 1);
    assertEquals(volumes(), osd().quarantine().open(), "the OSD does not know yet");
    says(1, ROOT, SECOND);
    assertEquals(volumes(ROOT), osd().quarantine().open());
    says(0, ROOT, SECOND);
    assertEquals(volumes(ROOT), osd().quarantine().open(), "it speaks of another quarantine");
    judged(Liveness.SUSPECT, 0, OpenVolumes.NONE);
    assertEquals(volumes(ROOT), osd().quarantine().open());
    compared(SECOND, 1);
    says(1, ROOT);
    assertEquals(volumes(ROOT), osd().quarantine().open(), "it does not know of the end");
    assertEquals(Liveness.QUARANTINED, osd().node().liveness());
    judged(Liveness.UP, 1, OpenVolumes.NONE);
    assertEquals(Liveness.UP, osd().node().liveness());
    assertEquals(volumes(), osd().quarantine().open());
  }

  @Test
  void anOsdThatIsGivenUpAgainLosesWhatVolumesHadSaid() {
    osdStarts(true);
    compared(ROOT, 1);
    says(1, ROOT);
    givenUp();
    assertEquals(volumes(), machine.state().open(osd()));
    says(1, ROOT);
    assertEquals(2, osd().quarantine().number());
    assertEquals(volumes(), osd().quarantine().open());
    assertEquals(volumes(ROOT, SECOND), machine.state().awaited(osd()));
    CommandResult.Refused late = assertInstanceOf(CommandResult.Refused.class, compared(ROOT, 1));
    assertEquals(ErrorCode.NOT_FOUND, late.code());
    says(1, ROOT, SECOND);
    assertEquals(volumes(), osd().quarantine().open(), "that was of the first one");
  }

  @Test
  void anotherLossOfPowerClosesAllVolumesAgain() {
    osdStarts(true);
    compared(ROOT, 1);
    says(1, ROOT);
    osdStarts(true);
    assertEquals(volumes(), osd().quarantine().open());
    assertEquals(volumes(ROOT, SECOND), machine.state().awaited(osd()));
  }

  /** A process that ends loses nothing: what was compared is still so. */
  @Test
  void aRestartThatNothingNoticedKeepsWhatVolumesHadSaid() {
    osdStarts(true);
    compared(ROOT, 1);
    says(1, ROOT);
    osdStarts(false);
    assertEquals(volumes(ROOT), osd().quarantine().open());
    assertEquals(volumes(SECOND), machine.state().awaited(osd()));
  }

  @Test
  void aNewerVolumeIsOpenUntilTheNextQuarantine() {
    osdStarts(true);
    PartitionId third = volume("/third");
    assertEquals(THIRD, third);
    assertEquals(volumes(ROOT, SECOND), machine.state().awaited(osd()));
    assertEquals(volumes(THIRD), machine.state().open(osd()));
    says(1, THIRD);
    assertEquals(volumes(THIRD), osd().quarantine().open());
    givenUp();
    says(1, THIRD);
    assertEquals(volumes(), osd().quarantine().open());
    assertEquals(volumes(ROOT, SECOND, THIRD), machine.state().awaited(osd()));
  }

  @Test
  void aVolumeInCreationDoesNotDelayTheQuarantine() {
    PartitionId third = recorded("/third");
    osdStarts(true);
    assertEquals(volumes(ROOT, SECOND), machine.state().awaited(osd()));
    assertEquals(volumes(), machine.state().open(osd()), "some of it may lie there");
    machine.apply(new Command.Formatted(MANAGER, third, epoch(third)));
    assertEquals(volumes(ROOT, SECOND, THIRD), machine.state().awaited(osd()));
  }

  @Test
  void aVolumeThatGoesIsWaitedForNoLonger() {
    osdStarts(true);
    compared(ROOT, 1);
    says(1, ROOT);
    ConfigurationDraft draft = new ConfigurationDraft(machine.state());
    draft.removeVolume(SECOND);
    OsdNode without = draft.freeze().osds().get(new OsdId(1));
    assertFalse(without.quarantine().active());
    assertEquals(volumes(ROOT), without.quarantine().open());
    assertEquals(Liveness.QUARANTINED, without.node().liveness(), "it does not know of the end");
  }
}
