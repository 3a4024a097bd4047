package org.weft.client.stripe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;
import static org.weft.client.stripe.StripeWriterTest.failureOf;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.WriteRequest;
import org.weft.testkit.osd.Fault;

/** What a scrub and a reader believe of components that are gone, blank, missing or cut. */
class ScrubRulesTest {
  private final StripeWorld world = new StripeWorld(21, 12);
  private final StripedFile file = world.newFile(StripeWorld.layout(3, 1));

  private StripedFile readable(StripedFile written) {
    return world.readable(written.name(), written.map());
  }

  private ScrubReport repair(StripedFile of, long published, int truncation) {
    StripedFile managed = world.managed(of);
    return world.time.await(
        world.engine.scrub(managed).repair(StripeWorld.grantOf(managed), published, truncation));
  }

  private RpcException refusal(StripedFile of, long published) {
    StripedFile managed = world.managed(of);
    return failureOf(
        world, world.engine.scrub(managed).repair(StripeWorld.grantOf(managed), published, 0));
  }

  /**
   * As a manager leaves a component that it flushed attributes to, or shut a dead writer out of.
   */
  private void makeBlank(int component) {
    world.osdOf(file, component).loseObject(file.name());
    SetAttributesRequest.Builder attributesAlone =
        SetAttributesRequest.newBuilder()
            .setObjectId(file.name().object().value())
            .setCreate(file.map().tag(component));
    world.time.await(
        world
            .engine
            .osds()
            .setAttributes(world.managed(file).target(component, 1_000), attributesAlone));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPublishedComponentThatIsGoneIsNeverMadeAnew(boolean blank) {
    byte[] content = world.bytes(4 * UNIT_BYTES);
    world.writeAll(file, content);
    if (blank) {
      makeBlank(3);
    } else {
      world.osdOf(file, 3).loseObject(file.name());
    }
    RpcException refused = refusal(file, content.length);
    assertEquals(ErrorCode.TOO_MANY_LOST, refused.code());
    assertTrue(refused.getMessage().contains("component 3 on OSD"), refused.getMessage());
    assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
  }

  @Test
  void aPublishedCopyThatIsGoneIsNeverMadeAnew() {
    world.writeAll(file, world.bytes(5_000));
    world.osdOf(file, 1).loseObject(file.name());
    assertEquals(ErrorCode.TOO_MANY_LOST, refusal(file, 5_000).code());
    // Nobody was told of it: then the other copy counts.
    assertEquals(5_000, repair(file, 0, 0).eofBytes());
  }

  @Test
  void aBlankComponentIsDecodedAndNotReadAsZeros() {
    byte[] content = world.bytes(20 * UNIT_BYTES);
    world.writeAll(file, content);
    makeBlank(2);
    assertArrayEquals(content, world.readAll(world.reader(file, content.length)));
    StripedFile small = world.newFile(StripeWorld.layout(3, 1));
    byte[] little = world.bytes(100);
    world.writeAll(small, little);
    assertArrayEquals(little, world.readAll(world.reader(small, 100)));
  }

  @Test
  void withAComponentMissingOnlyWhatNobodyTouchedIsInOrder() {
    byte[] content = world.bytes(20 * UNIT_BYTES);
    world.writeAll(file, content);
    StripedFile lessened = StripeWorld.missing(file, 2);
    WriteTerms next = world.reopened(file.name(), lessened.map(), 0);
    long first = next.grant().number();
    StripedFile managed = world.managed(lessened);
    long number = StripeWorld.grantOf(managed);
    ParityScrubber scrubber = world.engine.scrub(managed);
    assertEquals(
        new ScrubReport(content.length, 0, 0, 0, 0),
        world.time.await(scrubber.repairSince(first, number, content.length, 0)));

    StripeUpdater updater = world.engine.update(next, content.length, Regrants.NONE, f -> {});
    world.time.await(updater.write(7, ByteBuffer.allocate(3)));
    RpcException waits = failureOf(world, scrubber.repairSince(first, number, content.length, 0));
    assertEquals(ErrorCode.UNAVAILABLE, waits.code());
    assertTrue(waits.getMessage().contains("waits for component 2 on OSD"), waits.getMessage());
    assertEquals(ErrorCode.UNAVAILABLE, refusal(lessened, content.length).code());
  }

  /** Only the stripes that a dead writer touched are looked at, and the last one. */
  @Test
  void aScrubOfALongFileLooksAtWhatTheDeadWriterTouched() {
    byte[] content = world.bytes(90 * UNIT_BYTES);
    world.writeAll(file, content);
    WriteTerms next = world.reopened(file.name(), file.map(), 0);
    StripeUpdater updater = world.engine.update(next, content.length, Regrants.NONE, f -> {});
    byte[] bytes = world.bytes(4 * UNIT_BYTES);
    world.time.await(updater.write(10L * 3 * UNIT_BYTES, ByteBuffer.wrap(bytes)));
    System.arraycopy(bytes, 0, content, 10 * 3 * UNIT_BYTES, bytes.length);
    StripedFile managed = world.managed(file);
    ScrubReport report =
        world.time.await(
            world
                .engine
                .scrub(managed)
                .repairSince(
                    next.grant().number(), StripeWorld.grantOf(managed), content.length, 0));
    assertEquals(new ScrubReport(content.length, 3, 0, 0, 0), report);
    assertArrayEquals(content, world.readAll(world.reader(readable(file), content.length)));
  }

  /** A cut was journalled, and its writer died before any component heard of it (P 4.3). */
  @ParameterizedTest
  @CsvSource({
    "1, false",
    "5000, true",
    "8192, false",
    "16461, false",
    "16461, true",
    "57345, false",
    "57345, true"
  })
  void whatLiesBehindAJournalledCutBecomesZeros(int size, boolean bySuspects) {
    byte[] content = world.bytes(20 * UNIT_BYTES);
    world.writeAll(file, content);
    StripedFile managed = world.fenced(file);
    long number = StripeWorld.grantOf(managed);
    ParityScrubber scrubber = world.engine.scrub(managed);
    CompletableFuture<ScrubReport> scrubbed =
        bySuspects
            ? scrubber.repairSince(number, number, size, 1)
            : scrubber.repair(number, size, 1);
    assertEquals(size, world.time.await(scrubbed).eofBytes());
    WriteTerms next = world.reopened(file.name(), file.map(), 1);
    StripeUpdater updater = world.engine.update(next, size, Regrants.NONE, f -> {});
    world.time.await(updater.extend(3 * UNIT_BYTES * 3));
    byte[] wanted = Arrays.copyOf(Arrays.copyOf(content, size), 3 * UNIT_BYTES);
    int end = (size + 3 * UNIT_BYTES - 1) / (3 * UNIT_BYTES) * 3 * UNIT_BYTES;
    wanted = Arrays.copyOf(wanted, end);
    System.arraycopy(content, 0, wanted, 0, size);
    for (int lost = 0; lost < 4; lost++) {
      StripedFile lessened = StripeWorld.missing(readable(file), lost);
      assertArrayEquals(wanted, world.readAll(world.reader(lessened, end)), "lost " + lost);
    }
  }

  @Test
  void whoOpenedAFileBeforeItWasCutIsToldToOpenItAgain() {
    byte[] content = world.bytes(20 * UNIT_BYTES);
    world.writeAll(file, content);
    StripeReader before = world.engine.read(file, content.length, false, 0, world.failures::add);
    WriteRequest.Builder cut =
        WriteRequest.newBuilder()
            .setObjectId(file.name().object().value())
            .setGrant(StripeWorld.grantOf(file))
            .setEof(100)
            .setTruncationNumber(1);
    world.time.await(world.engine.osds().write(file.target(0, 1_000), cut, Payload.EMPTY));
    RpcException failure = failureOf(world, before.read(0, ByteBuffer.allocate(100)));
    assertEquals(ErrorCode.GRANT_REVOKED, failure.code());
    StripeReader after = world.engine.read(file, 100, false, 1, world.failures::add);
    assertArrayEquals(Arrays.copyOf(content, 100), world.readAll(after));
    world.assertNothingLeaks();
  }

  /** While the first unit is read from a copy, no other write may make that copy doubtful. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aSmallFileWithoutItsFirstComponentGrowsInOneWrite(long seed) {
    StripeWorld slow = new StripeWorld(seed, 8);
    StripedFile small = slow.newFile(StripeWorld.layout(3, 1));
    byte[] content = slow.bytes(5_000);
    slow.writeAll(small, content);
    slow.osds.forEach(
        osd ->
            osd.faults(
                opcode -> {
                  CompletableFuture<Void> gate = new CompletableFuture<>();
                  slow.time.after(slow.random.nextInt(3_000_000), () -> gate.complete(null));
                  return Fault.hold(gate);
                }));
    StripedFile lessened = StripeWorld.missing(small, 0);
    WriteTerms terms = slow.reopened(small.name(), lessened.map(), 0);
    StripeUpdater updater = slow.engine.update(terms, 5_000, Regrants.NONE, f -> {});
    byte[] more = slow.bytes(30 * UNIT_BYTES);
    slow.time.await(updater.write(4_500, ByteBuffer.wrap(more)));
    byte[] wanted = Arrays.copyOf(content, 4_500 + more.length);
    System.arraycopy(more, 0, wanted, 4_500, more.length);
    StripedFile readable = slow.readable(small.name(), lessened.map());
    assertArrayEquals(wanted, slow.readAll(slow.reader(readable, wanted.length)));
  }

  /** Groups that the file has not reached are not asked for; what was never stored is zeros. */
  @Test
  void aSparseFileOfSeveralGroupsReadsAsZerosWhereNothingWasWritten() {
    StripedFile sparse = world.newFile(new Layout(2, 1, UNIT_BYTES, 2, 3));
    WriteTerms terms = world.reopened(sparse.name(), sparse.map(), 0);
    StripeUpdater updater = world.engine.update(terms, 0, Regrants.NONE, world.failures::add);
    byte[] bytes = world.bytes(10);
    world.time.await(updater.write(6L * UNIT_BYTES, ByteBuffer.wrap(bytes)));
    long size = updater.sizeBytes();
    byte[] wanted = new byte[(int) size];
    System.arraycopy(bytes, 0, wanted, 6 * UNIT_BYTES, 10);
    assertArrayEquals(wanted, world.readAll(world.reader(readable(sparse), size)));
    assertEquals(0, world.failures.size(), world.failures::toString);
    // The second group is touched, the third is not.
    assertTrue(world.osdOf(sparse, 5).objects().contains(sparse.name()));
    assertTrue(!world.osdOf(sparse, 6).objects().contains(sparse.name()));
  }
}
