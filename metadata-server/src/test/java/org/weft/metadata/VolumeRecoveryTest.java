package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.osd.OsdClient;
import org.weft.client.osd.OsdTarget;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.metadata.volume.operation.salvage.AdoptNameless;
import org.weft.metadata.volume.operation.salvage.BeginSalvaged;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.ListQuotasReply;
import org.weft.protocol.wire.QuotaLimitsMessage;
import org.weft.protocol.wire.QuotaState;
import org.weft.protocol.wire.RecoveryProgress;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.VolumeState;
import org.weft.protocol.wire.WriteReply;
import org.weft.protocol.wire.WriteRequest;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;
import org.weft.testkit.sysmgr.FakeCluster;

/** A manager gets a volume of which every journal is lost, and has its OSDs alone (P 6.8e). */
class VolumeRecoveryTest {
  private static final Layout LAYOUT = Layout.of(2, 1);
  private static final long EOF_BYTES = 2L * LAYOUT.unitBytes();
  private static final int MAX_ENTRIES = 1_000;

  @TempDir Path folder;

  private ManagerWorld world;
  private VolumeCalls client;
  private OsdClient osds;

  private void begin(long seed) {
    world = new ManagerWorld(seed, 5, folder);
    world.start();
    client = world.superuser();
    osds = new OsdClient(world.osdConnections(), world.time.newPool("osds", 2, 10_000));
  }

  private <T> T await(CompletableFuture<T> future) {
    return world.time.await(future);
  }

