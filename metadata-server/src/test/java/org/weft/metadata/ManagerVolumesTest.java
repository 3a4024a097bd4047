package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.VolumeRow;
import org.weft.protocol.wire.VolumeState;
import org.weft.protocol.wire.VolumeStep;
import org.weft.protocol.wire.VolumeStepRequest;

/** A manager whose volumes come and go, on virtual time (P 6; section 5.4 of the FAST paper). */
class ManagerVolumesTest {
  private static final int OSDS = 4;

  @TempDir Path folder;

  private Path dataDirectory;
  private ManagerWorld world;

  private void world(long seed) {
    dataDirectory = folder.resolve("manager");
    world = new ManagerWorld(seed, OSDS, dataDirectory);
    world.start();
  }

  private <T> T await(CompletableFuture<T> future) {
    return world.time.await(future);
  }

  private WeftException failureOf(CompletableFuture<?> future) {
    return WeftException.of(assertThrows(CompletionException.class, () -> await(future)));
  }

  /** Fails after two minutes of virtual time. */
  private void until(String what, BooleanSupplier condition) {
    long deadlineNanos = world.time.nowNanos() + TimeUnit.MINUTES.toNanos(2);
    world.time.runUntil(
        what, () -> condition.getAsBoolean() || world.time.nowNanos() > deadlineNanos);
    assertTrue(
        condition.getAsBoolean(),
        () ->
            "still waiting until "
                + what
                + ": "
                + world.manager().problems()
                + world.cluster.table().getVolumesList()
                + world.cluster.steps());
  }

  private VolumeState stateOf(long volume) {
    return world.cluster.volume(volume).map(VolumeRow::getState).orElse(null);
  }

  private void awaitState(long volume, VolumeState state) {
    until("volume " + volume + " is " + state, () -> stateOf(volume) == state);
  }

  private void awaitGone(long volume) {
    until("volume " + volume + " is gone", () -> world.cluster.volume(volume).isEmpty());
  }

  private void awaitTold(VolumeStep step) {
    until(
        step + " is told",
        () -> world.cluster.steps().stream().anyMatch(told -> told.getStep() == step));
  }

  private long active(String path) {
    long volume = world.cluster.createVolume(path);
    awaitState(volume, VolumeState.ACTIVE);
    return volume;
  }

  private Path journal(long volume) {
    return dataDirectory.resolve("volume-" + volume);
  }

  private SessionReply<CreateReply> create(VolumeCalls client, String path) {
    return await(
        client.create(path, new VolumeCalls.Creation(0644, 0, false, false, Optional.empty())));
  }

  private static CompletableFuture<FileAttributes> close(
      VolumeCalls client, String path, SessionReply<CreateReply> created) {
    return client.close(
        new SessionGrant(
            path,
            created.sessionId(),
            created.body().getAttributes().getObjectId(),
            created.body().getGrant().getNumber()),
        0,
        0,
        false);
  }

  private List<DirectoryEntry> entries(VolumeCalls client, String path) {
    return await(client.readdir(path, 0, 100, true)).getEntriesList();
  }

  @Test
  void takesUpAVolumeThatIsMadeWhileItServes() {
    world(1);
    long data = active("/data");
    VolumeCalls root = world.superuser();
    DirectoryEntry entry = entries(root, "/").get(0);
    assertEquals("data", entry.getName());
    assertEquals(FileKind.VOLUME, entry.getKind());
    assertEquals(data, entry.getObjectId());
    assertFalse(entry.hasAttributes(), "they are the other volume's");
    VolumeCalls inside = world.superuserOf(data, "/data");
    assertEquals("weft", await(inside.attributes("/data")).getOwner());
    await(inside.mkdir("/data/d", 0755, 0, false));
    assertEquals(1, entries(inside, "/data").size());
    assertEquals(2, world.manager().health().size());
  }

  @Test
  void servesAllItsVolumesAfterARestartUnderNewEpochs() {
    world(2);
    long data = active("/data");
    final long epoch = world.cluster.volume(data).orElseThrow().getEpoch();
    await(world.superuserOf(data, "/data").mkdir("/data/d", 0755, 0, false));
    await(world.superuser().mkdir("/r", 0755, 0, false));
    world.kill();
    world.start();
    assertTrue(world.cluster.volume(data).orElseThrow().getEpoch() > epoch);
    assertEquals(1, entries(world.superuserOf(data, "/data"), "/data").size());
    assertEquals(2, entries(world.superuser(), "/").size());
  }

  @Test
  void pathsIntoAnotherVolumeAndChangesOfItsEntryAreRefused() {
    world(3);
    active("/data");
    VolumeCalls root = world.superuser();
    await(root.mkdir("/d", 0755, 0, false));
    for (CompletableFuture<?> request :
        List.of(
            root.attributes("/data/x"),
            root.attributes("/data"),
            root.mkdir("/data/x", 0755, 0, false),
            root.rmdir("/data"),
            root.unlink("/data"),
            root.rename("/data", "/other", false),
            root.rename("/d", "/data", true))) {
      assertEquals(ErrorCode.CROSS_VOLUME, failureOf(request).code());
    }
    assertEquals(2, entries(root, "/").size());
  }

