package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.osd.OsdClient;
import org.weft.client.osd.OsdTarget;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.LostComponent;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.RegrantReply;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.WriteRequest;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;
import org.weft.testkit.sim.SimProcess;

/** A writer loses an OSD and goes on without it; managers die meanwhile (P 5.8). */
class LostComponentTest {
  private static final Layout LAYOUT = Layout.of(2, 1);
  private static final int LOST = 1;

  @TempDir Path folder;

  private ManagerWorld world;
  private SimProcess writerProcess;
  private VolumeCalls writer;
  private VolumeCalls other;
  private OsdClient osds;

  private void begin(long seed) {
    world = new ManagerWorld(seed, 5, folder);
    world.start();
    writerProcess = world.newProcess();
    writer = world.clientIn(writerProcess);
    other = world.superuser();
    osds = new OsdClient(world.osdConnections(), world.time.newPool("osds", 2, 10_000));
  }

  /** A file that is being written, by its first grant or a later one. */
  private record Written(SessionGrant held, StorageMap map, SignedCapability capability) {
    static Written of(String path, long sessionId, FileAttributes file, Grant grant) {
      return new Written(
          new SessionGrant(path, sessionId, file.getObjectId(), grant.getNumber()),
          StorageMap.fromMessage(grant.getMap()),
          new SignedCapability(grant.getCapability(), grant.getSecret().toByteArray()));
    }

    Written after(RegrantReply reply) {
      return of(held.path(), held.sessionId(), reply.getAttributes(), reply.getGrant());
    }

    ObjectName name() {
      return ObjectName.of(1, held.objectId());
    }
  }

  private Written create(String path) {
    SessionReply<CreateReply> created =
        await(
            writer.create(
                path,
                new VolumeCalls.Creation(0644, 0, false, false, Optional.of(LAYOUT.toMessage()))));
    return Written.of(
        path, created.sessionId(), created.body().getAttributes(), created.body().getGrant());
  }

  /** One block at the beginning of each component that the map calls present. */
  private void writeSome(Written file) {
    byte[] bytes = new byte[Layout.BLOCK_BYTES];
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    for (int component = 0; component < file.map().components().size(); component++) {
      if (!file.map().isMissing(component)) {
        WriteRequest.Builder request =
            WriteRequest.newBuilder()
                .setObjectId(file.held().objectId())
                .setGrant(file.held().number())
                .setFirstSeq(1)
                .setSeqCount(1)
                .setEof(2L * LAYOUT.unitBytes())
                .addBlockCrc((int) crc.getValue())
                .setCreate(file.map().tag(component));
        OsdTarget target = new OsdTarget(file.map().osdOf(component), file.capability(), 5_000);
        await(osds.write(target, request, Payload.of(ByteBuffer.wrap(bytes))));
      }
    }
  }

  private CompletableFuture<RegrantReply> regrant(Written file) {
    return regrant(file, ErrorCode.UNAVAILABLE);
  }

  private CompletableFuture<RegrantReply> regrant(Written file, ErrorCode error) {
    LostComponent lost =
        LostComponent.newBuilder()
            .setComponentIndex(LOST)
            .setOsd(file.map().osdOf(LOST).value())
            .setError(error.number())
            .build();
    return writer.grants().regrant(file.held(), List.of(lost), 0);
  }

  private FakeOsd osd(int number) {
    return world.osds.get(number - 1);
  }

  /** The OSD ends, and SysMgr gives it up. */
  private void giveUp(int number) {
    osd(number).stop();
    world.cluster.osdState(number, NodeState.DOWN);
  }

  private VolumeHealth health() {
    return world.manager().health().get(0);
  }

  /** SysMgr has not given it up: a writer that asks once is told so, and asks again later. */
  @Test
  void impatientWriterHearsThatTheOsdIsUp() {
    begin(17);
    Written file = create("/f");
    LostComponent lost =
        LostComponent.newBuilder()
            .setComponentIndex(LOST)
            .setOsd(file.map().osdOf(LOST).value())
            .setError(ErrorCode.UNAVAILABLE.number())
            .build();
    assertEquals(
        ErrorCode.BUSY,
        refusal(() -> writer.grants().regrantNow(file.held(), List.of(lost), 0, late -> {})));
  }

