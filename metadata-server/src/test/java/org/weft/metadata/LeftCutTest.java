package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.osd.OsdConnections;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.base.CompletePoint;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripeGrant;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.check.ParityReport;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.OpenReply;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;
import org.weft.testkit.sim.SimProcess;

/** A writer dies between the record of a cut and its end: the manager finishes it (P 4.3). */
class LeftCutTest {
  private static final int UNIT = Layout.DEFAULT_UNIT_BYTES;
  private static final Layout LAYOUT = Layout.of(2, 1);
  private static final int FILE_BYTES = 5 * UNIT;
  private static final int CUT_TO = 2 * UNIT + 5;

  @TempDir Path folder;

  private ManagerWorld world;
  private SimProcess writerProcess;
  private VolumeCalls writer;
  private VolumeCalls other;
  private StripeEngine engine;
  private ObjectName name;
  private final byte[] content = new byte[FILE_BYTES];

  /** A file of five units that another client wrote and closed. */
  private void begin(long seed) {
    world = new ManagerWorld(seed, 5, folder);
    world.start();
    writerProcess = world.newProcess();
    writer = world.clientIn(writerProcess);
    other = world.superuser();
    OsdConnections connections = world.osdConnections();
    engine =
        new StripeEngine(
            world.someEnvironment(),
            connections,
            world.time.newPool("cpu", 2, 10_000),
            StripeOptions.defaults());
    new SplittableRandom(seed).nextBytes(content);
    var created =
        await(
            other.create(
                "/f",
                new VolumeCalls.Creation(0666, 0, false, false, Optional.of(LAYOUT.toMessage()))));
    FileAttributes file = created.body().getAttributes();
    name = ObjectName.of(1, file.getObjectId());
    StripeUpdater updater = updater(created.body().getGrant(), 0);
    await(updater.write(0, ByteBuffer.wrap(content)));
    close(created.sessionId(), created.body().getGrant().getNumber(), updater);
  }

  private void close(long sessionId, long number, StripeUpdater updater) {
    CompletePoint complete = updater.complete();
    updater.close();
    await(
        other.close(
            new SessionGrant("/f", sessionId, name.object().value(), number),
            updater.sizeBytes(),
            complete.under(number),
            false));
  }

  private StripeUpdater updater(Grant grant, long sizeBytes) {
    StripeGrant terms =
        new StripeGrant(
            grant.getNumber(),
            grant.getMetaCopies(),
            Optional.empty(),
            grant.getTruncationNumber());
    return engine.update(
        new WriteTerms(file(grant), terms), sizeBytes, Regrants.NONE, failure -> {});
  }

  private StripedFile file(Grant grant) {
    return new StripedFile(
        name,
        StorageMap.fromMessage(grant.getMap()),
        new SignedCapability(grant.getCapability(), grant.getSecret().toByteArray()));
  }

  /** The cut is journalled, and its writer dies before it has told any OSD. */
  private void leaveCut() {
    journalCut();
    writerProcess.kill();
  }

  private SessionReply<OpenReply> journalCut() {
    SessionReply<OpenReply> opened = await(writer.openForWriting("/f"));
    SessionGrant held =
        new SessionGrant(
            "/f", opened.sessionId(), name.object().value(), opened.body().getGrant().getNumber());
    await(writer.grants().setLength(held, CUT_TO, 0));
    return opened;
  }

  private FileAttributes attributes() {
    return await(other.attributes("/f"));
  }

  private void awaitFinished() {
    world.pass(300);
    world.time.runUntil(
        "the cut is over",
        () ->
            world.isRunning()
                && world.manager().isServing()
                && world.manager().health().get(0).getWriteGrants() == 0
                && !attributes().getHasTrim());
  }

  /** Nothing of what was cut off is anywhere, nothing is pending, and all else is as it was. */
  private void assertCut() {
    OpenReply open = await(other.openForReading("/f")).body();
    assertFalse(open.getGrant().getBeingWritten());
    assertEquals(CUT_TO, open.getAttributes().getSize());
    assertEquals(1, open.getAttributes().getTruncationNumber());
    StripedFile file = file(open.getGrant());
    if (file.map().missing().isEmpty()) {
      ParityReport report = await(engine.parityOf(file).verify());
      assertEquals(0, report.wrongUnits());
      assertEquals(CUT_TO, report.eofBytes());
    }
    byte[] found = new byte[CUT_TO];
    int read =
        await(engine.read(file, CUT_TO, false, 1, failure -> {}).read(0, ByteBuffer.wrap(found)));
    assertEquals(CUT_TO, read);
    assertArrayEquals(Arrays.copyOf(content, CUT_TO), found);
    StorageMap map = file.map();
    for (int component = 0; component < map.components().size(); component++) {
      if (!map.isMissing(component)) {
        FakeOsd holder = osd(map.osdOf(component).value());
        assertEquals(List.of(), holder.pendingWrites(name), "component " + component);
        assertEquals(1, holder.truncationNumber(name), "component " + component);
        assertTrue(holder.bytes(name).length <= 2 * UNIT, "component " + component);
      }
    }
  }

  private FakeOsd osd(int number) {
    return world.osds.get(number - 1);
  }

  @Test
  void isFinishedWithoutAnOpeningOfTheFile() {
    begin(1);
    long mtime = attributes().getMtimeMillis();
    leaveCut();
    awaitFinished();
    assertCut();
    assertTrue(attributes().getMtimeMillis() > mtime, "it was cut");
  }

