package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.ConfigurationCommand;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.VolumeHistory;
import org.weft.sysmgr.configuration.stored.AnswerCodec;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.configuration.volume.EndedOperation;
import org.weft.sysmgr.configuration.volume.StepKind;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeStage;

/** Volumes between being asked for and being gone, by the rules alone. */
final class VolumeLifeTest {
  private static final ManagerId FIRST = new ManagerId(1);
  private static final ManagerId SECOND = new ManagerId(2);
  private static final PartitionId NEW = new PartitionId(2);

  private final ReplicatedConfiguration configuration = new ReplicatedConfiguration();
  private long index;

  @BeforeEach
  void makeClusterWithTwoManagers() {
    apply(new RandomCommands(7).format());
    joinManager("one", 7310);
    joinManager("two", 7311);
    apply(new Command.Acquire(FIRST, 0, 11, 1, Optional.empty()));
    apply(new Command.Acquire(SECOND, 0, 21, 1, Optional.empty()));
    apply(new Command.Formatted(FIRST, Volume.ROOT, 1));
  }

  private void joinManager(String identity, int port) {
    apply(
        Joins.of(
            NodeKey.Kind.MANAGER,
            identity,
            "",
            0,
            List.of(new Endpoint("127.0.0.1", port)),
            "host",
            0,
            0,
            false,
            1));
  }

