package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
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
import org.weft.client.osd.OsdConnections;
import org.weft.client.osd.OsdTarget;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.check.ParityReport;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.WriteReply;
import org.weft.protocol.wire.WriteRequest;
import org.weft.testkit.sim.SimProcess;

/**
 * A writer dies in the middle of a stripe. After its lease its file is resolved, and OSDs refuse
 * whatever it still has under way (P 5.5, 5.7, 6.5).
 */
class AbandonedFileTest {
  private static final int UNIT = Layout.DEFAULT_UNIT_BYTES;
  private static final Layout LAYOUT = Layout.of(2, 1);

  @TempDir Path folder;

  private ManagerWorld world;
  private SimProcess writerProcess;
  private VolumeCalls writer;
  private VolumeCalls other;
  private OsdClient osds;
  private StripeEngine engine;
  private SessionReply<CreateReply> created;
  private StorageMap map;
  private ObjectName name;
  private SignedCapability capability;
  private long seq = 1;

  private void begin(long seed) {
    world = new ManagerWorld(seed, 5, folder);
    world.start();
    writerProcess = world.newProcess();
    writer = world.clientIn(writerProcess);
    other = world.superuser();
    OsdConnections connections = world.osdConnections();
    osds = new OsdClient(connections, world.time.newPool("osds", 2, 10_000));
    engine =
        new StripeEngine(
            world.someEnvironment(),
            connections,
            world.time.newPool("cpu", 2, 10_000),
            StripeOptions.defaults());
    created =
        await(
            writer.create(
                "/f",
                new VolumeCalls.Creation(0644, 0, false, false, Optional.of(LAYOUT.toMessage()))));
    map = StorageMap.fromMessage(created.body().getGrant().getMap());
    name = ObjectName.of(1, created.body().getAttributes().getObjectId());
    capability =
        new SignedCapability(
            created.body().getGrant().getCapability(),
            created.body().getGrant().getSecret().toByteArray());
  }

  /** Both data units of the first stripe are written, its parity is not. */
  private void writeWithoutParity() {
    seq++;
    for (int unit = 0; unit < LAYOUT.dataUnits(); unit++) {
      await(write(LAYOUT.dataComponent(0, unit), (byte) (7 + unit), 2 * UNIT));
    }
  }

  /** The first stripe, as a writer has it on all components before it publishes it. */
  private void writeStripe() {
    writeWithoutParity();
    await(write(LAYOUT.parityComponent(0, 0), (byte) (7 ^ 8), 2 * UNIT));
  }

  /** A unit of the first stripe, under the number that is in use. */
  private CompletableFuture<WriteReply> write(int component, byte filler, long eof) {
    byte[] bytes = new byte[UNIT];
    java.util.Arrays.fill(bytes, filler);
    WriteRequest.Builder request =
        WriteRequest.newBuilder()
            .setObjectId(name.object().value())
            .setGrant(created.body().getGrant().getNumber())
            .setFirstSeq(seq)
            .setSeqCount(1)
            .addAllParticipants(List.of(0, 1, 2))
            .setEof(eof)
            .setCreate(map.tag(component));
    for (int block = 0; block < UNIT / Layout.BLOCK_BYTES; block++) {
      CRC32C crc = new CRC32C();
      crc.update(bytes, block * Layout.BLOCK_BYTES, Layout.BLOCK_BYTES);
      request.addBlockCrc((int) crc.getValue());
    }
    OsdTarget target = new OsdTarget(map.osdOf(component), capability, 5_000);
    return osds.write(target, request, Payload.of(ByteBuffer.wrap(bytes)));
  }

  private ErrorCode refusal(CompletableFuture<?> call) {
    CompletionException thrown =
        assertThrows(CompletionException.class, () -> world.time.await(call));
    return WeftException.of(thrown).code();
  }

  private void awaitResolved() {
    // The counts are those of the last tick.
    world.pass(300);
    world.time.runUntil(
        "the file is in order",
        () ->
            world.isRunning()
                && world.manager().isServing()
                && world.manager().health().get(0).getWriteGrants() == 0);
  }

  private void assertInOrder() {
    OpenReply open = await(other.openForReading("/f")).body();
    assertFalse(open.getGrant().getBeingWritten());
    StripedFile file =
        new StripedFile(
            name,
            map,
            new SignedCapability(
                open.getGrant().getCapability(), open.getGrant().getSecret().toByteArray()));
    ParityReport report = await(engine.parityOf(file).verify());
    assertEquals(0, report.wrongUnits());
    assertEquals(2L * UNIT, report.eofBytes());
    assertEquals(2L * UNIT, open.getAttributes().getSize());
  }

