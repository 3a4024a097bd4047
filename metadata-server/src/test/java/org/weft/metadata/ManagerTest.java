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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.JoinRequest;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.testkit.osd.Fault;
import org.weft.testkit.storage.StorageFaults;
import org.weft.testkit.storage.StorageFaults.Kind;

/**
 * A manager in its cluster: starting, formatting, recovering, losing OSDs, stopping (P 6.2-6.6).
 */
class ManagerTest {
  @TempDir Path folder;

  private ManagerWorld world;

  private ManagerWorld world(int osds) {
    world = new ManagerWorld(1, osds, folder.resolve("manager"));
    return world;
  }

  @Test
  void volumeIsServedOnceAThreadIsFree() {
    world(3).launch();
    world.refuseThreads("volume-");
    world.pass(3_000);
    assertTrue(world.threadsRefused() > 0, "it was not begun");
    world.giveThreads();
    world.awaitServing();
  }

  @Test
  void formatsTheVolumeOnceEnoughOsdsAreUp() {
    world(2).launch();
    world.pass(5_000);
    assertFalse(world.manager().isServing());
    assertTrue(
        world.manager().problems().get(0).contains("2 are up, formatting needs 3"),
        () -> "" + world.manager().problems());
    assertFalse(world.cluster.table().getVolumes(0).getFormatted());
    world.addOsd(3);
    world.awaitServing();
    assertTrue(world.cluster.table().getVolumes(0).getFormatted());
    FileAttributes root = await(world.superuser().attributes("/"));
    assertEquals("weft:supergroup", root.getOwner() + ":" + root.getGroup());
    assertEquals(List.of(), world.manager().problems());
  }

  @Test
  void theRootIsOnItsOsdsBeforeTheVolumeIsCalledFormatted() {
    world(4).start();
    ObjectName root = ObjectName.of(1, 1);
    long holders =
        world.osds.stream()
            .filter(osd -> osd.objects().contains(root))
            .filter(osd -> osd.attributePage(root).isPresent())
            .count();
    assertEquals(3, holders);
  }

  @Test
  void startsAgainUnderANewEpochWithEverything() {
    world(4).start();
    VolumeCalls client = world.superuser();
    await(client.mkdir("/d", 0755, 0, false));
    write(client, "/d/f", 4_711);
    world.stop();
    world.start();
    assertEquals(4_711, await(client.attributes("/d/f")).getSize());
    assertTrue(world.cluster.table().getVolumes(0).getEpoch() > 1);
    assertEquals(1, world.cluster.table().getManagersCount());
  }

