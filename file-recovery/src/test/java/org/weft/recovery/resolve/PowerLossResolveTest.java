package org.weft.recovery.resolve;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.read.StripeReader;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.recovery.Resolving;

/** More components than the code bears lost their power while a file was written (P 5.9). */
class PowerLossResolveTest {
  private static final int BLOCK = 4096;

  private final StripeWorld world = new StripeWorld(41, 9);
  private final StripedFile file = world.newFile(StripeWorld.layout(3, 1));

  private StripedFile without(Integer... components) {
    return world.readable(file.name(), StripeWorld.missing(file, components).map());
  }

  /**
   * One component survived to tell how long the file is. Zeros in place of the others were read.
   */
  @Test
  void aGoneComponentIsNotCreatedAgain() {
    byte[] content = world.bytes(9 * UNIT_BYTES);
    world.writeAll(file, content);
    new RawWrites(world, file, content.length).tell(1, 3);
    for (int component : List.of(0, 2, 3)) {
      world.osdOf(file, component).loseObject(file.name());
    }
    Resolving resolving =
        new Resolving(world, file.name(), StripeWorld.grantOf(file), 0, 0, false)
            .suspecting(0, 1, 2, 3);
    ResolveOutcome outcome = resolving.resolve(file.map());
    assertEquals(content.length, outcome.sizeBytes());
    assertEquals(Set.of(0, 2, 3), outcome.gone().keySet());
    assertEquals(Set.of(), outcome.damaged().keySet());
    for (int component : List.of(0, 2, 3)) {
      assertFalse(world.osdOf(file, component).objects().contains(file.name()), "no zeros");
    }
    StripeReader reader = world.reader(without(0, 2, 3), content.length);
    int index = file.layout().roleOf(1, 1);
    long at = file.layout().stripeBytes() + index * UNIT_BYTES;
    ByteBuffer left = ByteBuffer.allocate(UNIT_BYTES);
    world.time.await(reader.read(at, left));
    assertArrayEquals(Arrays.copyOfRange(content, (int) at, (int) at + UNIT_BYTES), left.array());
    WeftException refused = world.failureOf(reader.read(0, ByteBuffer.allocate(UNIT_BYTES)));
    assertEquals(ErrorCode.TOO_MANY_LOST, refused.code());
  }

  /** It came back from before the last complete write, and one is missing that is decoded. */
  @Test
  void aRewoundComponentIsLeftOutOfDecoding() {
    StripedFile wide = world.newFile(StripeWorld.layout(2, 2));
    byte[] content = world.bytes(2 * UNIT_BYTES);
    world.writeAll(wide, content);
    WriteTerms terms = world.reopened(wide.name(), wide.map(), 0);
    RawWrites writer = new RawWrites(world, terms.file(), content.length);
    List.of(1, 2).forEach(component -> writer.tell(component, 4));
    StripedFile lessened = StripeWorld.missing(wide, 0);
    Resolving resolving =
        new Resolving(world, wide.name(), terms.grant().number(), content.length, 0, false)
            .suspecting(2, 3);
    ResolveOutcome outcome = resolving.resolve(lessened.map());
    assertEquals(Set.of(3), outcome.gone().keySet());
    ResolveOutcome again = resolving.resolve(lessened.map());
    assertEquals(Set.of(3), again.gone().keySet(), "the manager died before it marked it missing");
  }

  /** All are there: none is left out, and the file is named. */
  @Test
  void aRewoundComponentStaysIfAllArePresent() {
    byte[] content = world.bytes(6 * UNIT_BYTES);
    world.writeAll(file, content);
    WriteTerms terms = world.reopened(file.name(), file.map(), 0);
    RawWrites writer = new RawWrites(world, terms.file(), content.length);
    byte[] unit = world.bytes(UNIT_BYTES);
    int d1 = file.layout().dataComponent(0, 1);
    int p0 = file.layout().parityComponent(0, 0);
    world.time.await(writer.write(d1, 5, unit, List.of(d1, p0)));
    List.of(0, 1, 2, 3).forEach(each -> writer.tell(each, each == d1 ? 3 : 4));
    Resolving resolving =
        new Resolving(world, file.name(), terms.grant().number(), content.length, 0, false)
            .suspecting(d1, p0);
    ResolveOutcome outcome = resolving.resolve(file.map());
    assertEquals(Set.of(), outcome.gone().keySet());
    assertEquals(Set.of(d1), outcome.damaged().keySet());
    assertEquals(0, wrongUnits());
    StripedFile readable = world.readable(file.name(), file.map());
    assertArrayEquals(content, world.readAll(world.reader(readable, content.length)));
    for (int component : List.of(0, 1, 2, 3)) {
      assertEquals(List.of(), world.osdOf(file, component).pendingWrites(file.name()));
    }
  }