  @Test
  void isResolvedAfterItsWritersLease() {
    begin(1);
    writeWithoutParity();
    writerProcess.kill();
    assertTrue(await(other.openForReading("/f")).body().getGrant().getBeingWritten());
    world.pass(9_000);
    assertEquals(1, world.manager().health().get(0).getWriteGrants());
    awaitResolved();
    assertInOrder();
  }

  @Test
  void anAbandonedCloseIsResolvedAtOnce() {
    begin(2);
    writeWithoutParity();
    await(abandon());
    awaitResolved();
    assertInOrder();
  }

  @Test
  void resolvedWriterIsShutOut() {
    begin(3);
    writeWithoutParity();
    writerProcess.kill();
    awaitResolved();
    for (int component = 0; component < map.components().size(); component++) {
      assertEquals(ErrorCode.FENCED, refusal(write(component, (byte) 99, 3 * UNIT)));
    }
    assertInOrder();
  }

  @Test
  void fencedWriterCreatesNoObject() {
    begin(4);
    writerProcess.kill();
    awaitResolved();
    for (int component = 0; component < map.components().size(); component++) {
      ErrorCode code = refusal(write(component, (byte) 1, UNIT));
      assertTrue(code == ErrorCode.FENCED || code == ErrorCode.TOMBSTONE, "" + code);
    }
    assertEquals(0, await(other.openForReading("/f")).body().getAttributes().getSize());
  }

  /** The OSD is silent, and may come back: until then what it had is not known (P 5.5). */
  @Test
  void resolveWaitsForASuspectedOsdAndSaysSo() {
    begin(5);
    writeWithoutParity();
    writerProcess.kill();
    int silent = map.osdOf(LAYOUT.parityComponent(0, 0)).value();
    world.osds.get(silent - 1).stop();
    world.cluster.osdState(silent, NodeState.SUSPECT);
    world.pass(20_000);
    assertEquals(1, world.manager().health().get(0).getUnresolvedFiles());
    List<String> problems = world.manager().problems();
    assertTrue(problems.get(0).contains("wait to be resolved"), problems::toString);
    assertTrue(problems.get(0).contains("OSD " + silent), problems::toString);
    world.osdUp(silent);
    awaitResolved();
    assertInOrder();
    world.pass(500);
    assertEquals(List.of(), world.manager().problems());
  }

  private CompletableFuture<FileAttributes> abandon() {
    return writer.abandon(
        new SessionGrant(
            "/f",
            created.sessionId(),
            name.object().value(),
            created.body().getGrant().getNumber()));
  }

  /**
   * SysMgr learns of its latest start only a while later. Before that it is unknown whether the OSD
   * lost what it would be asked for.
   */
  @Test
  void resolveWaitsUntilTheLossesOfARestartedOsdAreKnown() {
    begin(14);
    writeWithoutParity();
    writerProcess.kill();
    int again = map.osdOf(1).value();
    world.osds.get(again - 1).restart();
    world.pass(20_000);
    assertEquals(1, world.manager().health().get(0).getUnresolvedFiles());
    String problems = world.manager().problems().toString();
    assertTrue(problems.contains("OSD " + again + " has started again"), problems);
    world.restartOsd(again);
    awaitResolved();
    assertInOrder();
  }

  private FileAttributes attributes() {
    return await(other.attributes("/f"));
  }

  /** Both data units stand, so that the write is kept whatever the parity's OSD has. */
  @Test
  void goesOnWithoutAnOsdThatIsDown() {
    begin(11);
    writeWithoutParity();
    writerProcess.kill();
    int lost = LAYOUT.parityComponent(0, 0);
    world.osdDown(map.osdOf(lost).value());
    awaitResolved();
    assertEquals(List.of(lost), attributes().getMap().getMissingList());
    assertEquals(2L * UNIT, attributes().getSize());
    world.osdUp(map.osdOf(lost).value());
    world.time.runUntil(
        "what is left there is removed",
        () -> !world.osds.get(map.osdOf(lost).value() - 1).objects().contains(name));
  }