  @Test
  void refusesToServeAFormattedVolumeWithoutItsJournal() throws IOException {
    world(4).start();
    world.stop();
    try (var files = Files.walk(folder.resolve("manager/volume-1"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.delete(file);
      }
    }
    world.launch();
    world.pass(5_000);
    assertFalse(world.manager().isServing());
    String problem = world.manager().problems().get(0);
    assertTrue(problem.contains("there is no journal in"), problem);
    assertTrue(problem.contains("weft volume recover"), problem);
  }

  /** It tells SysMgr of no wait any more, and the end of the fence begins nothing. */
  @Test
  void drainEndsAVolumeThatWaitsForItsFence() {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    world(4).osds.get(0).faults(opcode -> opcode == Opcode.FENCE ? Fault.hold(gate) : Fault.NONE);
    world.launch();
    world.time.runUntil("the fence waits", () -> stateOfRoot().startsWith("fencing OSDs"));
    await(world.manager().drain());
    assertEquals("stopped", stateOfRoot());
    gate.complete(null);
    world.pass(5_000);
    assertEquals("stopped", stateOfRoot());
    assertFalse(world.manager().isServing());
  }

  /**
   * After so many steps behind SysMgr's gift of the volume: it is on its way to be served. Its row
   * keeps its backup then, for only the end of the fence takes it out.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32})
  void aVolumeIsNotOpenedOnceTheManagerIsDrained(int steps) {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    world(4).osds.get(0).faults(opcode -> opcode == Opcode.FENCE ? Fault.hold(gate) : Fault.NONE);
    world.launch();
    world.time.runUntil(
        "SysMgr has given the volume", () -> world.cluster.table().getVolumes(0).getEpoch() > 0);
    int[] done = new int[1];
    world.time.runUntil("so many steps are done", () -> done[0]++ == steps);
    await(world.manager().drain());
    String drained = stateOfRoot();
    assertTrue(List.of("not given yet", "stopped").contains(drained), drained);
    gate.complete(null);
    world.pass(5_000);
    assertEquals(drained, stateOfRoot());
    assertFalse(world.manager().isServing());
  }

  /** After so many steps behind SysMgr's gift of the volume: it may be about to be opened. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 32, 64, 128})
  void aManagerThatIsReleasedHasNoJournalOpen(int steps) {
    world(4).launch();
    world.time.runUntil(
        "SysMgr has given the volume", () -> world.cluster.table().getVolumes(0).getEpoch() > 0);
    int[] done = new int[1];
    world.time.runUntil("so many steps are done", () -> done[0]++ == steps);
    world.release();
    assertEquals(List.of(), world.openJournals());
  }

  private String stateOfRoot() {
    return world.manager().health().stream()
        .map(VolumeHealth::getState)
        .findFirst()
        .orElse("not given yet");
  }

  @Test
  void refusesTheDataDirectoryOfAnotherCluster() {
    world(4).start();
    world.stop();
    String first = world.cluster.clusterId().value();
    ManagerWorld other = new ManagerWorld(2, 3, folder.resolve("manager"));
    other.launch();
    WeftException refusal = other.startFailure();
    assertEquals(ErrorCode.WRONG_CLUSTER, refusal.code());
    assertTrue(refusal.getMessage().contains(first), refusal.getMessage());
    assertTrue(
        refusal.getMessage().contains(other.cluster.clusterId().value()), refusal.getMessage());
  }

  @Test
  void twoManagersDoNotShareADataDirectory() {
    world(4).start();
    WeftException refusal =
        assertThrows(
            WeftException.class,
            () -> ManagerDaemon.prepare(world.options(), world.someEnvironment()));
    assertEquals(ErrorCode.UNAVAILABLE, refusal.code());
    assertTrue(refusal.getMessage().contains("in use"), refusal.getMessage());
  }

  @Test
  void managerWithoutHeartbeatsDoesNotServe() {
    world(4).start();
    VolumeCalls client = world.superuser();
    await(client.mkdir("/before", 0755, 0, false));
    world.sysmgr.mute(true);
    world.pass(3_000);
    CompletableFuture<FileAttributes> call = client.mkdir("/during", 0755, 0, false);
    world.pass(8_000);
    assertFalse(call.isDone());
    world.sysmgr.mute(false);
    await(call);
    // The session outlived its lease, for it could not have been renewed.
    assertEquals(2, names(client, "/").size());
  }

  @Test
  void aDeposedManagerStops() {
    world(4).start();
    world.depose();
    world.time.runUntil(
        "the manager has heard of the newer epoch", () -> !world.manager().isServing());
    // It asks what it is to serve now, and hears that another process has taken its place.
    world.time.runUntil(
        "the process ends", () -> world.manager().ended().toCompletableFuture().isDone());
  }

  @Test
  void aManagerEndsWhenAnotherProcessHasTakenItsPlace() {
    world(4).start();
    assertFalse(world.manager().ended().toCompletableFuture().isDone());
    world.depose();
    // It asks for its new volume, and hears that it has been replaced.
    world.cluster.createVolume("/new");
    world.time.runUntil(
        "the manager has ended", () -> world.manager().ended().toCompletableFuture().isDone());
  }

  /** Another start of it is let in only once this process is heard no more (P 5.10). */
  @Test
  void aManagerWhoseJournalHasFailedLeavesAndEnds() {
    StorageFaults disk = new StorageFaults();
    world(4).onDisk(disk);
    world.start();
    VolumeCalls client = world.superuser();
    await(client.mkdir("/before", 0755, 0, false));
    disk.failWhere(operation -> operation.kind() == Kind.FILE_WRITE, "no such device");
    CompletableFuture<FileAttributes> doubtful = client.mkdir("/lost", 0755, 0, false);
    CompletableFuture<Void> ended = world.manager().ended().toCompletableFuture();
    long deadlineNanos = world.time.nowNanos() + TimeUnit.MINUTES.toNanos(1);
    world.time.runUntil(
        "the manager has ended", () -> ended.isDone() || world.time.nowNanos() > deadlineNanos);
    assertTrue(ended.isDone());
    world.kill();
    disk.failWhere(operation -> false, "");
    world.start();
    await(doubtful);
    assertEquals(2, names(client, "/").size());
  }

  @Test
  void failedOpeningDoesNotLeaveTheVolumeInOpeningState() {
    boolean[] broken = new boolean[1];
    world(4)
        .onDisk(
            new StorageFaults(),
            folder -> {
              if (broken[0] && folder.startsWith("volume-")) {
                throw new NoClassDefFoundError("as where a jar was exchanged");
              }
            });
    world.launch();
    world.time.runUntil(
        "SysMgr has given the volume", () -> world.cluster.table().getVolumes(0).getEpoch() > 0);
    broken[0] = true;
    world.pass(5_000);
    assertTrue(stateOfRoot().startsWith("not served: the journal in "), stateOfRoot());
  }

  @Test
  void everyStartHasAnIncarnationOfItsOwn() {
    world(4).start();
    world.kill();
    world.start();
    world.stop();
    world.start();
    assertEquals(
        List.of(1L, 2L, 3L),
        world.cluster.joins().stream()
            .filter(
                join ->
                    world.cluster.table().getManagers(0).getIdentity().equals(join.getIdentity()))
            .map(JoinRequest::getIncarnation)
            .toList());
  }

  @Test
  void aManagerWhoseJoinIsRefusedLaterEnds() {
    world(4).start();
    world.cluster.forgetManagers();
    world.time.runUntil(
        "the manager has ended", () -> world.manager().ended().toCompletableFuture().isDone());
  }

  @Test
  void managerServesWithoutDownOsdsAndCatchesThemUpLater() {
    world(4).start();
    VolumeCalls client = world.superuser();
    await(client.mkdir("/d", 0755, 0, false));
    await(world.manager().flushed());
    world.osdDown(2);
    for (int file = 0; file < 20; file++) {
      write(client, "/d/f" + file, file);
    }
    await(world.manager().flushed());
    world.osdUp(2);
    world.time.runUntil(
        "nothing lags any more", () -> world.manager().health().get(0).getLaggingCopies() == 0);
    world.osdDown(1);
    world.stop();
    world.start();
    assertEquals(20, names(client, "/d").size());
    assertEquals(19, await(client.attributes("/d/f19")).getSize());
  }

  @Test
  void removedFilesLeaveNoObjects() {
    world(4).start();
    VolumeCalls client = world.superuser();
    FileAttributes file = write(client, "/f", 10);
    await(world.manager().flushed());
    ObjectName name = ObjectName.of(1, file.getObjectId());
    assertTrue(world.osds.stream().anyMatch(osd -> osd.objects().contains(name)));
    await(client.unlink("/f"));
    await(world.manager().flushed());
    assertFalse(world.osds.stream().anyMatch(osd -> osd.objects().contains(name)));
  }

  @Test
  void completionMarksReachTheAttributeHolders() {
    world(4).start();
    VolumeCalls client = world.superuser();
    SessionReply<CreateReply> created = create(client, "/f");
    await(close(client, "/f", created, 100, 7));
    await(world.manager().flushed());
    ObjectName name = ObjectName.of(1, created.body().getAttributes().getObjectId());
    long grant = created.body().getGrant().getNumber();
    long marked =
        world.osds.stream()
            .filter(osd -> osd.objects().contains(name))
            .filter(osd -> osd.completeUpTo(name, grant) == 7)
            .count();
    assertEquals(3, marked);
  }

  @Test
  void theJournalIsDroppedWhenTheOsdsHaveEverything() {
    world(4).start();
    VolumeCalls client = world.superuser();
    for (int round = 0; round < 50; round++) {
      await(client.mkdir("/d" + round, 0755, 0, false));
    }
    await(world.manager().flushed());
    world.pass(10_000);
    assertEquals(51, world.manager().health().get(0).getFiles());
    world.stop();
    world.start();
    assertEquals(50, names(client, "/").size());
  }

  static FileAttributes write(VolumeCalls client, String path, long size, ManagerWorld in) {
    SessionReply<CreateReply> created =
        in.time.await(
            client.create(path, new VolumeCalls.Creation(0644, 0, false, false, Optional.empty())));
    return in.time.await(close(client, path, created, size, 0));
  }

  private FileAttributes write(VolumeCalls client, String path, long size) {
    return write(client, path, size, world);
  }

  private SessionReply<CreateReply> create(VolumeCalls client, String path) {
    return await(
        client.create(path, new VolumeCalls.Creation(0644, 0, false, false, Optional.empty())));
  }

  private static CompletableFuture<FileAttributes> close(
      VolumeCalls client, String path, SessionReply<CreateReply> created, long size, long upTo) {
    return client.close(
        new SessionGrant(
            path,
            created.sessionId(),
            created.body().getAttributes().getObjectId(),
            created.body().getGrant().getNumber()),
        size,
        upTo,
        false);
  }

  private List<String> names(VolumeCalls client, String path) {
    return await(client.readdir(path, 0, 1_000, true)).getEntriesList().stream()
        .map(DirectoryEntry::getName)
        .toList();
  }

  private <T> T await(CompletableFuture<T> call) {
    try {
      return world.time.await(call);
    } catch (CompletionException e) {
      throw new AssertionError(WeftException.of(e).toString(), e);
    }
  }

  @Test
  void clientReportsAreShown() {
    world(4).start();
    VolumeCalls client = world.superuser();
    FileAttributes file = write(client, "/f", 10);
    await(client.report(file.getObjectId(), 2, 1, ErrorCode.BAD_CHECKSUM, "block 7"));
    await(client.report(file.getObjectId(), 2, 1, ErrorCode.BAD_CHECKSUM, "block 8"));
    world.pass(300);
    String problem = world.manager().problems().get(0);
    assertTrue(problem.contains("reported OSD 2 2 times"), problem);
    assertTrue(problem.contains("BAD_CHECKSUM block 8"), problem);
  }

  @Test
  void identityOutlivesTheProcess() throws IOException {
    world(3).start();
    world.kill();
    byte[] before = Files.readAllBytes(folder.resolve("manager/manager.properties"));
    world.start();
    assertEquals(1, world.cluster.table().getManagersCount());
    assertEquals(1, world.manager().managerId().value());
    assertNotEquals(0, before.length);
  }
}