  /** What it begins with is kept apart from what the dead writer may still send. */
  @Test
  void lateWritesOfTheTruncatingWriterAreRefused() {
    begin(2);
    SessionReply<OpenReply> opened = journalCut();
    StripeUpdater late = updater(opened.body().getGrant(), FILE_BYTES);
    writerProcess.kill();
    awaitFinished();
    assertEquals(
        ErrorCode.FENCED, refusal(late.write(UNIT, ByteBuffer.wrap(new byte[] {1, 2, 3}))));
    assertCut();
  }

  @Test
  void aClientThatOpensTheFileMeanwhileWaitsUntilItIsOver() {
    begin(3);
    CompletableFuture<Void> gate = new CompletableFuture<>();
    world.osds.forEach(
        osd -> osd.faults(opcode -> opcode == Opcode.TRUNCATE ? Fault.hold(gate) : Fault.NONE));
    leaveCut();
    world.pass(11_000);
    assertTrue(attributes().getHasTrim());
    CompletableFuture<SessionReply<OpenReply>> opening =
        other.openForWriting("/f", false, OptionalInt.of(60_000));
    world.pass(2_000);
    assertFalse(opening.isDone());
    gate.complete(null);
    Grant next = await(opening).body().getGrant();
    assertFalse(next.getHasTrim());
    assertEquals(1, next.getTruncationNumber());
    StripeUpdater updater = updater(next, CUT_TO);
    await(updater.write(3 * UNIT, ByteBuffer.wrap(new byte[] {7})));
    byte[] found = new byte[UNIT];
    assertEquals(UNIT - 5 + 1, await(updater.read(CUT_TO, ByteBuffer.wrap(found))));
    byte[] expected = new byte[UNIT];
    expected[UNIT - 5] = 7;
    assertArrayEquals(expected, found);
  }

  /** The stripe that is cut has lost a data unit: what stays of it is computed. */
  @Test
  void isFinishedWithoutAnOsdThatIsDown() {
    begin(4);
    int lost = LAYOUT.dataComponent(1, 0);
    world.osdDown(attributes().getMap().getOsd(lost));
    leaveCut();
    awaitFinished();
    assertEquals(List.of(lost), attributes().getMap().getMissingList());
    assertCut();
  }

  @Test
  void anOsdThatIsLostInTheMiddleIsDoneWithout() {
    begin(5);
    int lost = LAYOUT.parityComponent(1, 0);
    int osd = attributes().getMap().getOsd(lost);
    osd(osd).faults(opcode -> opcode == Opcode.TRUNCATE ? Fault.SILENCE : Fault.NONE);
    leaveCut();
    world.pass(20_000);
    assertTrue(attributes().getHasTrim());
    world.osdDown(osd);
    awaitFinished();
    assertEquals(List.of(lost), attributes().getMap().getMissingList());
    assertCut();
  }

  @Test
  void failedTruncationIsReportedAndRetried() {
    begin(6);
    FakeOsd full = osd(attributes().getMap().getOsd(0));
    full.faults(
        opcode -> opcode == Opcode.TRUNCATE ? Fault.refuse(ErrorCode.NO_SPACE) : Fault.NONE);
    leaveCut();
    world.time.runUntil(
        "it is said",
        () -> world.manager().problems().toString().contains("wait for their truncation"));
    assertTrue(attributes().getHasTrim());
    full.faults(opcode -> Fault.NONE);
    awaitFinished();
    assertCut();
    world.pass(500);
    assertEquals(List.of(), world.manager().problems());
  }

  /** Its OSD is up, and refuses of itself: without this no attempt would ever end. */
  @Test
  void aComponentThatItsOsdCallsDamagedIsDoneWithout() {
    begin(8);
    FakeOsd damaged = osd(attributes().getMap().getOsd(0));
    damaged.faults(
        opcode -> opcode == Opcode.TRUNCATE ? Fault.refuse(ErrorCode.BAD_MEDIA) : Fault.NONE);
    leaveCut();
    awaitFinished();
    assertEquals(List.of(0), attributes().getMap().getMissingList());
    assertCut();
  }

  @Test
  void unlinkedFileNeedsNoTruncation() {
    begin(7);
    osd(attributes().getMap().getOsd(0))
        .faults(opcode -> opcode == Opcode.TRUNCATE ? Fault.SILENCE : Fault.NONE);
    leaveCut();
    world.pass(12_000);
    assertTrue(attributes().getHasTrim(), "its cut is under way");
    await(other.unlink("/f"));
    world.osds.forEach(osd -> osd.faults(opcode -> Fault.NONE));
    world.time.runUntil(
        "nothing is left of it",
        () -> world.osds.stream().noneMatch(osd -> osd.objects().contains(name)));
  }

  static LongStream seeds() {
    return LongStream.range(20, 20 + Long.getLong("weft.resolve.seeds", 8));
  }

  /** Wherever it dies, the next one begins with what it finds. */
  @ParameterizedTest
  @MethodSource("seeds")
  void nextManagerFinishesTheTruncationOfDyingManagers(long seed) {
    begin(seed);
    SplittableRandom random = new SplittableRandom(seed);
    leaveCut();
    world.pass(9_900);
    for (int kill = 0; kill < 6; kill++) {
      world.time.pass(TimeUnit.MICROSECONDS.toNanos(random.nextLong(600_000)));
      world.kill();
      world.start();
    }
    awaitFinished();
    assertCut();
  }

  private ErrorCode refusal(CompletableFuture<?> call) {
    CompletionException thrown =
        assertThrows(CompletionException.class, () -> world.time.await(call));
    return WeftException.of(thrown).code();
  }

  private <T> T await(CompletableFuture<T> call) {
    try {
      return world.time.await(call);
    } catch (CompletionException e) {
      throw new AssertionError(WeftException.of(e).toString(), e);
    }
  }
}