  @Test
  void theWriterGoesOnOnceSysmgrHasGivenUpTheOsd() throws InvalidProtocolBufferException {
    begin(1);
    Written file = create("/f");
    writeSome(file);
    int lost = file.map().osdOf(LOST).value();
    osd(lost).stop();
    CompletableFuture<RegrantReply> asked = regrant(file);
    world.pass(1_500);
    assertFalse(asked.isDone(), "SysMgr has given up nothing");
    world.cluster.osdState(lost, NodeState.SUSPECT);
    world.pass(1_500);
    assertFalse(asked.isDone(), "SysMgr only suspects it");
    world.cluster.osdState(lost, NodeState.DOWN);
    Written next = file.after(await(asked));
    assertEquals(List.of(LOST), List.copyOf(next.map().missing()));
    world.pass(500);
    assertEquals(1, health().getRepairComponents());
    assertEquals(1, health().getRepairFiles());
    assertEquals(lost, health().getRepairs(0).getOsdId());
    writeSome(next);
    await(close(next, 2L * LAYOUT.unitBytes()));
    world.cluster.osdState(lost, NodeState.DOWN);
    await(world.manager().flushed());
    for (int component = 0; component < next.map().components().size(); component++) {
      if (component != LOST) {
        FakeOsd holder = osd(next.map().osdOf(component).value());
        FileAttributes stored =
            FileAttributes.parseFrom(holder.attributePage(next.name()).orElseThrow());
        assertEquals(next.map(), StorageMap.fromMessage(stored.getMap()));
      }
    }
    world.restartOsd(lost);
    world.cluster.osdState(lost, NodeState.UP);
    world.time.runUntil(
        "what is left there is removed", () -> !osd(lost).objects().contains(next.name()));
    world.time.runUntil("and nothing waits for it", () -> health().getLaggingCopies() == 0);
    assertEquals(1, health().getRepairComponents(), "it is to be rebuilt still");
    await(other.unlink("/f"));
    world.pass(500);
    assertEquals(0, health().getRepairComponents());
  }

  /** It has no quarantine to come: readers with the older map must find nothing there (P 5.8). */
  @Test
  void componentAnOsdGaveUpIsRemovedBeforeTheNextWrite() {
    begin(5);
    Written file = create("/f");
    writeSome(file);
    FakeOsd lost = osd(file.map().osdOf(LOST).value());
    Written next = file.after(await(regrant(file, ErrorCode.BAD_MEDIA)));
    assertEquals(List.of(LOST), List.copyOf(next.map().missing()));
    assertFalse(lost.objects().contains(file.name()), "it could be read by an older map");
    writeSome(next);
    await(close(next, 2L * LAYOUT.unitBytes()));
    world.time.runUntil("nothing waits for it", () -> health().getLaggingCopies() == 0);
  }

  /** As long as the OSD cannot be told so, it may serve readers with the older map. */
  @Test
  void resolveWaitsForAnUnreachableOsdThatGaveUpAComponent() {
    begin(6);
    Written file = create("/f");
    writeSome(file);
    int lost = file.map().osdOf(LOST).value();
    osd(lost).stop();
    CompletableFuture<RegrantReply> asked = regrant(file, ErrorCode.BAD_MEDIA);
    world.pass(3_000);
    assertFalse(asked.isDone());
    assertEquals(1, health().getUnresolvedFiles());
    world.cluster.osdState(lost, NodeState.DOWN);
    assertEquals(List.of(LOST), List.copyOf(file.after(await(asked)).map().missing()));
  }

  private CompletableFuture<FileAttributes> close(Written file, long sizeBytes) {
    return writer.close(file.held(), sizeBytes, 1, false);
  }