  @Test
  void aDirectoryAboveAVolumeStaysWhereItIs() {
    world(4);
    VolumeCalls root = world.superuser();
    await(root.mkdir("/a/b", 0755, 0, true));
    await(root.mkdir("/c", 0755, 0, true));
    active("/a/b/data");
    assertEquals(ErrorCode.NOT_EMPTY, failureOf(root.rename("/a", "/x", false)).code());
    assertEquals(ErrorCode.NOT_EMPTY, failureOf(root.rename("/a/b", "/c/b", false)).code());
    assertEquals(ErrorCode.NOT_EMPTY, failureOf(root.rmdir("/a/b")).code());
    await(root.rename("/c", "/x", false));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/taken", "/missing/data", "/file/data"})
  void volumeWithoutAPlaceIsUndoneCompletely(String path) {
    world(5);
    VolumeCalls root = world.superuser();
    await(root.mkdir("/taken", 0755, 0, false));
    SessionReply<CreateReply> file = create(root, "/file");
    await(close(root, "/file", file));
    long volume = world.cluster.createVolume(path);
    awaitGone(volume);
    VolumeStepRequest told = world.cluster.steps().get(0);
    assertEquals(VolumeStep.LINK_REFUSED, told.getStep());
    assertNotEquals("", told.getMessage());
    assertEquals(2, entries(root, "/").size());
    until("its journal is gone", () -> !Files.exists(journal(volume)));
    assertEquals(1, world.manager().health().size());
  }

  @Test
  void onlyAnEmptyVolumeIsDeletedAndThenCompletely() {
    world(6);
    long data = active("/data");
    VolumeCalls inside = world.superuserOf(data, "/data");
    await(inside.mkdir("/data/d", 0755, 0, false));
    world.cluster.deleteVolume(data);
    awaitTold(VolumeStep.NOT_EMPTIED);
    awaitState(data, VolumeState.ACTIVE);
    world.pass(2_000);
    await(inside.mkdir("/data/e", 0755, 0, false));
    await(inside.rmdir("/data/d"));
    await(inside.rmdir("/data/e"));
    world.cluster.deleteVolume(data);
    awaitGone(data);
    until("its journal is gone", () -> !Files.exists(journal(data)));
    assertEquals(List.of(), entries(world.superuser(), "/"));
    await(world.superuser().mkdir("/data", 0755, 0, false));
    assertEquals(1, world.manager().health().size());
  }

  @Test
  void aVolumeThatIsGoingTakesNoNamesAlsoAfterARestart() {
    world(7);
    long data = active("/data");
    world.cluster.ignoreStep(VolumeStep.UNLINKED);
    world.cluster.deleteVolume(data);
    awaitState(data, VolumeState.EMPTIED);
    VolumeCalls inside = world.superuserOf(data, "/data");
    assertEquals(
        ErrorCode.PERMISSION_DENIED, failureOf(inside.mkdir("/data/d", 0755, 0, false)).code());
    world.kill();
    world.start();
    assertEquals(
        ErrorCode.PERMISSION_DENIED,
        failureOf(world.superuserOf(data, "/data").mkdir("/data/d", 0755, 0, false)).code());
    world.cluster.hearSteps();
    awaitGone(data);
  }

  @Test
  void entryJournalledBeforeAKillIsRecognised() {
    world(9);
    world.cluster.ignoreStep(VolumeStep.LINKED);
    long data = world.cluster.createVolume("/data");
    awaitState(data, VolumeState.FORMATTED);
    until("the entry is there", () -> entries(world.superuser(), "/").size() == 1);
    world.kill();
    world.start();
    world.cluster.hearSteps();
    awaitState(data, VolumeState.ACTIVE);
    assertEquals(1, entries(world.superuser(), "/").size());
  }

  @Test
  void aVolumeWhoseUnlinkedFileIsStillWrittenStays() {
    world(8);
    long data = active("/data");
    VolumeCalls inside = world.superuserOf(data, "/data");
    SessionReply<CreateReply> file = create(inside, "/data/f");
    await(inside.unlink("/data/f"));
    world.cluster.deleteVolume(data);
    awaitTold(VolumeStep.NOT_EMPTIED);
    await(close(inside, "/data/f", file));
    world.cluster.deleteVolume(data);
    awaitGone(data);
  }

  static LongStream seeds() {
    return LongStream.range(0, Integer.getInteger("weft.test.rounds", 3));
  }

  /** Kills at every moment between a wish and its fulfilment. */
  @ParameterizedTest
  @MethodSource("seeds")
  void creationAndDeletionGoOnWhereAKilledManagerLeftThem(long seed) {
    world(seed);
    SplittableRandom random = new SplittableRandom(seed);
    VolumeCalls root = world.superuser();
    await(root.mkdir("/p", 0755, 0, false));
    for (int round = 0; round < 4; round++) {
      long volume = world.cluster.createVolume("/p/v");
      killDuring(random);
      awaitState(volume, VolumeState.ACTIVE);
      assertEquals(1, entries(world.superuser(), "/p").size());
      VolumeCalls inside = world.superuserOf(volume, "/p/v");
      await(inside.mkdir("/p/v/d", 0755, 0, false));
      world.cluster.deleteVolume(volume);
      killDuring(random);
      awaitState(volume, VolumeState.ACTIVE);
      await(world.superuserOf(volume, "/p/v").rmdir("/p/v/d"));
      world.cluster.deleteVolume(volume);
      killDuring(random);
      awaitGone(volume);
      until("the manager serves", () -> world.manager().isServing());
      assertEquals(List.of(), entries(world.superuser(), "/p"));
      FileAttributes parent = await(world.superuser().attributes("/p"));
      assertEquals(0, parent.getEntries());
      assertEquals(2, parent.getLinks());
    }
    until(
        "no journal is left but the root's",
        () -> {
          try (var files = Files.list(dataDirectory)) {
            return files.filter(file -> file.getFileName().toString().startsWith("volume-")).count()
                == 1;
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private void killDuring(SplittableRandom random) {
    for (int kills = random.nextInt(3); kills > 0; kills--) {
      world.pass(random.nextInt(1_500));
      world.kill();
      world.launch();
    }
  }
}