  /** The manager and all that it had on its disk are gone; an operator orders the recovery. */
  private void loseManager() throws IOException {
    world.kill();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        if (!each.equals(folder)) {
          Files.delete(each);
        }
      }
    }
    world.cluster.recovery(FakeCluster.ROOT_VOLUME, true);
  }

  private void recover() {
    world.start();
    client = world.superuser();
  }

  private VolumeHealth health() {
    return world.manager().health().get(0);
  }

  private RecoveryProgress recovery() {
    return health().getRecovery();
  }

  private FakeOsd osd(int number) {
    return world.osds.get(number - 1);
  }

  /** A file that is being written. */
  private record Written(SessionGrant held, StorageMap map, SignedCapability capability) {}

  private Written create(String path) {
    return create(path, LAYOUT);
  }

  private Written create(String path, Layout layout) {
    SessionReply<CreateReply> created =
        await(
            client.create(
                path,
                new VolumeCalls.Creation(0640, 0, false, false, Optional.of(layout.toMessage()))));
    Grant grant = created.body().getGrant();
    return new Written(
        new SessionGrant(
            path,
            created.sessionId(),
            created.body().getAttributes().getObjectId(),
            grant.getNumber()),
        StorageMap.fromMessage(grant.getMap()),
        new SignedCapability(grant.getCapability(), grant.getSecret().toByteArray()));
  }

  /** One block at the beginning of each of these components. */
  private void write(Written file, int from, int to, long sequence) {
    for (int component = from; component < to; component++) {
      await(send(file, component, sequence));
    }
  }

  private CompletableFuture<WriteReply> send(Written file, int component, long sequence) {
    byte[] bytes = new byte[Layout.BLOCK_BYTES];
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    WriteRequest.Builder request =
        WriteRequest.newBuilder()
            .setObjectId(file.held().objectId())
            .setGrant(file.held().number())
            .setFirstSeq(sequence)
            .setSeqCount(1)
            .setEof(EOF_BYTES)
            .addAllParticipants(List.of(0, 1, 2))
            .addBlockCrc((int) crc.getValue())
            .setCreate(file.map().tag(component));
    OsdTarget target = new OsdTarget(file.map().osdOf(component), file.capability(), 5_000);
    return osds.write(target, request, Payload.of(ByteBuffer.wrap(bytes)));
  }

  private void closed(String path) {
    Written file = create(path);
    write(file, 0, 3, 1);
    await(client.close(file.held(), EOF_BYTES, 1, false));
  }

  /** Everything below a directory, by its path. */
  private SortedMap<String, FileAttributes> tree(String top) {
    SortedMap<String, FileAttributes> all = new TreeMap<>();
    String under = top.equals("/") ? "" : top;
    for (DirectoryEntry entry : await(client.readdir(top, 0, MAX_ENTRIES, true)).getEntriesList()) {
      String path = under + "/" + entry.getName();
      all.put(path, entry.getAttributes());
      if (entry.getAttributes().getKind() == FileKind.DIRECTORY) {
        all.putAll(tree(path));
      }
    }
    return all;
  }

  /** As the OSDs have them in the end. */
  private FileAttributes stored(long object) throws InvalidProtocolBufferException {
    await(world.manager().flushed());
    ObjectName name = ObjectName.of(1, object);
    FakeOsd holder =
        world.osds.stream()
            .filter(osd -> osd.objects().contains(name) && osd.attributePage(name).isPresent())
            .findFirst()
            .orElseThrow();
    return FileAttributes.parseFrom(holder.attributePage(name).orElseThrow());
  }

  private void populate() {
    await(client.mkdir("/a", 0750, 0, false));
    await(client.mkdir("/a/b", 0700, 0, false));
    closed("/a/f");
    closed("/a/b/g");
    closed("/h");
    await(client.rename("/h", "/a/b/moved", false));
    await(
        client.setAttributes(
            "/a/f",
            new VolumeCalls.Changes(
                OptionalInt.of(0604),
                Optional.of("alice"),
                Optional.of("staff"),
                OptionalLong.of(1_234_567),
                OptionalLong.empty())));
    await(world.manager().flushed());
  }

  @Test
  void recoveryRestoresEverythingFromOsds() throws Exception {
    begin(1);
    populate();
    SortedMap<String, FileAttributes> before = tree("/");
    assertEquals(5, before.size());
    loseManager();
    recover();
    assertEquals(before, tree("/"));
    assertFalse(
        world.cluster.volume(FakeCluster.ROOT_VOLUME).orElseThrow().hasRecovery(),
        "SysMgr was not told");
    assertEquals("done", recovery().getStep());
    assertEquals(6, recovery().getNodes());
    assertEquals(0, recovery().getNotesCount(), () -> recovery().getNotesList().toString());
    world.time.runUntil("its nodes are counted", () -> health().getFiles() == 6);
  }

  @Test
  void numbersAreNeverGivenOutAgain() throws Exception {
    begin(2);
    populate();
    long last = tree("/").values().stream().mapToLong(FileAttributes::getObjectId).max().orElse(0);
    loseManager();
    recover();
    long next = await(client.mkdir("/new", 0755, 0, false)).getObjectId();
    assertTrue(next >= last + BeginSalvaged.OBJECTS_LEFT_OUT, () -> next + " follows " + last);
  }

  @Test
  void aRecoveredVolumeHasAJournalLikeAnyOther() throws Exception {
    begin(3);
    populate();
    loseManager();
    recover();
    await(client.mkdir("/later", 0755, 0, false));
    SortedMap<String, FileAttributes> before = tree("/");
    world.kill();
    recover();
    assertEquals(before, tree("/"));
    assertFalse(health().hasRecovery(), "it was recovered once more");
  }

  static LongStream seeds() {
    return LongStream.range(10, 10 + 4L * Integer.getInteger("weft.times", 1));
  }

  /** Whatever an attempt has done, the next one begins anew and finds the same. */
  @ParameterizedTest
  @MethodSource("seeds")
  void interruptedRecoveryContinues(long seed) throws Exception {
    begin(seed);
    populate();
    SortedMap<String, FileAttributes> before = tree("/");
    ObjectName directory = ObjectName.of(1, before.get("/a/b").getObjectId());
    before.keySet().removeIf(path -> path.startsWith("/a/b"));
    loseManager();
    world.osds.forEach(osd -> osd.loseObject(directory));
    SplittableRandom random = new SplittableRandom(seed);
    for (int attempt = 0; attempt < 6; attempt++) {
      world.launch();
      world.pass(1 + random.nextInt(1_200));
      world.kill();
    }
    recover();
    SortedMap<String, FileAttributes> after = tree("/");
    SortedMap<String, FileAttributes> found = new TreeMap<>(after);
    found.keySet().removeIf(path -> !path.startsWith("/" + AdoptNameless.DIRECTORY));
    after.keySet().removeAll(found.keySet());
    assertEquals(before.keySet(), after.keySet());
    assertEquals(3, found.size(), () -> "once, and not again: " + found.keySet());
  }

  @Test
  void namelessNodesMoveToLostAndFoundAndDanglingNamesGo() throws Exception {
    begin(4);
    populate();
    SortedMap<String, FileAttributes> before = tree("/");
    ObjectName directory = ObjectName.of(1, before.get("/a/b").getObjectId());
    FileAttributes nameless = before.get("/a/b/g");
    loseManager();
    world.osds.forEach(osd -> osd.loseObject(directory));
    recover();
    SortedMap<String, FileAttributes> after = tree("/");
    String path = "/" + AdoptNameless.DIRECTORY + "/" + nameless.getObjectId();
    assertEquals(
        List.of(
            "/a",
            "/a/f",
            "/" + AdoptNameless.DIRECTORY,
            path,
            "/" + AdoptNameless.DIRECTORY + "/" + before.get("/a/b/moved").getObjectId()),
        List.copyOf(after.keySet()));
    FileAttributes found = after.get(path);
    assertEquals(nameless.getMode(), found.getMode());
    assertEquals(nameless.getOwner(), found.getOwner());
    assertEquals(nameless.getSize(), found.getSize());
    assertEquals(nameless.getMtimeMillis(), found.getMtimeMillis());
    assertEquals(nameless.getMap(), found.getMap());
    assertEquals(
        directory.object() + "/g",
        stored(nameless.getObjectId()).getXattrList().stream()
            .filter(each -> each.getName().equals(AdoptNameless.LAST_NAME))
            .findFirst()
            .orElseThrow()
            .getValue()
            .toStringUtf8());
    assertEquals(2, recovery().getFound());
    assertEquals(1, recovery().getDropped());
    assertEquals(3, recovery().getNotesCount());
    await(client.unlink("/a/f"));
    await(client.rmdir("/a"));
  }

  /** The journal knew that the OSD had missed something while it was down. */
  @Test
  void staleCopyOfAnAbsentOsdIsNotRead() throws Exception {
    begin(5);
    populate();
    ObjectName root = ObjectName.of(1, 1);
    List<Integer> holders =
        world.osds.stream()
            .filter(osd -> osd.objects().contains(root))
            .map(osd -> osd.id().value())
            .toList();
    assertEquals(3, holders.size());
    for (int holder : holders) {
      world.osdDown(holder);
      await(client.mkdir("/without-" + holder, 0755, 0, false));
      await(client.rename("/without-" + holder, "/late-" + holder, false));
      await(world.manager().flushed());
      SortedMap<String, FileAttributes> before = tree("/");
      loseManager();
      world.osdUp(holder);
      recover();
      assertEquals(before.keySet(), tree("/").keySet());
      assertTrue(recovery().getStaleCopies() > 0);
      world.time.runUntil("its nodes are counted", () -> health().getFiles() > 0);
      world.time.runUntil("the copies are caught up", () -> health().getLaggingCopies() == 0);
    }
  }

  /** It has the newest attributes, for they are flushed first, and not the newest names. */
  @Test
  void olderCopyOfADirectoryIsNotRead() throws Exception {
    begin(23);
    populate();
    ObjectName root = ObjectName.of(1, 1);
    for (int number = 1; number <= world.osds.size(); number++) {
      FakeOsd osd = osd(number);
      if (osd.objects().contains(root)) {
        byte[] old = osd.bytes(root);
        await(client.mkdir("/late-" + number, 0755, 0, false));
        await(world.manager().flushed());
        SortedMap<String, FileAttributes> before = tree("/");
        loseManager();
        for (int block = 0; block < old.length / Layout.BLOCK_BYTES; block++) {
          int from = block * Layout.BLOCK_BYTES;
          osd.overwrite(root, block, Arrays.copyOfRange(old, from, from + Layout.BLOCK_BYTES));
        }
        recover();
        assertEquals(before.keySet(), tree("/").keySet());
        assertEquals(1, recovery().getStaleCopies());
        world.time.runUntil("its nodes are counted", () -> health().getFiles() > 0);
        world.time.runUntil("the copy is caught up", () -> health().getLaggingCopies() == 0);
      }
    }
  }

  /** What OSDs had of directories at one moment. */
  private final class OldDirectories {
    private final Map<FakeOsd, Map<ObjectName, byte[]>> copies = new HashMap<>();

    OldDirectories(long... directories) {
      for (FakeOsd osd : world.osds) {
        for (long directory : directories) {
          ObjectName name = ObjectName.of(1, directory);
          if (osd.objects().contains(name)) {
            copies.computeIfAbsent(osd, key -> new HashMap<>()).put(name, osd.bytes(name));
          }
        }
      }
    }

    /** What came later had not been flushed. */
    void giveBack() {
      copies.forEach(
          (osd, directories) ->
              directories.forEach(
                  (name, old) -> {
                    for (int block = 0; block < old.length / Layout.BLOCK_BYTES; block++) {
                      int from = block * Layout.BLOCK_BYTES;
                      osd.overwrite(
                          name, block, Arrays.copyOfRange(old, from, from + Layout.BLOCK_BYTES));
                    }
                  }));
    }
  }

  private long filesOfVolume() {
    return await(client.quotas().of("/")).getQuota(0).getUsedFiles();
  }

  @Test
  void removedNameOfAnOpenFileGoesAndIsCountedOnce() throws Exception {
    begin(30);
    populate();
    Written open = create("/a/open");
    write(open, 0, 3, 1);
    await(world.manager().flushed());
    long directory = tree("/").get("/a").getObjectId();
    OldDirectories old = new OldDirectories(directory);
    await(client.unlink("/a/open"));
    await(world.manager().flushed());
    SortedMap<String, FileAttributes> before = tree("/");
    loseManager();
    old.giveBack();
    recover();
    assertEquals(before.keySet(), tree("/").keySet());
    assertEquals(1, recovery().getDropped(), () -> recovery().toString());
    assertEquals(1, recovery().getRemoved(), () -> recovery().toString());
    assertEquals(1 + before.size(), filesOfVolume());
  }

  @Test
  void unfinishedTreeCountIsFinished() throws Exception {
    begin(32);
    await(client.mkdir("/q", 0755, 0, false));
    for (int number = 0; number < 20; number++) {
      await(client.mkdir("/q/" + number, 0755, 0, false));
      await(client.mkdir("/q/" + number + "/below", 0755, 0, false));
    }
    QuotaLimitsMessage limits = QuotaLimitsMessage.newBuilder().setHardFiles(100).build();
    assertTrue(await(client.quotas().set("/q", limits)).getQuota().getCounting());
    await(world.manager().flushed());
    loseManager();
    recover();
    await(client.quotas().set("/q", limits));
    world.time.runUntil("the tree is counted", () -> !quota("/q").getCounting());
    assertEquals(41, quota("/q").getUsedFiles());
  }

  private QuotaState quota(String path) {
    ListQuotasReply quotas = await(client.quotas().of(path));
    return quotas.getQuota(quotas.getQuotaCount() - 1);
  }

  /** The first rename was on neither of its directories, the second one on its target alone. */
  @Test
  void directoriesThatLeadToEachOtherAloneAreFound() throws Exception {
    begin(31);
    await(client.mkdir("/outer", 0755, 0, false));
    await(client.mkdir("/outer/inner", 0755, 0, false));
    closed("/outer/f");
    closed("/outer/inner/g");
    await(world.manager().flushed());
    long outer = tree("/").get("/outer").getObjectId();
    OldDirectories oldOuter = new OldDirectories(outer);
    OldDirectories oldRoot = new OldDirectories(1);
    await(client.rename("/outer/inner", "/inner", false));
    await(client.rename("/outer", "/inner/outer", false));
    await(world.manager().flushed());
    loseManager();
    oldOuter.giveBack();
    oldRoot.giveBack();
    recover();
    SortedMap<String, FileAttributes> after = tree("/");
    List<String> names = after.keySet().stream().map(path -> path.replaceAll(".*/", "")).toList();
    assertTrue(names.contains("f") && names.contains("g"), () -> after.keySet().toString());
    assertEquals(5, after.size(), () -> "each once, and lost+found: " + after.keySet());
    assertEquals(1, recovery().getFound(), () -> recovery().toString());
    assertEquals(6, filesOfVolume());
    String top = after.keySet().stream().filter(path -> path.endsWith("/f")).findFirst().get();
    await(client.unlink(top));
  }

  /** Every copy of a directory has the same broken block. */
  private void damage(String path) {
    long object = path.equals("/") ? 1 : tree("/").get(path).getObjectId();
    ObjectName name = ObjectName.of(1, object);
    for (FakeOsd osd : world.osds) {
      if (osd.objects().contains(name)) {
        osd.flipBit(name, Layout.BLOCK_BYTES + 200);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/a", "/a/b"})
  void directoryWithoutAWholeCopyIsRemadeAndGetsItsNamesBack(String path) throws Exception {
    begin(40);
    populate();
    SortedMap<String, FileAttributes> before = tree("/");
    damage(path);
    loseManager();
    recover();
    assertEquals(before.keySet(), tree("/").keySet());
    assertEquals(1, recovery().getRemade(), () -> recovery().toString());
    assertEquals(path.equals("/") ? 1 : 2, recovery().getReturned());
    assertEquals(0, recovery().getFound());
    assertEquals(1, recovery().getNotesCount(), () -> recovery().toString());
    assertEquals(1 + before.size(), filesOfVolume());
    await(client.unlink("/a/b/g"));
    await(client.unlink("/a/b/moved"));
    await(client.rmdir("/a/b"));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void remadeDirectoryKeepsItsNamesAfterAnInterruptedRecovery(long seed) throws Exception {
    begin(seed);
    populate();
    for (int number = 0; number < 50; number++) {
      await(client.mkdir("/a/b/" + number, 0755, 0, false));
    }
    await(world.manager().flushed());
    SortedMap<String, FileAttributes> before = tree("/");
    damage("/a/b");
    loseManager();
    SplittableRandom random = new SplittableRandom(seed);
    for (int attempt = 0; attempt < 6; attempt++) {
      world.launch();
      world.pass(1 + random.nextInt(attempt < 3 ? 1_200 : 9_000));
      world.kill();
    }
    recover();
    assertEquals(before.keySet(), tree("/").keySet());
  }

  /** Rounds bring it the header and what changes; the other blocks come later. */
  @Test
  void directoryCopyInCatchUpIsNotRead() throws Exception {
    begin(41);
    await(client.mkdir("/big", 0755, 0, false));
    for (int number = 0; number < 300; number++) {
      await(client.mkdir("/big/old-" + number, 0755, 0, false));
    }
    await(world.manager().flushed());
    ObjectName big = ObjectName.of(1, tree("/").get("/big").getObjectId());
    for (int number = 1; number <= world.osds.size(); number++) {
      FakeOsd osd = osd(number);
      if (osd.objects().contains(big)) {
        byte[] old = osd.bytes(big);
        for (int more = 0; more < 20; more++) {
          await(client.mkdir("/big/new-" + number + "-" + more, 0755, 0, false));
          await(client.rmdir("/big/old-" + (number * 20 + more)));
        }
        await(world.manager().flushed());
        SortedMap<String, FileAttributes> before = tree("/");
        loseManager();
        for (int block = 1; block < old.length / Layout.BLOCK_BYTES; block++) {
          int from = block * Layout.BLOCK_BYTES;
          osd.overwrite(big, block, Arrays.copyOfRange(old, from, from + Layout.BLOCK_BYTES));
        }
        recover();
        assertEquals(before.keySet(), tree("/").keySet(), "osd-" + number);
        assertEquals(1, recovery().getStaleCopies());
        world.time.runUntil("its nodes are counted", () -> health().getFiles() > 0);
        world.time.runUntil("the copy is caught up", () -> health().getLaggingCopies() == 0);
      }
    }
  }

  /** The copy that has the newest names cannot be read, and the others have missed them. */
  private void rotNewest(boolean withOthers) throws Exception {
    ObjectName root = ObjectName.of(1, 1);
    List<FakeOsd> holders =
        world.osds.stream().filter(osd -> osd.objects().contains(root)).toList();
    Map<FakeOsd, byte[]> old = new HashMap<>();
    holders.forEach(osd -> old.put(osd, osd.bytes(root)));
    await(client.mkdir("/late", 0755, 0, false));
    await(world.manager().flushed());
    loseManager();
    FakeOsd newest = holders.get(0);
    old.remove(newest);
    old.forEach(
        (osd, bytes) -> {
          for (int block = 0; block < bytes.length / Layout.BLOCK_BYTES; block++) {
            int from = block * Layout.BLOCK_BYTES;
            osd.overwrite(root, block, Arrays.copyOfRange(bytes, from, from + Layout.BLOCK_BYTES));
          }
        });
    int blocks = withOthers ? newest.bytes(root).length / Layout.BLOCK_BYTES : 1;
    for (int block = 0; block < blocks; block++) {
      newest.flipBit(root, block * Layout.BLOCK_BYTES + 200);
    }
  }

  @Test
  void oldCopyIsRefusedWhenTheNewestHeaderIsDamaged() throws Exception {
    begin(43);
    populate();
    rotNewest(false);
    recover();
    assertTrue(tree("/").containsKey("/late"), () -> tree("/").keySet().toString());
    assertEquals(1, recovery().getRemade(), () -> recovery().toString());
    assertEquals(0, recovery().getFound(), () -> recovery().toString());
  }

  @Test
  void undecidableNewestCopyIsReported() throws Exception {
    begin(44);
    populate();
    rotNewest(true);
    recover();
    assertEquals(0, recovery().getRemade(), () -> recovery().toString());
    assertTrue(
        recovery().getNotesList().stream()
            .anyMatch(
                note -> note.contains("directory 1:") && note.contains("may have been newer")),
        () -> recovery().toString());
  }

  /** The removal that emptied a bucket has changed no block but the header, which has rotted. */
  @Test
  void aNewestCopyWhoseOnlyNewBlockHasRottedIsNamed() throws Exception {
    begin(46);
    populate();
    await(client.mkdir("/solo", 0755, 0, false));
    await(client.mkdir("/solo/gone", 0755, 0, false));
    await(world.manager().flushed());
    ObjectName solo = ObjectName.of(1, tree("/").get("/solo").getObjectId());
    OldDirectories old = new OldDirectories(solo.object().value());
    await(client.rmdir("/solo/gone"));
    await(world.manager().flushed());
    FakeOsd newest =
        world.osds.stream().filter(osd -> osd.objects().contains(solo)).findFirst().orElseThrow();
    byte[] now = newest.bytes(solo);
    loseManager();
    old.giveBack();
    for (int block = 0; block < now.length / Layout.BLOCK_BYTES; block++) {
      int from = block * Layout.BLOCK_BYTES;
      newest.overwrite(solo, block, Arrays.copyOfRange(now, from, from + Layout.BLOCK_BYTES));
    }
    newest.flipBit(solo, 200);
    recover();
    assertEquals(0, recovery().getRemade(), () -> recovery().toString());
    assertTrue(
        recovery().getNotesList().stream()
            .anyMatch(
                note ->
                    note.contains("directory %s:".formatted(solo.object()))
                        && note.contains("may have been newer")),
        () -> recovery().toString());
  }

  @Test
  void unreadableObjectIsReportedAndSkipped() throws Exception {
    begin(42);
    populate();
    SortedMap<String, FileAttributes> before = tree("/");
    FileAttributes file = before.get("/a/f");
    int holder = StorageMap.fromMessage(file.getMap()).osdOf(0).value();
    loseManager();
    osd(holder).spoil(ObjectName.of(1, file.getObjectId()));
    recover();
    assertEquals(before.keySet(), tree("/").keySet());
    assertEquals(1, recovery().getUnreadable(), () -> recovery().toString());
    String note = recovery().getNotes(0);
    assertTrue(note.contains("osd-" + holder) && note.contains("" + file.getObjectId()), note);
  }

  @Test
  void usersLostAndFoundDirectoryIsLeftAlone() throws Exception {
    begin(44);
    populate();
    await(client.mkdir("/" + AdoptNameless.DIRECTORY, 0755, 0, false));
    await(
        client.setAttributes(
            "/" + AdoptNameless.DIRECTORY,
            new VolumeCalls.Changes(
                OptionalInt.empty(),
                Optional.of("alice"),
                Optional.empty(),
                OptionalLong.empty(),
                OptionalLong.empty())));
    await(world.manager().flushed());
    ObjectName directory = ObjectName.of(1, tree("/").get("/a/b").getObjectId());
    loseManager();
    world.osds.forEach(osd -> osd.loseObject(directory));
    recover();
    SortedMap<String, FileAttributes> after = tree("/");
    String other = "/" + AdoptNameless.DIRECTORY + "-1";
    assertEquals("alice", after.get("/" + AdoptNameless.DIRECTORY).getOwner());
    assertEquals(0700, after.get(other).getMode());
    assertEquals(2, after.keySet().stream().filter(path -> path.startsWith(other + "/")).count());
    assertEquals(4 + 2, after.size(), () -> after.keySet().toString());
  }

  /** SysMgr knows of them, and the journal alone knew that they were made, or deleted. */
  @Test
  void volumesWithinHaveTheirNames() throws Exception {
    begin(45);
    populate();
    OldDirectories old = new OldDirectories(1);
    long deleted = world.cluster.createVolume("/deleted");
    awaitState(deleted, VolumeState.ACTIVE);
    await(world.manager().flushed());
    OldDirectories withDeleted = new OldDirectories(1);
    world.cluster.deleteVolume(deleted);
    world.time.runUntil("it is gone", () -> world.cluster.volume(deleted).isEmpty());
    long made = world.cluster.createVolume("/made");
    awaitState(made, VolumeState.ACTIVE);
    await(world.manager().flushed());
    Set<String> before = namesInRoot();
    for (OldDirectories each : List.of(withDeleted, old)) {
      loseManager();
      each.giveBack();
      world.cluster.recovery(made, true);
      recover();
      assertEquals(before, namesInRoot());
      assertTrue(before.contains("made") && !before.contains("deleted"), before::toString);
      world.time.runUntil("the nodes are counted", () -> health().getFiles() > 0);
      await(world.manager().flushed());
    }
  }

  private void awaitState(long volume, VolumeState state) {
    world.time.runUntil(
        "volume " + volume + " is " + state,
        () -> world.cluster.volume(volume).filter(row -> row.getState() == state).isPresent());
  }

  private Set<String> namesInRoot() {
    return await(client.readdir("/", 0, MAX_ENTRIES, false)).getEntriesList().stream()
        .map(DirectoryEntry::getName)
        .collect(Collectors.toSet());
  }

  /** The writer makes it after objects were counted, and before it is shut out. */
  @Test
  void recoveryGoesOnWhileAWriterCreatesTheNextObject() throws Exception {
    begin(43);
    populate();
    Written next = create("/next");
    loseManager();
    AtomicBoolean made = new AtomicBoolean();
    osd(next.map().osdOf(0).value())
        .faults(
            opcode -> {
              if (opcode != Opcode.REMOVE || !made.compareAndSet(false, true)) {
                return Fault.NONE;
              }
              var unused = send(next, 0, 1);
              return Fault.refuse(ErrorCode.UNAVAILABLE);
            });
    recover();
    assertTrue(made.get());
    assertEquals(1, recovery().getHeadless(), "no attributes came with it");
  }

  @Test
  void osdsThatAreAwayAreWaitedFor() throws Exception {
    begin(6);
    populate();
    SortedMap<String, FileAttributes> before = tree("/");
    loseManager();
    world.osdDown(3);
    world.launch();
    world.pass(20_000);
    assertFalse(world.manager().isServing());
    String said = health().getState();
    assertTrue(said.contains("OSDs [3] are away") && said.contains("weft osd remove"), said);
    world.osdUp(3);
    world.awaitServing();
    client = world.superuser();
    assertEquals(before, tree("/"));
  }

  @Test
  void aWriterOfBeforeIsShutOut() throws Exception {
    begin(7);
    // The last one holds no attributes, and is not there yet: its writer had the right to make it.
    Written file = create("/f", Layout.of(3, 1));
    write(file, 0, 2, 1);
    await(world.manager().flushed());
    loseManager();
    recover();
    for (int component = 0; component < 4; component++) {
      int at = component;
      CompletionException refused =
          assertThrows(CompletionException.class, () -> write(file, at, at + 1, 2));
      ErrorCode code = WeftException.of(refused).code();
      assertTrue(
          code == ErrorCode.FENCED || code == ErrorCode.TOMBSTONE,
          () -> "component " + at + ": " + refused);
    }
  }

  @Test
  void filesOfDeadWritersAreResolved() throws InvalidProtocolBufferException, IOException {
    begin(8);
    Written whole = create("/whole");
    write(whole, 0, 3, 1);
    Written part = create("/part");
    write(part, 0, 1, 1);
    closed("/closed");
    await(world.manager().flushed());
    loseManager();
    recover();
    assertTrue(recovery().getResolving() >= 2, () -> recovery().toString());
    world.time.runUntil("its nodes are counted", () -> health().getFiles() > 0);
    world.time.runUntil("all is in order", () -> health().getWriteGrants() == 0);
    SortedMap<String, FileAttributes> after = tree("/");
    assertEquals(EOF_BYTES, after.get("/whole").getSize());
    assertEquals(0, after.get("/part").getSize(), "it cannot be read");
    assertEquals(EOF_BYTES, after.get("/closed").getSize());
    for (FakeOsd osd : world.osds) {
      for (Written each : List.of(whole, part)) {
        ObjectName name = ObjectName.of(1, each.held().objectId());
        if (osd.objects().contains(name)) {
          assertEquals(List.of(), osd.pendingWrites(name));
        }
      }
    }
    assertEquals(0, health().getUnresolvedFiles());
  }

  @Test
  void managerWithoutAJournalSaysSoAndDoesNotServe() throws Exception {
    begin(9);
    populate();
    world.kill();
    try (Stream<Path> files = Files.walk(folder.resolve("volume-1"))) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
    world.launch();
    world.time.runUntil(
        "it has looked", () -> !world.manager().health().isEmpty() && health().getJournalLost());
    assertTrue(health().getState().contains("weft volume recover"), health().getState());
    world.pass(10_000);
    assertFalse(world.manager().isServing());
  }
}
