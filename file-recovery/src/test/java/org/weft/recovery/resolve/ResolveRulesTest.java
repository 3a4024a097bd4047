package org.weft.recovery.resolve;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.read.StripeReader;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.WriteRequest;
import org.weft.recovery.FileRecovery;
import org.weft.recovery.Resolving;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** What a resolve and a reader believe of components that are gone, blank, missing or cut. */
class ResolveRulesTest {
  private final StripeWorld world = new StripeWorld(21, 12);
  private final StripedFile file = world.newFile(StripeWorld.layout(3, 1));

  private StripedFile readable(StripedFile written) {
    return world.readable(written.name(), written.map());
  }

  private Resolving resolving(long published) {
    return new Resolving(world, file.name(), StripeWorld.grantOf(file), published, 0, false);
  }

  private ResolveOutcome resolve(StripedFile of, long published) {
    return world.time.await(resolving(published).attempt(of.map()));
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
            .context
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
    ResolveOutcome outcome = resolve(file, content.length);
    assertEquals(Set.of(3), outcome.lost().keySet());
    assertArrayEquals(content, world.readAll(world.reader(readable(file), content.length)));
  }

  /** Without it nothing is decided; marked missing it is decoded from the others. */
  @Test
  void aPublishedCopyThatIsGoneIsNeverMadeAnew() {
    byte[] content = world.bytes(5_000);
    world.writeAll(file, content);
    world.osdOf(file, 1).loseObject(file.name());
    assertEquals(Set.of(1), resolve(file, 5_000).lost().keySet());
    assertFalse(world.osdOf(file, 1).objects().contains(file.name()));
    StripedFile lessened = StripeWorld.missing(file, 1);
    assertEquals(5_000, resolve(lessened, 5_000).sizeBytes());
    assertArrayEquals(content, world.readAll(world.reader(readable(lessened), 5_000)));
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

  /** What it has may decide, so that nothing is decided and nothing changed (P 5.5). */
  @Test
  void aComponentThatDoesNotAnswerHoldsUpEverything() {
    byte[] content = world.bytes(9 * UNIT_BYTES);
    world.writeAll(file, content);
    WriteTerms next = world.reopened(file.name(), file.map(), 0);
    world.endFaults();
    StripeUpdater updater = world.engine.update(next, content.length, Regrants.NONE, f -> {});
    world.time.await(updater.write(7, ByteBuffer.allocate(3)));
    updater.abandon();
    Resolving resolving =
        new Resolving(world, file.name(), next.grant().number(), content.length, 0, false);
    world.osdOf(file, 2).stop();
    long before = world.osds.stream().mapToLong(FakeOsd::executedWrites).sum();
    WeftException waits = world.failureOf(resolving.attempt(file.map()));
    assertEquals(ErrorCode.UNAVAILABLE, waits.code());
    assertTrue(waits.getMessage().contains("OSD " + file.map().osdOf(2)), waits.getMessage());
    assertEquals(before, world.osds.stream().mapToLong(FakeOsd::executedWrites).sum());
    assertFalse(world.osdOf(file, 0).pendingWrites(file.name()).isEmpty());
    world.osdOf(file, 2).restart();
    world.time.pass(10_000_000_000L);
    assertEquals(0, resolving.resolve(file.map()).undone());
    java.util.Arrays.fill(content, 7, 10, (byte) 0);
    assertArrayEquals(content, world.readAll(world.reader(readable(file), content.length)));
  }

  /** More is gone than the code bears, and nothing will bring it back (P 5.9). */
  @Test
  void theRestOfABadlyDamagedFileIsMadeConsistent() {
    byte[] content = world.bytes(9 * UNIT_BYTES);
    world.writeAll(file, content);
    world.osdOf(file, 1).loseObject(file.name());
    world.osdOf(file, 2).loseObject(file.name());
    assertEquals(Set.of(1, 2), resolve(file, content.length).lost().keySet());
    StripedFile managed = world.fenced(file);
    ResolveTask task =
        new ResolveTask(
            StripeWorld.grantOf(managed),
            StripeWorld.grantOf(managed),
            content.length,
            0,
            false,
            true);
    ResolveOutcome outcome =
        world.time.await(new FileRecovery(world.engine).resolver(managed, task).resolve());
    assertEquals(content.length, outcome.sizeBytes());
    assertFalse(world.osdOf(file, 1).objects().contains(file.name()), "no zeros in its place");
    ByteBuffer first = ByteBuffer.allocate(UNIT_BYTES);
    world.time.await(world.reader(readable(file), content.length).read(0, first));
    assertArrayEquals(Arrays.copyOf(content, UNIT_BYTES), first.array(), "d_0 is there");
    StripeReader whole = world.reader(readable(file), content.length);
    WeftException refused = world.failureOf(whole.read(0, ByteBuffer.allocate(content.length)));
    assertEquals(ErrorCode.TOO_MANY_LOST, refused.code());
  }

  /**
   * A component that only stood by was told the length together with its creation, and keeps it:
   * all others must hear of it, for to readers a component that never heard of a byte is lost.
   */
  @Test
  void theLengthThatOutlivesAnUndoneWriteIsKnownToAll() {
    StripedFile wide = world.newFile(StripeWorld.layout(4, 1));
    long length = 3 * UNIT_BYTES;
    byte[] unit = world.bytes(UNIT_BYTES);
    int bystander = wide.layout().dataComponent(0, 3);
    for (int component = 0; component < 5; component++) {
      WriteRequest.Builder creation =
          WriteRequest.newBuilder()
              .setObjectId(wide.name().object().value())
              .setGrant(StripeWorld.grantOf(wide))
              .setEof(component == bystander ? length : 0)
              .setCreate(wide.map().tag(component));
      world.time.await(
          world.context.osds().write(wide.target(component, 500), creation, Payload.EMPTY));
    }
    List<Integer> participants =
        List.of(
            wide.layout().dataComponent(0, 0),
            wide.layout().dataComponent(0, 1),
            wide.layout().dataComponent(0, 2),
            wide.layout().parityComponent(0, 0));
    RawWrites writer = new RawWrites(world, wide, length);
    for (int component : participants.subList(0, 2)) {
      world.time.await(writer.write(component, 1, unit, participants));
    }
    ResolveOutcome outcome =
        new Resolving(world, wide.name(), StripeWorld.grantOf(wide), 0, 0, false)
            .resolve(wide.map());
    assertEquals(1, outcome.undone());
    assertEquals(length, outcome.sizeBytes());
    assertArrayEquals(new byte[(int) length], world.readAll(world.reader(readable(wide), length)));
  }

  /** A source that has rotted is no reason to give up, while k others can be read. */
  @Test
  void aWriteIsCarriedOnFromUnitsThatCanBeRead() {
    StripedFile wide = world.newFile(StripeWorld.layout(3, 2));
    byte[] content = world.bytes(6 * UNIT_BYTES);
    world.writeAll(wide, content);
    WriteTerms next = world.reopened(wide.name(), wide.map(), 0);
    int silent = wide.map().layout().parityComponent(0, 1);
    world.osdOf(wide, silent).faults(opcode -> opcode == Opcode.WRITE ? Fault.SILENCE : Fault.NONE);
    StripeUpdater updater = world.engine.update(next, content.length, Regrants.NONE, f -> {});
    byte[] bytes = world.bytes(2 * UNIT_BYTES);
    var unused = updater.write(0, ByteBuffer.wrap(bytes));
    world.time.pass(100_000_000L);
    updater.abandon();
    world.time.pass(60_000_000_000L);
    world.osdOf(wide, silent).faults(opcode -> Fault.NONE);
    world.osdOf(wide, wide.map().layout().dataComponent(0, 2)).flipBit(wide.name(), 77);
    Resolving resolving =
        new Resolving(world, wide.name(), next.grant().number(), content.length, 0, false);
    assertEquals(1, resolving.resolve(wide.map()).decided());
    System.arraycopy(bytes, 0, content, 0, bytes.length);
    ByteBuffer[] data = new ByteBuffer[3];
    Arrays.setAll(data, i -> ByteBuffer.wrap(content, i * UNIT_BYTES, UNIT_BYTES).slice());
    ByteBuffer[] parity = {ByteBuffer.allocate(UNIT_BYTES), ByteBuffer.allocate(UNIT_BYTES)};
    new ErasureCode(3, 2).encode(data, parity);
    byte[] stored = world.osdOf(wide, silent).bytes(wide.name());
    assertArrayEquals(parity[1].array(), Arrays.copyOf(stored, UNIT_BYTES));
  }

  /** What two of three units of a stripe, and a rotten one, cannot say of the fourth. */
  private Resolving whatCannotBeDecoded(byte[] content) {
    StripedFile wide = this.file;
    world.writeAll(wide, content);
    WriteTerms next = world.reopened(wide.name(), wide.map(), 0);
    Layout layout = wide.layout();
    List<Integer> participants =
        List.of(
            layout.dataComponent(0, 0), layout.dataComponent(0, 1), layout.parityComponent(0, 0));
    RawWrites writer = new RawWrites(world, next.file(), content.length);
    for (int component : participants.subList(0, 2)) {
      world.time.await(writer.write(component, 1, world.bytes(UNIT_BYTES), participants));
    }
    world.osdOf(wide, layout.dataComponent(0, 2)).flipBit(wide.name(), 77);
    return new Resolving(world, wide.name(), next.grant().number(), content.length, 0, false);
  }

  /** The parity never had the write, so that it was never acknowledged. */
  @Test
  void aWriteThatCannotBeComputedWhereItLacksIsUndone() {
    byte[] content = world.bytes(6 * UNIT_BYTES);
    Resolving resolving = whatCannotBeDecoded(content);
    assertEquals(1, resolving.resolve(file.map()).undone());
    ByteBuffer first = ByteBuffer.allocate(2 * UNIT_BYTES);
    world.time.await(world.reader(readable(file), content.length).read(0, first));
    assertArrayEquals(Arrays.copyOf(content, 2 * UNIT_BYTES), first.array());
    assertArrayEquals(content, world.readAll(world.reader(readable(file), content.length)));
  }

  /** If it may have had it and lost it, the write may have been acknowledged: it stays. */
  @Test
  void aComponentWithAnIrreplaceableLostWriteIsGivenUp() {
    byte[] content = world.bytes(6 * UNIT_BYTES);
    Resolving resolving = whatCannotBeDecoded(content);
    int parity = file.layout().parityComponent(0, 0);
    int other = file.layout().dataComponent(0, 0);
    resolving.suspecting(other, parity);
    ResolveOutcome outcome = world.time.await(resolving.attempt(file.map()));
    assertEquals(Set.of(parity), outcome.lost().keySet());
    StripedFile lessened = StripeWorld.missing(file, parity);
    assertEquals(0, resolving.resolve(lessened.map()).undone());
    WeftException rotten =
        world.failureOf(
            world
                .reader(readable(lessened), content.length)
                .read(2 * UNIT_BYTES, ByteBuffer.allocate(10)));
    assertEquals(ErrorCode.TOO_MANY_LOST, rotten.code());
  }

  /** It may have lost with its power what it had said that it holds (P 5.9). */
  @Test
  void aResolveNoticesARestartOfAListedOsd() {
    byte[] content = world.bytes(6 * UNIT_BYTES);
    Resolving resolving = whatCannotBeDecoded(content);
    Layout layout = file.layout();
    world.osdOf(file, layout.dataComponent(0, 2)).flipBit(file.name(), 77);
    FakeOsd slow = world.osdOf(file, layout.dataComponent(0, 0));
    CompletableFuture<Void> gate = new CompletableFuture<>();
    int[] asked = new int[1];
    slow.faults(
        opcode -> opcode == Opcode.LIST_PENDING && asked[0]++ == 0 ? Fault.hold(gate) : Fault.NONE);
    CompletableFuture<ResolveOutcome> attempt = resolving.attempt(file.map());
    world.time.runUntil("all are asked", () -> asked[0] > 0);
    world.time.pass(100_000_000L);
    world.osdOf(file, layout.dataComponent(0, 1)).restart();
    world.time.pass(100_000_000L);
    gate.complete(null);
    WeftException waits = world.failureOf(attempt);
    assertEquals(ErrorCode.UNAVAILABLE, waits.code());
    FakeOsd parity = world.osdOf(file, layout.parityComponent(0, 0));
    assertEquals(
        List.of(),
        parity.pendingWrites(file.name()),
        "decoded from units of which nothing is known");
    world.time.pass(10_000_000_000L);
    assertEquals(1, resolving.resolve(file.map()).decided());
  }

  @Test
  void aReaderFromBeforeACutMustOpenTheFileAgain() {
    byte[] content = world.bytes(20 * UNIT_BYTES);
    world.writeAll(file, content);
    StripeReader before = world.engine.read(file, content.length, false, 0, world.failures::add);
    WriteRequest.Builder cut =
        WriteRequest.newBuilder()
            .setObjectId(file.name().object().value())
            .setGrant(StripeWorld.grantOf(file))
            .setEof(100)
            .setTruncationNumber(1);
    world.time.await(world.context.osds().write(file.target(0, 1_000), cut, Payload.EMPTY));
    WeftException failure = world.failureOf(before.read(0, ByteBuffer.allocate(100)));
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
  void unwrittenRangesOfASparseFileReadAsZeros() {
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
