package org.weft.client.stripe.commit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.ModelFile;
import org.weft.client.stripe.Regranting;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.write.StripeWriter;
import org.weft.client.stripe.write.WrittenFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.recovery.Resolving;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** What {@link FileWriteService} calls complete, and under which grant it undoes (P 5.4, 5.8). */
class SenderRulesTest {
  private static final int UNIT = 8192;

  private final StripeWorld world = new StripeWorld(31, 14);

  /**
   * An XOR write is complete when all parities have it, also where one of them must first carry out
   * again what the grant before has left: a mark that passes it would make it a write that is
   * answered and never executed.
   */
  @Test
  void anXorWriteIsNotCompleteWhileAParitysCallWaitsInItsLine() {
    ModelFile file = new ModelFile(world, new Layout(4, 1, UNIT, 6, 2), Resolving::beforeRegrant);
    file.open();
    file.write(0, world.bytes(12 * 4 * UNIT));
    file.publish();
    world.time.pass(1_000_000_000L);
    long first = file.updater.terms().grant().number();
    // Stripes 6 and 11 are the first and the last of the second group, with one parity component.
    int parity = file.layout.parityComponent(6, 0);
    assertEquals(parity, file.layout.parityComponent(11, 0));
    CompletableFuture<Void> gate = new CompletableFuture<>();
    int[] held = new int[1];
    for (int component = 5; component < 10; component++) {
      boolean slow = component == parity;
      world
          .osd(file.map.osdOf(component))
          .faults(
              opcode -> {
                if (opcode != Opcode.WRITE) {
                  return Fault.NONE;
                }
                if (file.updater.terms().grant().number() == first) {
                  return Fault.CUT_BEFORE;
                }
                held[0] += slow ? 1 : 0;
                return slow ? Fault.hold(gate) : Fault.NONE;
              });
    }
    FakeOsd lost = world.osd(file.map.osdOf(0));
    lost.stop();
    file.down.add(lost.id());
    // One that goes on without the lost component, and one that is then given again.
    List<CompletableFuture<Void>> early = new ArrayList<>();
    early.add(start(file, 0, 4 * UNIT));
    early.add(start(file, 6 * 4 * UNIT, 2 * UNIT));
    world.time.runUntil("the parity is slow to hear of it again", () -> held[0] > 0);

    CompletableFuture<Void> change = start(file, 11 * 4 * UNIT + 2 * UNIT + 100, 500);
    world.time.pass(400_000_000L);
    assertFalse(change.isDone(), "its parity knows nothing of it");
    gate.complete(null);
    world.time.await(change);
    early.forEach(world.time::await);
    world.endFaults();
    world.time.pass(5_000_000_000L);
    file.close();
    file.assertStored();
    world.assertNothingLeaks();
  }

  /**
   * While it resolves, the manager leaves a tombstone where a component has not been made yet: that
   * shuts the old grant out as a raised version does, and is no reason to give up.
   */
  @Test
  void aComponentThatIsShutOutBeforeItWasMadeIsMadeUnderTheNextGrant() {
    StripedFile file = world.newFile(new Layout(4, 2, UNIT, 6, 1));
    WriteTerms first = new WriteTerms(file, world.grant(file));
    Regranting manager = new Regranting(world, first);
    boolean[] resolving = new boolean[1];
    Regrants slow =
        (under, lost, upTo) -> {
          resolving[0] = true;
          CompletableFuture<WriteTerms> answer = new CompletableFuture<>();
          world.time.after(
              3_000_000_000L,
              () ->
                  manager
                      .regrant(under, lost, upTo)
                      .whenComplete(
                          (terms, thrown) -> {
                            resolving[0] = false;
                            if (thrown == null) {
                              answer.complete(terms);
                            } else {
                              answer.completeExceptionally(thrown);
                            }
                          }));
          return answer;
        };
    FakeOsd late = world.osd(file.map().osdOf(4));
    int[] refused = new int[1];
    late.faults(
        opcode -> {
          if (opcode != Opcode.WRITE || manager.terms() != first) {
            return Fault.NONE;
          }
          refused[0] += resolving[0] ? 1 : 0;
          return resolving[0] ? Fault.refuse(ErrorCode.TOMBSTONE) : Fault.CUT_BEFORE;
        });
    FakeOsd lost = world.osd(file.map().osdOf(5));
    lost.stop();
    manager.giveUp(lost.id());
    StripeWriter writer = world.engine.write(first, slow, world.failures::add);
    byte[] content = world.bytes(8 * UNIT);
    WrittenFile written = world.time.await(world.write(writer, content));
    assertEquals(content.length, written.sizeBytes());
    assertTrue(refused[0] > 0);
    assertFalse(manager.terms().file().map().isMissing(4));
    assertArrayEquals(
        content,
        world.readAll(
            world.reader(
                world.readable(file.name(), manager.terms().file().map()), content.length)));
    world.assertNothingLeaks();
  }