  /** Nothing is left to decide of it, and its attributes stay, so that it can be removed. */
  @Test
  void aFileOfWhichEverythingIsGivenUpKeepsItsAttributes() {
    begin(9);
    Written file = create("/f");
    writeSome(file);
    await(world.manager().flushed());
    for (OsdId holder : file.map().components()) {
      osd(holder.value())
          .faults(
              opcode ->
                  opcode == Opcode.LIST_PENDING ? Fault.refuse(ErrorCode.BAD_MEDIA) : Fault.NONE);
    }
    writerProcess.kill();
    world.time.runUntil("it is in order", () -> health().getWriteGrants() == 0);
    await(world.manager().flushed());
    StorageMap left = StorageMap.fromMessage(await(other.attributes("/f")).getMap());
    assertEquals(List.of(0, 1, 2), List.copyOf(left.missing()));
    assertEquals(1, left.attributeOsds().size());
    FakeOsd keeper = osd(left.attributeOsds().get(0).value());
    world.time.runUntil(
        "what is left elsewhere is removed",
        () -> world.osds.stream().filter(osd -> osd.objects().contains(file.name())).count() == 1);
    assertTrue(keeper.objects().contains(file.name()));
    world.stop();
    world.start();
    assertEquals(left, StorageMap.fromMessage(await(other.attributes("/f")).getMap()));
    await(other.unlink("/f"));
    world.time.runUntil("it is removed", () -> !keeper.objects().contains(file.name()));
  }

  /** Attributes of before the loss lie on the OSD; the next manager's cache is empty. */
  @Test
  void attributesThatTheLostOsdKeptAreNeverBelieved() {
    begin(2);
    List<Written> files = new ArrayList<>();
    for (int number = 0; number < 12; number++) {
      files.add(create("/f" + number));
      writeSome(files.get(number));
    }
    await(world.manager().flushed());
    int lost = files.get(0).map().osdOf(LOST).value();
    giveUp(lost);
    List<Written> withLoss =
        files.stream().filter(file -> file.map().osdOf(LOST).value() == lost).toList();
    for (Written file : withLoss) {
      await(close(file.after(await(regrant(file))), 2L * LAYOUT.unitBytes()));
    }
    world.stop();
    world.restartOsd(lost);
    world.cluster.osdState(lost, NodeState.UP);
    world.start();
    for (Written file : withLoss) {
      FileAttributes seen = await(other.attributes(file.held().path()));
      assertEquals(List.of(LOST), seen.getMap().getMissingList(), file.held().path());
      assertEquals(2L * LAYOUT.unitBytes(), seen.getSize());
    }
  }

  /**
   * The round that was to bring the first attributes to the lost OSD ends only when that is down.
   * The component was given up before. So the copy there lags for two reasons.
   */
  @Test
  void flushUnderWayDoesNotKeepARemovedComponent() {
    begin(4);
    List<Written> files = new ArrayList<>();
    for (int number = 0; number < 12; number++) {
      files.add(create("/f" + number));
    }
    await(world.manager().flushed());
    int lost = files.get(0).map().osdOf(LOST).value();
    List<Written> withLoss =
        files.stream().filter(file -> file.map().osdOf(LOST).value() == lost).toList();
    giveUp(lost);
    for (Written file : withLoss) {
      await(writer.grants().publish(file.held(), 0, 0));
    }
    world.pass(300);
    for (Written file : withLoss) {
      await(close(file.after(await(regrant(file))), 7));
    }
    world.cluster.osdState(lost, NodeState.DOWN);
    await(world.manager().flushed());
    world.restartOsd(lost);
    world.cluster.osdState(lost, NodeState.UP);
    world.time.runUntil("nothing waits for it", () -> health().getLaggingCopies() == 0);
    for (Written file : withLoss) {
      assertFalse(osd(lost).objects().contains(file.name()), file.held().path());
    }
    world.stop();
    world.start();
    for (Written file : withLoss) {
      FileAttributes seen = await(other.attributes(file.held().path()));
      assertEquals(List.of(LOST), seen.getMap().getMissingList(), file.held().path());
      assertEquals(7, seen.getSize());
    }
  }

  @Test
  void aWriterThatDiesAfterwardsIsResolvedWithoutTheComponent() {
    begin(3);
    Written file = create("/f");
    writeSome(file);
    giveUp(file.map().osdOf(LOST).value());
    writeSome(file.after(await(regrant(file))));
    writerProcess.kill();
    world.time.runUntil("it is in order", () -> health().getWriteGrants() == 0);
    FileAttributes seen = await(other.attributes("/f"));
    assertEquals(2L * LAYOUT.unitBytes(), seen.getSize());
    assertEquals(List.of(LOST), seen.getMap().getMissingList());
    assertEquals(List.of(), world.manager().problems());
    await(other.openForWriting("/f"));
  }

