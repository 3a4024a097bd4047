package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.sysmgr.configuration.ThreeManagers.FIRST;
import static org.weft.sysmgr.configuration.ThreeManagers.SECOND;
import static org.weft.sysmgr.configuration.ThreeManagers.THIRD;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ManagerId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.volume.Volume;

/** By which data directory a volume that is not served can be checked (P 6.8d). */
class VolumeLookTest {
  private final ThreeManagers managers =
      ThreeManagers.joined(
          2, manager -> new StartProof(70 + manager, List.of(70L + manager), 0, 10));
  private final ConfigurationMachine machine = managers.machine();

  @BeforeEach
  void start() {
    machine.apply(new Command.Acquire(FIRST, 2, 1, 1, Optional.empty()));
    managers.formatted();
    machine.apply(
        new Command.SetBackup(FIRST, Volume.ROOT, root().epoch(), 1, Optional.of(SECOND)));
  }

  private Volume root() {
    return managers.root();
  }

  private VolumeLook look(ManagerId manager, long incarnation, long change, long epoch) {
    return new VolumeLook(
        "/a/file",
        "m" + manager,
        manager.value(),
        incarnation,
        new StartProof(0, List.of(70L + manager.value()), 0, change),
        NodeHistory.NONE,
        epoch);
  }

  private String refused(ErrorCode code, VolumeLook look) {
    WeftException why = assertThrows(WeftException.class, () -> look.allowed(machine.state()));
    assertEquals(code, why.code(), why.getMessage());
    return why.getMessage();
  }

  @Test
  void managerAndBackupOfTheRowHaveTheWholeJournal() throws WeftException {
    assertEquals(root(), look(FIRST, 2, 10, 0).allowed(machine.state()));
    assertEquals(root(), look(SECOND, 2, 12, root().epoch()).allowed(machine.state()));
  }

  @Test
  void anotherManagersCopyIsOldAndTheNewerOneIsNamed() {
    String why = refused(ErrorCode.FENCED, look(THIRD, 2, 10, 0));
    assertTrue(why.contains("manager-1 on host-1") && why.contains("manager-2 on host-2"), why);
  }

  @Test
  void anOldCopyOfTheDirectoryIsRefused() {
    refused(ErrorCode.FENCED, look(FIRST, 1, 10, 0));
    refused(ErrorCode.FENCED, look(FIRST, 2, 9, 0));
    VolumeLook forked =
        new VolumeLook("/", "m1", 1, 2, new StartProof(0, List.of(5L), 0, 10), NodeHistory.NONE, 0);
    refused(ErrorCode.FENCED, forked);
  }

  @Test
  void newerWordsHeardByTheLeaderCount() {
    VolumeLook look =
        new VolumeLook(
            "/", "m1", 1, 2, new StartProof(0, List.of(71L), 0, 10), new NodeHistory(71, 0, 11), 0);
    refused(ErrorCode.FENCED, look);
  }

  @Test
  void aDirectoryOfAnotherClusterIsRefused() {
    VolumeLook other =
        new VolumeLook(
            "/", "unknown", 1, 2, new StartProof(0, List.of(71L), 0, 10), NodeHistory.NONE, 0);
    refused(ErrorCode.NOT_FOUND, other);
  }

  @Test
  void aNewEpochRefusesAnEarlierLook() {
    long epoch = root().epoch();
    machine.apply(new Command.HandOver(Volume.ROOT, epoch, FIRST, SECOND));
    String why = refused(ErrorCode.FENCED, look(FIRST, 2, 10, epoch));
    assertTrue(why.contains("manager-2"), why);
  }

  @Test
  void aVolumeThatIsToBeRecoveredIsRefused() {
    machine.apply(
        new Command.RecoverVolume("/", Optional.of(THIRD), "lost", true, 5, root().epoch()));
    refused(ErrorCode.INVALID_ARGUMENT, look(FIRST, 2, 10, 0));
  }
}