  /**
   * One component came back with an older unit, though it says that everything is complete: what
   * lay beside the list was not on the disk. Whatever is lost next, no bytes are decoded that no
   * client wrote.
   */
  @Test
  void paritiesAreOfTheDataThatIsLeft() {
    byte[] content = world.bytes(6 * UNIT_BYTES);
    world.writeAll(file, content);
    WriteTerms terms = world.reopened(file.name(), file.map(), 0);
    RawWrites writer = new RawWrites(world, terms.file(), content.length);
    int d1 = file.layout().dataComponent(0, 1);
    byte[] unit = world.bytes(UNIT_BYTES);
    world.time.await(writer.write(d1, 1, unit, List.of(d1)));
    System.arraycopy(unit, 0, content, UNIT_BYTES, UNIT_BYTES);
    List.of(0, 1, 2, 3).forEach(component -> writer.tell(component, 1));
    world.osdOf(file, file.layout().parityComponent(1, 0)).flipBit(file.name(), UNIT_BYTES + 77);
    Resolving resolving =
        new Resolving(world, file.name(), terms.grant().number(), content.length, 0, false);
    resolving.resolve(file.map());
    assertEquals(2, wrongUnits(), "without suspects a resolve does not look for what cannot be");
    ResolveOutcome outcome = resolving.suspecting(0, 2).resolve(file.map());
    assertEquals(Set.of(), outcome.damaged().keySet());
    assertEquals(0, wrongUnits());
    for (int component : List.of(0, 1, 2, 3)) {
      StripedFile lessened = without(component);
      assertArrayEquals(content, world.readAll(world.reader(lessened, content.length)));
      assertEquals(List.of(), world.osdOf(file, component).pendingWrites(file.name()));
    }
    world.assertNothingLeaks();
  }

  private long wrongUnits() {
    StripedFile readable = world.readable(file.name(), file.map());
    return world.time.await(world.engine.parityOf(readable).verify()).wrongUnits();
  }

  /** What its parity says of a rotten unit is all that is left of it. */
  @Test
  void theParityOfADamagedUnitStays() {
    byte[] content = world.bytes(3 * UNIT_BYTES);
    world.writeAll(file, content);
    // So that no buffer of the pool still has the bytes that cannot be read.
    world.writeAll(world.newFile(StripeWorld.layout(3, 1)), world.bytes(60 * UNIT_BYTES));
    world.osdOf(file, file.layout().dataComponent(0, 1)).flipBit(file.name(), 77);
    Resolving resolving =
        new Resolving(world, file.name(), StripeWorld.grantOf(file), content.length, 0, false)
            .suspecting(0, 2);
    resolving.resolve(file.map());
    StripedFile readable = world.readable(file.name(), file.map());
    assertArrayEquals(content, world.readAll(world.reader(readable, content.length)));
  }

  /** Copies of a small file are parities of zeros. */
  @Test
  void copiesAreMadeAlike() {
    byte[] content = world.bytes(5_000);
    world.writeAll(file, content);
    WriteTerms terms = world.reopened(file.name(), file.map(), 0);
    RawWrites writer = new RawWrites(world, terms.file(), content.length);
    byte[] block = world.bytes(4_096);
    world.time.await(writer.write(1, 1, block, List.of(0, 1)));
    writer.tell(1, 1);
    writer.tell(0, 1);
    Resolving resolving =
        new Resolving(world, file.name(), terms.grant().number(), content.length, 0, false)
            .suspecting(0, 1);
    resolving.resolve(file.map());
    assertEquals(0, wrongUnits());
    assertArrayEquals(content, world.readAll(world.reader(without(0), content.length)));
    assertArrayEquals(content, world.readAll(world.reader(without(1), content.length)));
  }