  /** One data unit is gone, and the parity was never written: no client has heard of the write. */
  @Test
  void writeOnTooFewComponentsIsUndone() {
    begin(12);
    writeWithoutParity();
    writerProcess.kill();
    int lost = LAYOUT.dataComponent(0, 1);
    world.osdDown(map.osdOf(lost).value());
    awaitResolved();
    assertEquals(List.of(lost), attributes().getMap().getMissingList());
    assertEquals(0, attributes().getSize());
    assertEquals(0, world.osds.get(map.osdOf(0).value() - 1).eof(name));
  }

  /** More are down than the code bears: only their return helps. */
  @Test
  void resolveWaitsForDownOsdsBeyondTheCode() {
    begin(13);
    writeWithoutParity();
    writerProcess.kill();
    world.osdDown(map.osdOf(0).value());
    world.osdDown(map.osdOf(1).value());
    world.pass(20_000);
    assertEquals(1, world.manager().health().get(0).getUnresolvedFiles());
    String problems = world.manager().problems().toString();
    assertTrue(problems.contains("more than its parity units (1)"), problems);
    world.osdUp(map.osdOf(1).value());
    awaitResolved();
    assertEquals(List.of(0), attributes().getMap().getMissingList());
  }

  @Test
  void unlinkedAbandonedFileIsRemovedInstead() {
    begin(6);
    writeWithoutParity();
    await(other.unlink("/f"));
    assertTrue(objects() > 0);
    writerProcess.kill();
    awaitResolved();
    await(world.manager().flushed());
    assertEquals(0, objects());
  }

  private long objects() {
    return world.osds.stream().filter(osd -> osd.objects().contains(name)).count();
  }

  private SessionGrant held() {
    return new SessionGrant(
        "/f", created.sessionId(), name.object().value(), created.body().getGrant().getNumber());
  }

  private void killWriterAndManager() {
    writerProcess.kill();
    world.kill();
    world.start();
  }

  @Test
  void publishedLengthSurvivesTheDeathOfWriterAndManager() {
    begin(7);
    writeStripe();
    await(writer.grants().publish(held(), 2 * UNIT, 3));
    killWriterAndManager();
    assertEquals(2 * UNIT, await(other.openForReading("/f")).body().getAttributes().getSize());
    awaitResolved();
    assertInOrder();
  }

  /** The first length is journalled, later ones are known by the components alone. */
  @Test
  void clientsSeeThePublishedLengthAfterWriterAndManagerDieTogether() {
    begin(16);
    await(writer.grants().publish(held(), UNIT, 1));
    writeStripe();
    await(writer.grants().publish(held(), 2 * UNIT, 3));
    assertEquals(2 * UNIT, await(other.attributes("/f")).getSize());
    killWriterAndManager();
    assertEquals(2 * UNIT, await(other.attributes("/f")).getSize());
    awaitResolved();
    assertInOrder();
  }

  /** No component knows of it, so that no other process can have said it. */
  @Test
  void writerTellsARestartedManagerItsPublishedLength() {
    begin(17);
    writeStripe();
    await(writer.grants().publish(held(), 2 * UNIT, 3));
    await(writer.grants().publish(held(), 7 * UNIT, 4));
    world.kill();
    world.start();
    assertEquals(7 * UNIT, await(other.openForReading("/f")).body().getAttributes().getSize());
    await(writer.grants().publish(held(), 8 * UNIT, 5));
    assertEquals(8 * UNIT, await(other.attributes("/f")).getSize());
  }

  @Test
  void aLengthThatNoComponentKnowsStaysPublished() {
    begin(8);
    writeStripe();
    await(writer.grants().setLength(held(), 5 * UNIT, 3));
    killWriterAndManager();
    awaitResolved();
    assertEquals(5 * UNIT, await(other.attributes("/f")).getSize());
  }

  static LongStream seeds() {
    return LongStream.range(20, 20 + Long.getLong("weft.resolve.seeds", 8));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void managersThatDieOfAResolveLeaveItToTheNext(long seed) {
    begin(seed);
    SplittableRandom random = new SplittableRandom(seed);
    writeWithoutParity();
    writerProcess.kill();
    world.pass(9_900);
    for (int kill = 0; kill < 5; kill++) {
      world.time.pass(TimeUnit.MICROSECONDS.toNanos(random.nextLong(400_000)));
      world.kill();
      world.start();
    }
    awaitResolved();
    assertInOrder();
    assertEquals(ErrorCode.FENCED, refusal(write(0, (byte) 99, 3 * UNIT)));
  }

  private <T> T await(CompletableFuture<T> call) {
    try {
      return world.time.await(call);
    } catch (CompletionException e) {
      throw new AssertionError(WeftException.of(e).toString(), e);
    }
  }
}