  /** The record that closes its grant is written, and it dies with its manager. */
  @Test
  void nextManagerResolvesAWriterThatDiedBeforeItsNextGrant() {
    begin(4);
    Written file = create("/f");
    writeSome(file);
    giveUp(file.map().osdOf(LOST).value());
    // It can be resolved when this one answers again, and not before.
    osd(file.map().osdOf(0).value()).stop();
    CompletableFuture<RegrantReply> asked = regrant(file);
    world.pass(2_000);
    assertFalse(asked.isDone());
    assertEquals(1, health().getUnresolvedFiles());
    writerProcess.kill();
    world.kill();
    world.restartOsd(file.map().osdOf(0).value());
    world.start();
    world.time.runUntil("it is in order", () -> health().getWriteGrants() == 0);
    world.pass(500);
    assertEquals(List.of(LOST), await(other.attributes("/f")).getMap().getMissingList());
    assertEquals(0, health().getUnresolvedFiles());
  }

  static LongStream seeds() {
    return LongStream.range(10, 10 + Long.getLong("weft.regrant.seeds", 8));
  }

  /** Each request is under way while managers die: its retries get one answer. */
  @ParameterizedTest
  @MethodSource("seeds")
  void everyStepHasOneAnswerThroughManagerDeaths(long seed) {
    begin(seed);
    SplittableRandom random = new SplittableRandom(seed);
    Written file = create("/f");
    writeSome(file);
    await(close(file, 2L * LAYOUT.unitBytes()));
    SessionReply<OpenReply> opened = killing(random, () -> writer.openForWriting("/f"));
    Written update =
        Written.of(
            "/f", opened.sessionId(), opened.body().getAttributes(), opened.body().getGrant());
    writeSome(update);
    long sizeBytes = 3L * LAYOUT.unitBytes();
    var nothing = killing(random, () -> writer.grants().publish(update.held(), sizeBytes, 1));
    assertEquals(sizeBytes, await(other.attributes("/f")).getSize());
    giveUp(update.map().osdOf(LOST).value());
    Written next = update.after(killing(random, () -> regrant(update)));
    assertEquals(update.map().generation() + 1, next.map().generation());
    assertEquals(
        ErrorCode.GRANT_REVOKED,
        refusal(() -> writer.grants().publish(update.held(), sizeBytes, 1)));
    FileAttributes cut = killing(random, () -> writer.grants().setLength(next.held(), 5, 1));
    assertEquals(1, cut.getTruncationNumber());
    assertEquals(5, cut.getTrim());
    assertEquals(cut, await(other.attributes("/f")));
    FileAttributes trimmed = killing(random, () -> writer.grants().trimmed(next.held(), 1, 2));
    assertFalse(trimmed.getHasTrim());
    assertEquals(trimmed, await(other.attributes("/f")));
    killing(random, () -> close(next, 5));
    FileAttributes closed = await(other.attributes("/f"));
    assertEquals(5, closed.getSize());
    assertEquals(next.map(), StorageMap.fromMessage(closed.getMap()));
    world.pass(300);
    assertEquals(1, health().getRepairComponents());
    assertEquals(0, health().getWriteGrants());
    assertFalse(await(other.openForReading("/f")).body().getGrant().getBeingWritten());
  }

  /** Asks, and has managers die at random instants until there is an answer. */
  private <T> T killing(
      SplittableRandom random, java.util.function.Supplier<CompletableFuture<T>> request) {
    int kills = random.nextInt(3);
    CompletableFuture<T> call = request.get();
    for (int kill = 0; kill < kills; kill++) {
      world.time.pass(TimeUnit.MICROSECONDS.toNanos(random.nextLong(450_000)));
      world.kill();
      world.start();
    }
    return await(call);
  }

  private ErrorCode refusal(java.util.function.Supplier<CompletableFuture<?>> request) {
    try {
      var unused = world.time.await(request.get());
      throw new AssertionError("it was not refused");
    } catch (CompletionException e) {
      return WeftException.of(e).code();
    }
  }

  private <T> T await(CompletableFuture<T> call) {
    try {
      return world.time.await(call);
    } catch (CompletionException e) {
      throw new AssertionError(WeftException.of(e).toString(), e);
    }
  }
}