  /** One came back from before a cut that all had made: what it holds is no part of the file. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCutIsMadeAgainWhereItWasForgotten(boolean trimming) {
    byte[] content = world.bytes(6 * UNIT_BYTES);
    world.writeAll(file, content);
    WriteTerms terms = world.reopened(file.name(), file.map(), 0);
    RawWrites writer = new RawWrites(world, terms.file(), 0);
    int fallen = file.layout().dataComponent(0, 1);
    for (int component : List.of(0, 1, 2, 3)) {
      if (component != fallen) {
        writer.empty(component, 1, 1);
        writer.tell(component, 1);
      }
    }
    Resolving resolving =
        new Resolving(world, file.name(), terms.grant().number(), 0, 1, trimming)
            .suspecting(0, 1, 2, 3);
    assertEquals(0, resolving.resolve(file.map()).sizeBytes());
    for (int component : List.of(0, 1, 2, 3)) {
      assertEquals(1, world.osdOf(file, component).truncationNumber(file.name()));
    }
    for (int component : List.of(0, 1, 2, 3)) {
      StripedFile lessened = without(component);
      assertArrayEquals(
          new byte[content.length], world.readAll(world.reader(lessened, content.length)));
    }
  }

  /** No component has made the cut yet: it is for the next client that is granted the file. */
  @Test
  void aCutThatNoComponentKnowsOfIsNotMade() {
    byte[] content = world.bytes(6 * UNIT_BYTES);
    world.writeAll(file, content);
    WriteTerms terms = world.reopened(file.name(), file.map(), 0);
    new Resolving(world, file.name(), terms.grant().number(), 0, 1, true)
        .suspecting(0, 1)
        .resolve(file.map());
    StripedFile readable = world.readable(file.name(), file.map());
    assertArrayEquals(content, world.readAll(world.reader(readable, content.length)));
  }

  /** A component names a block that fell back: k others still know what it held. */
  @Test
  void revertedBlocksAreComputedFromTheOthers() {
    StripedFile wide = world.newFile(StripeWorld.layout(2, 2));
    byte[] content = world.bytes(4 * UNIT_BYTES);
    world.writeAll(wide, content);
    int d1 = wide.layout().dataComponent(1, 1);
    giveBack(wide, d1, UNIT_BYTES + BLOCK);
    StripedFile lessened = StripeWorld.missing(wide, wide.layout().dataComponent(1, 0));
    ResolveOutcome outcome =
        new Resolving(world, wide.name(), StripeWorld.grantOf(wide), content.length, 0, false)
            .suspecting(d1)
            .resolve(lessened.map());
    assertEquals(Set.of(), outcome.damaged().keySet());
    StripedFile readable = world.readable(wide.name(), lessened.map());
    assertArrayEquals(content, world.readAll(world.reader(readable, content.length)));
    assertEquals(Set.of(), world.osdOf(wide, d1).givenBack(wide.name()));
  }

  /** Too few others are left: the older block is read as it is, the missing one cannot be read. */
  @Test
  void revertedBlocksAreNoSourceOfDecoding() {
    byte[] content = world.bytes(6 * UNIT_BYTES);
    world.writeAll(file, content);
    int missing = file.layout().dataComponent(1, 0);
    int fallen = file.layout().dataComponent(1, 2);
    int parity = file.layout().parityComponent(1, 0);
    byte[] older = giveBack(file, fallen, UNIT_BYTES + BLOCK);
    StripedFile lessened = without(missing);
    Resolving resolving =
        new Resolving(world, file.name(), StripeWorld.grantOf(file), content.length, 0, false)
            .suspecting(fallen);
    ResolveOutcome outcome = resolving.resolve(lessened.map());
    assertEquals(Set.of(fallen, parity), outcome.damaged().keySet());
    assertEquals(Set.of(), world.osdOf(file, fallen).givenBack(file.name()));
    int at = 3 * UNIT_BYTES;
    StripeReader reader = world.reader(without(missing), content.length);
    WeftException refused = world.failureOf(reader.read(at + BLOCK + 5, ByteBuffer.allocate(20)));
    assertEquals(ErrorCode.TOO_MANY_LOST, refused.code());
    System.arraycopy(older, 0, content, at + 2 * UNIT_BYTES + BLOCK, BLOCK);
    for (int[] range :
        new int[][] {
          {0, at + BLOCK},
          {at + 2 * BLOCK, UNIT_BYTES - 2 * BLOCK},
          {at + UNIT_BYTES, 2 * UNIT_BYTES}
        }) {
      ByteBuffer left = ByteBuffer.allocate(range[1]);
      world.time.await(reader.read(range[0], left));
      assertArrayEquals(
          Arrays.copyOfRange(content, range[0], range[0] + range[1]),
          left.array(),
          "from " + range[0]);
    }
    assertEquals(Set.of(), resolving.resolve(lessened.map()).damaged().keySet(), "once is enough");
  }

