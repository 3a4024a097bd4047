package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.configuration.stored.SnapshotCodec;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * The managers that may serve a volume after each crash: the lines of the table in
 * docs/protocols.md, 6.2.
 */
final class BackupRuleTest {
  private static final ManagerId P = new ManagerId(1);
  private static final ManagerId B = new ManagerId(2);
  private static final ManagerId C = new ManagerId(3);

  private final ConfigurationMachine machine = new ConfigurationMachine();

  @BeforeEach
  void threeManagersAndAVolume() {
    machine.apply(new RandomCommands(7).format());
    join("p", 7310, 1);
    join("b", 7311, 1);
    join("c", 7312, 1);
    machine.apply(new Command.Acquire(P, 1, 1, 1, Optional.empty()));
  }

  private void join(String identity, int port, long incarnation) {
    machine.apply(
        Joins.of(
            NodeKey.Kind.MANAGER,
            identity,
            "",
            0,
            List.of(new Endpoint("127.0.0.1", port)),
            "host-" + identity,
            incarnation,
            0,
            false,
            5_000));
  }

  private CommandResult setBackup(ManagerId primary, long epoch, long number, ManagerId... backup) {
    Optional<ManagerId> named = backup.length == 0 ? Optional.empty() : Optional.of(backup[0]);
    return machine.apply(new Command.SetBackup(primary, Volume.ROOT, epoch, number, named));
  }

  private CommandResult handOver(long epoch, ManagerId primary, ManagerId backup) {
    return machine.apply(new Command.HandOver(Volume.ROOT, epoch, primary, backup));
  }

  private void done(CommandResult answer) {
    assertEquals(new CommandResult.Done(), answer);
  }

  private void refused(ErrorCode code, CommandResult answer) {
    CommandResult.Refused refused = assertInstanceOf(CommandResult.Refused.class, answer);
    assertEquals(code, refused.code(), refused::message);
  }

  private void row(long epoch, ManagerId primary, ManagerId... backup) {
    Volume volume = machine.state().volumes().get(Volume.ROOT);
    assertEquals(epoch, volume.epoch());
    assertEquals(Optional.of(primary), volume.owner());
    assertEquals(
        backup.length == 0 ? Optional.empty() : Optional.of(backup[0]), volume.backup().manager());
    assertEquals(epoch, machine.state().partitions().get(Volume.ROOT).fenceEpoch());
  }

  @Test
  void aPrimaryAloneIsFollowedByNoOther() {
    row(1, P);
    refused(ErrorCode.FENCED, handOver(1, P, B));
    row(1, P);
  }

  @Test
  void aBackupFollowsALostPrimaryThatStaysInTheRow() {
    done(setBackup(P, 1, 1, B));
    refused(ErrorCode.FENCED, handOver(1, P, C));
    done(handOver(1, P, B));
    row(2, B, P);
  }

  @Test
  void anAnswerThatWasLostIsGivenAgain() {
    done(setBackup(P, 1, 1, B));
    done(setBackup(P, 1, 1, B));
    done(handOver(1, P, B));
    done(handOver(1, P, B));
    row(2, B, P);
  }

  @Test
  void aBackupThatWasLostIsNotPromoted() {
    done(setBackup(P, 1, 1, B));
    done(setBackup(P, 1, 2));
    refused(ErrorCode.FENCED, handOver(1, P, B));
    row(1, P);
  }

  @Test
  void aBackupThatWasReplacedIsNotPromoted() {
    done(setBackup(P, 1, 1, B));
    done(setBackup(P, 1, 2));
    done(setBackup(P, 1, 3, C));
    refused(ErrorCode.FENCED, handOver(1, P, B));
    done(handOver(1, P, C));
    row(2, C, P);
  }

  @Test
  void aWordThatComesLateNamesNoBackupThatWasLostSince() {
    done(setBackup(P, 1, 2));
    refused(ErrorCode.CANCELLED, setBackup(P, 1, 1, B));
    row(1, P);
  }

  @Test
  void afterBothDiedTheFirstManagerToReturnServes() {
    done(setBackup(P, 1, 1, B));
    join("p", 7310, 2);
    machine.apply(new Command.Acquire(P, 2, 2, 1, Optional.empty()));
    row(2, P, B);
    done(handOver(2, P, B));
    row(3, B, P);
    done(handOver(3, B, P));
    row(4, P, B);
  }

  @Test
  void aNewPrimaryThatHasNamedNoneIsFollowedByNoOther() {
    done(setBackup(P, 1, 1, B));
    done(handOver(1, P, B));
    done(setBackup(B, 2, 1));
    refused(ErrorCode.FENCED, handOver(2, B, P));
    row(2, B);
  }

  @Test
  void aPrimaryThatWasDeposedChangesTheRowNoMore() {
    done(setBackup(P, 1, 1, B));
    done(handOver(1, P, B));
    refused(ErrorCode.FENCED, setBackup(P, 1, 2));
    refused(ErrorCode.FENCED, setBackup(P, 1, 2, C));
    refused(ErrorCode.FENCED, setBackup(P, 2, 2, C));
    row(2, B, P);
  }

  @Test
  void aPrimaryThatStartsAgainKeepsItsBackupAndCountsAnew() {
    done(setBackup(P, 1, 5, B));
    machine.apply(new Command.Acquire(P, 1, 2, 1, Optional.empty()));
    row(2, P, B);
    refused(ErrorCode.FENCED, setBackup(P, 1, 6));
    done(setBackup(P, 2, 1));
    row(2, P);
  }

  @Test
  void aDeposedPrimaryThatStartsAgainGetsNothing() {
    done(setBackup(P, 1, 1, B));
    done(handOver(1, P, B));
    join("p", 7310, 2);
    CommandResult answer = machine.apply(new Command.Acquire(P, 2, 2, 1, Optional.empty()));
    assertEquals(new CommandResult.Acquired(List.of()), answer);
    row(2, B, P);
  }

  @Test
  void aPrimaryIsNotItsOwnBackupNorIsAStranger() {
    refused(ErrorCode.INVALID_ARGUMENT, setBackup(P, 1, 1, P));
    refused(ErrorCode.INVALID_ARGUMENT, setBackup(P, 1, 1, new ManagerId(9)));
    row(1, P);
  }

  @Test
  void aSnapshotKeepsTheBackup() throws Exception {
    done(setBackup(P, 1, 4, B));
    ByteArrayOutputStream stored = new ByteArrayOutputStream();
    SnapshotCodec.write(machine.state(), stored);
    Configuration again = SnapshotCodec.read(new ByteArrayInputStream(stored.toByteArray()));
    assertEquals(machine.state(), again);
    Command command = new Command.SetBackup(P, Volume.ROOT, 1, 4, Optional.of(B));
    assertEquals(command, CommandCodec.decode(CommandCodec.encode(command)));
    command = new Command.HandOver(Volume.ROOT, 1, P, B);
    assertEquals(command, CommandCodec.decode(CommandCodec.encode(command)));
  }
}