  /** The manager decides then, and may have found enough of the write to keep it (P 5.5). */
  @Test
  void nothingIsPromisedOfAWriteThatWasBeingUndoneWhenTheGrantWasReplaced() {
    ModelFile file = new ModelFile(world, new Layout(4, 2, UNIT, 6, 1), Resolving::beforeRegrant);
    file.open();
    file.write(0, world.bytes(8 * UNIT));
    file.publish();
    world.time.pass(1_000_000_000L);
    int[] met = new int[1];
    world
        .osd(file.map.osdOf(file.layout.parityComponent(0, 1)))
        .faults(
            opcode ->
                opcode == Opcode.WRITE && met[0]++ == 0
                    ? Fault.refuse(ErrorCode.NO_SPACE)
                    : Fault.NONE);
    FakeOsd lost = world.osd(file.map.osdOf(file.layout.dataComponent(0, 1)));
    lost.stop();
    file.down.add(lost.id());
    byte[] bytes = world.bytes(2 * UNIT);
    CompletableFuture<Void> write = file.startWrite(0, bytes);
    world.time.runUntil("it is over", write::isDone);
    String why = write.handle((nothing, thrown) -> thrown.getMessage()).join();
    assertTrue(why.contains("may have been kept or not"), why);
    file.write(0, bytes);
    file.close();
    file.assertStored();
    world.assertNothingLeaks();
  }

  private CompletableFuture<Void> start(ModelFile file, int position, int length) {
    byte[] bytes = world.bytes(length);
    file.apply(position, bytes);
    return file.startWrite(position, bytes);
  }

  /** Under the next grant the same numbers are other writes'. */
  @Test
  void aWriteIsUndoneUnderItsOwnGrantAlone() {
    ModelFile file = new ModelFile(world, new Layout(4, 1, UNIT, 6, 1), Resolving::beforeRegrant);
    file.open();
    file.write(0, world.bytes(8 * UNIT));
    file.publish();
    world.time.pass(1_000_000_000L);
    WriteTerms terms = world.reopened(file.name, file.map, 0);
    FileWriteService sender = world.sender(terms, 8 * UNIT, Regrants.NONE, world.failures::add);
    int[] aborts = new int[1];
    world.osds.forEach(
        osd ->
            osd.faults(
                opcode -> {
                  aborts[0] += opcode == Opcode.ABORT ? 1 : 0;
                  return Fault.NONE;
                }));
    long earlier = terms.grant().number() - 1;
    CompletableFuture<Void> undone =
        sender.submit(new AbortOrder(world.context, List.of(0, 1), earlier, 1, 1));
    world.time.runUntil("it is over", undone::isDone);
    ExecutionException why = assertThrows(ExecutionException.class, undone::get);
    assertInstanceOf(TermsReplaced.class, why.getCause());
    assertEquals(0, aborts[0]);

    AbortOrder own = new AbortOrder(world.context, List.of(0, 1), terms.grant().number(), 1, 1);
    assertTrue(own.fits(terms, false));
    assertFalse(own.fits(terms, true), "the manager has decided on it");
  }
}