  /** What is gone is no unit of zeros to compute from either. */
  @Test
  void aGoneComponentIsNoSourceForRevertedBlocks() {
    byte[] content = world.bytes(6 * UNIT_BYTES);
    world.writeAll(file, content);
    int gone = file.layout().dataComponent(0, 0);
    int fallen = file.layout().dataComponent(0, 1);
    giveBack(file, fallen, 0);
    world.osdOf(file, gone).loseObject(file.name());
    new Resolving(world, file.name(), StripeWorld.grantOf(file), content.length, 0, false)
        .suspecting(0, 1, 2, 3)
        .resolve(file.map());
    StripeReader reader = world.reader(without(gone), content.length);
    WeftException refused = world.failureOf(reader.read(0, ByteBuffer.allocate(20)));
    assertEquals(ErrorCode.TOO_MANY_LOST, refused.code());
  }

  /** One that stays may lack a whole write: where others carry ids it never heard of. */
  @Test
  void aComponentWithoutCompleteWritesIsNoSource() {
    byte[] content = world.bytes(6 * UNIT_BYTES);
    world.writeAll(file, content);
    WriteTerms terms = world.reopened(file.name(), file.map(), 0);
    RawWrites writer = new RawWrites(world, terms.file(), content.length);
    int d0 = file.layout().dataComponent(0, 0);
    int d1 = file.layout().dataComponent(0, 1);
    int p0 = file.layout().parityComponent(0, 0);
    // The parity was not on the disk, and its list neither.
    world.time.await(writer.write(d1, 1, world.bytes(UNIT_BYTES), List.of(d1, p0)));
    List.of(0, 1, 2, 3).stream().filter(each -> each != p0).forEach(each -> writer.tell(each, 1));
    StripedFile lessened = StripeWorld.missing(file, d0);
    Resolving resolving =
        new Resolving(world, file.name(), terms.grant().number(), content.length, 0, false)
            .suspecting(p0);
    ResolveOutcome outcome = resolving.resolve(lessened.map());
    assertEquals(Set.of(p0), outcome.damaged().keySet());
    StripeReader reader = world.reader(without(d0), content.length);
    WeftException refused = world.failureOf(reader.read(0, ByteBuffer.allocate(20)));
    assertEquals(ErrorCode.TOO_MANY_LOST, refused.code());
    int at = 3 * UNIT_BYTES;
    ByteBuffer untouched = ByteBuffer.allocate(3 * UNIT_BYTES);
    world.time.await(reader.read(at, untouched));
    assertArrayEquals(Arrays.copyOfRange(content, at, content.length), untouched.array());
  }

  /** Blocks that were punched carry no id that it could lack. */
  @Test
  void aComponentWithoutPunchesIsNoSource() {
    byte[] content = world.bytes(6 * UNIT_BYTES);
    world.writeAll(file, content);
    WriteTerms terms = world.reopened(file.name(), file.map(), 0);
    RawWrites writer = new RawWrites(world, terms.file(), content.length);
    int d0 = file.layout().dataComponent(0, 0);
    int p0 = file.layout().parityComponent(0, 0);
    List<Integer> punched =
        List.of(file.layout().dataComponent(0, 1), file.layout().dataComponent(0, 2));
    for (int component : punched) {
      world.time.await(writer.write(component, 1, new byte[UNIT_BYTES], punched));
      writer.punch(component, 2);
    }
    List.of(0, 1, 2, 3).stream().filter(each -> each != p0).forEach(each -> writer.tell(each, 2));
    StripedFile lessened = StripeWorld.missing(file, d0);
    Resolving resolving =
        new Resolving(world, file.name(), terms.grant().number(), content.length, 0, false)
            .suspecting(p0);
    ResolveOutcome outcome = resolving.resolve(lessened.map());
    assertEquals(Set.of(p0), outcome.damaged().keySet());
    StripeReader reader = world.reader(without(d0), content.length);
    WeftException refused = world.failureOf(reader.read(0, ByteBuffer.allocate(20)));
    assertEquals(ErrorCode.TOO_MANY_LOST, refused.code());
    int at = 3 * UNIT_BYTES;
    ByteBuffer untouched = ByteBuffer.allocate(3 * UNIT_BYTES);
    world.time.await(reader.read(at, untouched));
    assertArrayEquals(Arrays.copyOfRange(content, at, content.length), untouched.array());
  }

  private byte[] giveBack(StripedFile of, int component, long offsetBytes) {
    byte[] older = world.bytes(BLOCK);
    world.osdOf(of, component).giveBack(of.name(), offsetBytes, older);
    return older;
  }
}
