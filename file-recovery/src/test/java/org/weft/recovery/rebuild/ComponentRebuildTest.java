package org.weft.recovery.rebuild;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.Fault;

/** One component of a file is written anew on another OSD (P 6.8). */
class ComponentRebuildTest {
  private static final int UNIT_BYTES = StripeWorld.UNIT_BYTES;
  private static final int UNITS = 12;

  private final StripeWorld world = new StripeWorld(7, 5);
  private final StripedFile file = world.newFile(StripeWorld.layout(2, 1));
  private final byte[] content = world.bytes(UNITS * UNIT_BYTES);

  private StorageMap elsewhere(int component) {
    List<OsdId> osds = new ArrayList<>(file.map().components());
    OsdId spare =
        world.osds.stream()
            .map(osd -> osd.id())
            .filter(id -> !osds.contains(id))
            .findFirst()
            .orElseThrow();
    osds.set(component, spare);
    return new StorageMap(
        file.layout(), osds, file.map().generation() + 1, new TreeSet<>(), List.of());
  }

  private RebuildOutcome rebuild(StorageMap map, int component) {
    StripedFile managed = world.managed(world.readable(file.name(), map));
    TreeMap<Integer, Long> starts = new TreeMap<>();
    starts.put(component, world.osd(map.osdOf(component)).incarnation());
    StripedFile striped = new StripedFile(file.name(), map, managed.capability(), starts);
    RebuildTask task =
        new RebuildTask(
            component,
            StripeWorld.grantOf(striped),
            content.length,
            0,
            new TreeSet<>(),
            bytes -> {});
    return world.time.await(new ComponentRebuild(world.context, striped, task).rebuild());
  }