  /** Every command meets a member that has just been restored from a snapshot. */
  private CommandResult apply(Command command) {
    ByteArrayOutputStream saved = new ByteArrayOutputStream();
    try {
      configuration.save(saved);
      configuration.load(new ByteArrayInputStream(saved.toByteArray()));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return AnswerCodec.decode(configuration.apply(index++, CommandCodec.encode(command)));
  }

  private Configuration state() {
    return configuration.current();
  }

  private Volume volume() {
    return state().volumes().get(NEW);
  }

  private static Command.CreateVolume create(String path, long nonce) {
    return new Command.CreateVolume(
        path, 2, 0, 1, Configuration.DEFAULT_BLADE_SET, Secret.of(new byte[32]), nonce, 10);
  }

  private CommandResult step(StepKind kind, ManagerId manager, long epoch) {
    return apply(
        new Command.Step(
            manager,
            NEW,
            volume() == null ? 1 : volume().life().operation(),
            epoch,
            kind,
            ErrorCode.EXISTS,
            "the name is taken",
            20));
  }

  private void done(CommandResult answer) {
    assertEquals(new CommandResult.Done(), answer);
  }

  private void refused(ErrorCode code, CommandResult answer) {
    CommandResult.Refused refused = assertInstanceOf(CommandResult.Refused.class, answer);
    assertEquals(code, refused.code(), refused::message);
  }

  private void makeActive(String path) {
    done(apply(create(path, 100)));
    assertInstanceOf(
        CommandResult.Acquired.class,
        apply(new Command.Acquire(SECOND, 0, 21, 2, Optional.of(NEW))));
    done(apply(new Command.Formatted(SECOND, NEW, 1)));
    done(step(StepKind.LINKED, FIRST, 1));
    assertEquals(VolumeStage.ACTIVE, volume().stage());
  }

  @Test
  void aRepeatedStartListsNoVolumeWithoutAnEpoch() {
    done(apply(create("/data", 100)));
    Command.Acquire again = new Command.Acquire(SECOND, 0, 21, 2, Optional.empty());
    assertEquals(
        new CommandResult.Acquired(List.of()), apply(again), "it was made after the start");
    apply(new Command.Acquire(SECOND, 0, 21, 3, Optional.of(NEW)));
    assertEquals(new CommandResult.Acquired(List.of(NEW)), apply(again));
    assertEquals(1, volume().epoch());
  }

  @Test
  void aVolumeIsRecordedThenFormattedThenLinkedThenThere() {
    done(apply(create("/data", 100)));
    assertEquals(VolumeStage.CREATING, volume().stage());
    assertEquals(Optional.of(SECOND), volume().owner(), "the manager with the fewest volumes");
    assertEquals(Optional.of(Volume.ROOT), volume().life().parent());
    assertTrue(state().partitions().containsKey(NEW));
    assertEquals(
        new CommandResult.Acquired(List.of(NEW)),
        apply(new Command.Acquire(SECOND, 0, 21, 2, Optional.of(NEW))));
    assertEquals(1, volume().epoch());
    assertEquals(1, state().partitions().get(NEW).fenceEpoch());
    done(apply(new Command.Formatted(SECOND, NEW, 1)));
    assertEquals(VolumeStage.FORMATTED, volume().stage());
    done(step(StepKind.LINKED, FIRST, 1));
    assertEquals(VolumeStage.ACTIVE, volume().stage());
    EndedOperation ended = state().history().endedByNonce(100).orElseThrow();
    assertEquals(Optional.empty(), ended.failure());
  }

  @Test
  void aVolumeWhoseNameIsTakenIsUndoneAndTheReasonKept() {
    done(apply(create("/data", 100)));
    apply(new Command.Acquire(SECOND, 0, 21, 2, Optional.of(NEW)));
    apply(new Command.Formatted(SECOND, NEW, 1));
    done(step(StepKind.LINK_REFUSED, FIRST, 1));
    assertFalse(state().volumes().containsKey(NEW));
    assertFalse(state().partitions().containsKey(NEW));
    EndedOperation ended = state().history().endedByNonce(100).orElseThrow();
    assertEquals("the name is taken", ended.failure().orElseThrow().message());
    done(apply(create("/data", 100)));
    assertFalse(state().volumes().containsKey(NEW), "asking again does not begin again");
    done(apply(create("/data", 101)));
    assertTrue(state().volumes().containsKey(new PartitionId(3)), "ids are never reused");
  }

  @Test
  void aVolumeGoesOnlyWhenItsManagerSaysThatItIsEmpty() {
    makeActive("/data");
    done(apply(new Command.DeleteVolume("/data", 200, 30)));
    assertEquals(VolumeStage.DELETING, volume().stage());
    done(step(StepKind.NOT_EMPTIED, SECOND, 1));
    assertEquals(VolumeStage.ACTIVE, volume().stage());
    assertTrue(state().history().endedByNonce(200).orElseThrow().failure().isPresent());
    done(apply(new Command.DeleteVolume("/data", 201, 30)));
    done(step(StepKind.UNLINKED, FIRST, 1));
    assertEquals(VolumeStage.DELETING, volume().stage(), "not before it is known to be empty");
    done(step(StepKind.EMPTIED, SECOND, 1));
    assertEquals(VolumeStage.EMPTIED, volume().stage());
    done(step(StepKind.NOT_EMPTIED, SECOND, 1));
    assertEquals(VolumeStage.EMPTIED, volume().stage(), "there is no way back");
    done(step(StepKind.UNLINKED, FIRST, 1));
    assertFalse(state().volumes().containsKey(NEW));
    assertFalse(state().partitions().containsKey(NEW));
  }

  @Test
  void onlyTheVolumesManagerInItsPresentEpochIsBelieved() {
    done(apply(create("/data", 100)));
    apply(new Command.Acquire(SECOND, 0, 21, 2, Optional.of(NEW)));
    apply(new Command.Formatted(SECOND, NEW, 1));
    refused(ErrorCode.FENCED, step(StepKind.LINKED, SECOND, 1));
    refused(ErrorCode.FENCED, step(StepKind.LINKED, FIRST, 2));
    apply(new Command.Acquire(FIRST, 0, 12, 3, Optional.empty()));
    refused(ErrorCode.FENCED, step(StepKind.LINKED, FIRST, 1));
    done(step(StepKind.LINKED, FIRST, 2));
    done(apply(new Command.DeleteVolume("/data", 200, 30)));
    refused(ErrorCode.FENCED, step(StepKind.EMPTIED, FIRST, 2));
    refused(ErrorCode.FENCED, step(StepKind.EMPTIED, SECOND, 2));
  }

  @Test
  void aStepOfAnEarlierOperationChangesNothing() {
    makeActive("/data");
    done(apply(new Command.DeleteVolume("/data", 200, 30)));
    done(step(StepKind.NOT_EMPTIED, SECOND, 1));
    final long earlier = volume().life().operation();
    done(apply(new Command.DeleteVolume("/data", 201, 31)));
    Command.Step late =
        new Command.Step(SECOND, NEW, earlier, 1, StepKind.EMPTIED, ErrorCode.INTERNAL, "", 32);
    done(apply(late));
    assertEquals(VolumeStage.DELETING, volume().stage());
  }

  @Test
  void aVolumeInTheMakingCanBeGivenUp() {
    done(apply(create("/data", 100)));
    done(apply(new Command.DeleteVolume("/data", 200, 30)));
    assertEquals(VolumeStage.EMPTIED, volume().stage());
    assertEquals(
        ErrorCode.CANCELLED,
        state().history().endedByNonce(100).orElseThrow().failure().orElseThrow().code());
    done(apply(new Command.Formatted(SECOND, NEW, 0)));
    assertEquals(VolumeStage.EMPTIED, volume().stage());
    done(step(StepKind.UNLINKED, FIRST, 1));
    assertFalse(state().volumes().containsKey(NEW));
  }

  @Test
  void aRestartedManagerResumesVolumesInCreationUnderANewEpoch() {
    done(apply(create("/data", 100)));
    assertEquals(
        new CommandResult.Acquired(List.of(NEW)),
        apply(new Command.Acquire(SECOND, 0, 22, 3, Optional.empty())));
    assertEquals(1, volume().epoch());
    refused(ErrorCode.FENCED, apply(new Command.Acquire(SECOND, 0, 21, 4, Optional.of(NEW))));
    refused(ErrorCode.FENCED, apply(new Command.Acquire(SECOND, 0, 23, 4, Optional.of(NEW))));
    refused(ErrorCode.NOT_FOUND, apply(new Command.Acquire(FIRST, 0, 11, 4, Optional.of(NEW))));
    assertEquals(
        new CommandResult.Acquired(List.of(NEW)),
        apply(new Command.Acquire(SECOND, 0, 22, 4, Optional.of(NEW))));
    assertEquals(1, volume().epoch());
  }

  @Test
  void aVolumeWithNestedVolumesIsNotDeleted() {
    makeActive("/data");
    done(apply(create("/data/sub/deep", 300)));
    Volume nested = state().volumes().get(new PartitionId(3));
    assertEquals(Optional.of(NEW), nested.life().parent());
    refused(ErrorCode.NOT_EMPTY, apply(new Command.DeleteVolume("/data", 200, 30)));
    refused(ErrorCode.EXISTS, apply(create("/data/sub", 301)));
    refused(ErrorCode.NOT_FOUND, apply(create("/data/sub/deep/x", 302)));
    refused(ErrorCode.INVALID_ARGUMENT, apply(new Command.DeleteVolume("/", 201, 30)));
  }

  @Test
  void anInvalidVolumePathIsRefused() {
    for (String path : List.of("data", "/", "/a//b", "/a/", "/a/../b", "/a/./b", "/\0")) {
      refused(ErrorCode.INVALID_ARGUMENT, apply(create(path, 100)));
    }
    refused(ErrorCode.INVALID_ARGUMENT, apply(create("/" + "x".repeat(256), 100)));
    refused(ErrorCode.INVALID_ARGUMENT, apply(create("/ok", 0)));
    Secret key = Secret.of(new byte[32]);
    refused(
        ErrorCode.INVALID_ARGUMENT,
        apply(new Command.CreateVolume("/ok", 4, 0, 1, "default", key, 1, 1)));
    refused(
        ErrorCode.INVALID_ARGUMENT,
        apply(new Command.CreateVolume("/ok", 1, 4, 2, "default", key, 1, 1)));
    refused(
        ErrorCode.NOT_FOUND, apply(new Command.CreateVolume("/ok", 1, 4, 1, "fast", key, 1, 1)));
    for (int i = state().volumes().size(); i < CreateVolumeRule.MAX_VOLUMES; i++) {
      done(apply(create("/v" + i, 1_000 + i)));
    }
    refused(ErrorCode.NO_SPACE, apply(create("/more", 2_000)));
  }

  @Test
  void aRepeatByAnotherClientFindsTheSameOperation() {
    done(apply(create("/data", 100)));
    done(apply(create("/data", 101)));
    assertEquals(101, volume().life().nonce());
    assertEquals(1, volume().life().operation());
    refused(
        ErrorCode.EXISTS,
        apply(
            new Command.CreateVolume(
                "/data", 1, 0, 1, "default", Secret.of(new byte[32]), 102, 1)));
  }

  private static Command.CreateVolume avoiding(String path, long nonce, ManagerId... avoided) {
    return new Command.CreateVolume(
        path,
        2,
        0,
        1,
        Configuration.DEFAULT_BLADE_SET,
        Secret.of(new byte[32]),
        nonce,
        10,
        new TreeSet<>(List.of(avoided)));
  }

  /** The second manager has fewer volumes, and does not reach all OSDs. */
  @Test
  void aVolumeGoesToAnAvoidedManagerAsTheLastChoice() {
    done(apply(avoiding("/data", 100, SECOND)));
    assertEquals(Optional.of(FIRST), volume().owner());
    done(apply(avoiding("/more", 101, FIRST, SECOND)));
    Volume more = state().volumes().get(state().volumes().lastKey());
    assertEquals(Optional.of(SECOND), more.owner());
  }

  /** A member of an older release would take the other manager: it must not decide. */
  @Test
  void anOlderMemberStopsAtAnAvoidedManager() throws Exception {
    Command.CreateVolume command = avoiding("/data", 100, SECOND);
    ConfigurationCommand stored = ConfigurationCommand.parseFrom(CommandCodec.encode(command));
    assertFalse(stored.hasCreateVolume());
    assertEquals(command, CommandCodec.decode(CommandCodec.encode(command)));
    stored = ConfigurationCommand.parseFrom(CommandCodec.encode(create("/data", 100)));
    assertTrue(stored.hasCreateVolume());
  }

  @Test
  void onlyTheLastOperationsAreRemembered() {
    for (int i = 0; i < VolumeHistory.MAX_ENDED + 5; i++) {
      done(apply(create("/data", 1_000 + i)));
      done(apply(new Command.DeleteVolume("/data", 5_000 + i, 30)));
      PartitionId id = state().volumes().lastKey();
      Volume going = state().volumes().get(id);
      done(
          apply(
              new Command.Step(
                  FIRST,
                  id,
                  going.life().operation(),
                  1,
                  StepKind.UNLINKED,
                  ErrorCode.INTERNAL,
                  "",
                  40)));
    }
    assertEquals(VolumeHistory.MAX_ENDED, state().history().ended().size());
    assertEquals(1, state().volumes().size());
  }
}