  private byte[] readBy(StorageMap map) {
    return world.readAll(world.reader(world.readable(file.name(), map), content.length));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void whatIsWrittenAnewIsWhatWasThere(int component) {
    world.writeAll(file, content);
    StorageMap map = elsewhere(component);
    assertEquals(0, rebuild(map, component).lostBlocks());
    assertArrayEquals(content, readBy(map));
    assertEquals(
        0,
        world
            .time
            .await(world.engine.parityOf(world.readable(file.name(), map)).verify())
            .wrongUnits());
  }

  @Test
  void theRightToCopyIsEnoughAndTheOneThatWasLentLastIsUsed() {
    world.writeAll(file, content);
    StorageMap map = elsewhere(1);
    StripedFile copied = world.copied(world.readable(file.name(), map), 1);
    TreeMap<Integer, Long> starts = new TreeMap<>();
    starts.put(1, world.osd(map.osdOf(1)).incarnation());
    RebuildTask task =
        new RebuildTask(
            1, StripeWorld.grantOf(copied), content.length, 0, new TreeSet<>(), bytes -> {});
    StripedFile useless =
        new StripedFile(file.name(), map, world.readable(file.name(), map).capability(), starts);
    ComponentRebuild refused = new ComponentRebuild(world.context, useless, task);
    WeftException failure =
        WeftException.of(
            assertThrows(CompletionException.class, () -> world.time.await(refused.rebuild())));
    assertEquals(ErrorCode.CAPABILITY_INVALID, failure.code());
    ComponentRebuild renewed = new ComponentRebuild(world.context, useless, task);
    renewed.renew(copied.capability());
    assertEquals(0, world.time.await(renewed.rebuild()).lostBlocks());
    assertArrayEquals(content, readBy(map));
  }

  private ComponentRebuild copying(StripedFile by, SignedCapability first, StorageMap map) {
    TreeMap<Integer, Long> starts = new TreeMap<>();
    starts.put(1, world.osd(map.osdOf(1)).incarnation());
    return new ComponentRebuild(
        world.context,
        new StripedFile(file.name(), map, first, starts),
        new RebuildTask(
            1, StripeWorld.grantOf(by), content.length, 0, new TreeSet<>(), bytes -> {}));
  }

  /** A source that refuses once must not count as away: there is none to take its place. */
  @ParameterizedTest
  @EnumSource(
      value = Opcode.class,
      names = {"READ", "WRITE", "RAISE_VERSION", "FLUSH"})
  void whatWasRefusedAtTheExpiryIsAskedAgainByTheNextCapability(Opcode refused) {
    world.writeAll(file, content);
    StorageMap map = elsewhere(1);
    StripedFile copied = world.copied(world.readable(file.name(), map), 1);
    SignedCapability first = copied.capability();
    ComponentRebuild copying = copying(copied, first, map);
    AtomicInteger refusals = new AtomicInteger();
    world.osds.forEach(
        osd ->
            osd.faults(
                opcode -> {
                  if (opcode != refused || refusals.getAndIncrement() > 0) {
                    return Fault.NONE;
                  }
                  copying.renew(new SignedCapability(first.encoded(), first.secret().clone()));
                  return Fault.refuse(ErrorCode.CAPABILITY_EXPIRED);
                }));
    assertEquals(0, world.time.await(copying.rebuild()).lostBlocks());
    assertTrue(refusals.get() > 1);
    assertArrayEquals(content, readBy(map));
  }

  @Test
  void aCapabilityThatExpiresEarlierThanTheOneInForceIsDropped() {
    world.writeAll(file, content);
    StorageMap map = elsewhere(1);
    SignedCapability earlier = world.readable(file.name(), map).capability();
    world.time.pass(TimeUnit.SECONDS.toNanos(1));
    StripedFile copied = world.copied(world.readable(file.name(), map), 1);
    ComponentRebuild copying = copying(copied, copied.capability(), map);
    copying.renew(earlier);
    assertEquals(0, world.time.await(copying.rebuild()).lostBlocks());
  }

  /** The first block of a piece: what is written of the piece has the same number. */
  @ParameterizedTest
  @ValueSource(ints = {0, 4_096, UNIT_BYTES + 4_096})
  void aBlockThatTheOthersCannotGiveReadsAsDamagedAndNeverAsZeros(int offsetBytes) {
    world.writeAll(file, content);
    int component = 0;
    StorageMap map = elsewhere(component);
    int rotten = 1;
    world.osdOf(file, rotten).flipBit(file.name(), offsetBytes + 10);
    int[] writes = new int[1];
    world
        .osd(map.osdOf(component))
        .faults(
            opcode -> {
              writes[0] += opcode == Opcode.WRITE ? 1 : 0;
              return Fault.NONE;
            });
    assertEquals(1, rebuild(map, component).lostBlocks());
    // It is made, its block is lost, and what lies around that is written: nothing in its place.
    assertEquals(2 + (offsetBytes == 0 ? 1 : 2), writes[0]);
    WeftException failure =
        WeftException.of(assertThrows(CompletionException.class, () -> readBy(map)));
    assertEquals(ErrorCode.TOO_MANY_LOST, failure.code());
    // With the rotten block back all is there: what is lost is decoded, and nothing else was hurt.
    world.osdOf(file, rotten).flipBit(file.name(), offsetBytes + 10);
    assertArrayEquals(content, readBy(map));
  }

  /** Nothing else has it: it is lost, and the other blocks of the unit are not. */
  @Test
  void ofASourceWithABadBlockTheOtherBlocksAreCopied() {
    StripedFile bare = world.newFile(StripeWorld.layout(2, 0));
    world.writeAll(bare, content);
    world.osdOf(bare, 0).flipBit(bare.name(), 10);
    List<OsdId> osds = new ArrayList<>(bare.map().components());
    osds.set(
        0,
        world.osds.stream()
            .map(osd -> osd.id())
            .filter(id -> !osds.contains(id))
            .findFirst()
            .orElseThrow());
    StorageMap map =
        new StorageMap(
            bare.layout(), osds, bare.map().generation() + 1, new TreeSet<>(), List.of());
    StripedFile managed = world.managed(world.readable(bare.name(), map));
    RebuildTask task =
        new RebuildTask(
            0,
            StripeWorld.grantOf(managed),
            content.length,
            0,
            new TreeSet<>(),
            Optional.of(new StripedFile(bare.name(), bare.map(), managed.capability())),
            100,
            bytes -> {});
    StripedFile striped = new StripedFile(bare.name(), map, managed.capability(), new TreeMap<>());
    RebuildOutcome outcome =
        world.time.await(new ComponentRebuild(world.context, striped, task).rebuild());
    assertEquals(new RebuildOutcome(1, List.of(0L)), outcome);
    byte[] second = new byte[4_096];
    var in = world.reader(world.readable(bare.name(), map), content.length);
    var count = world.time.await(in.read(4_096, ByteBuffer.wrap(second)));
    assertArrayEquals(Arrays.copyOfRange(content, 4_096, 8_192), second, "" + count);
  }
}
