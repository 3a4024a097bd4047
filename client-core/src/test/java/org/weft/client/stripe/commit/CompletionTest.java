package org.weft.client.stripe.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.ModelFile;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** How OSDs hear that writes are complete, and when (P 5.4). */
class CompletionTest {
  private static final int UNIT = 8192;
  private static final int OSDS = 6;

  private final StripeWorld world = new StripeWorld(31, OSDS);
  private final int[] batches = new int[OSDS + 1];

  private ModelFile file() {
    ModelFile file = new ModelFile(world, new Layout(4, 2, UNIT, 3, 1));
    file.open();
    file.write(0, world.bytes(8 * UNIT));
    return file;
  }

  private void count(Fault first) {
    for (FakeOsd osd : world.osds) {
      osd.faults(
          opcode ->
              opcode == Opcode.BATCH && batches[osd.id().value()]++ == 0 ? first : Fault.NONE);
    }
  }

  private int pending(ModelFile file) {
    return world.osds.stream().mapToInt(osd -> osd.pendingWrites(file.name).size()).sum();
  }

  @Test
  void idleWritersAreSpokenForInOneBatchForEachOsd() {
    List<ModelFile> files = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      files.add(file());
    }
    world.time.pass(1_000_000_000L);
    count(Fault.NONE);
    files.forEach(file -> file.write(UNIT + 5, world.bytes(100)));
    assertTrue(files.stream().mapToInt(this::pending).sum() > 0);
    world.time.pass(400_000_000L);
    assertEquals(0, files.stream().mapToInt(this::pending).sum());
    for (int osd = 1; osd <= OSDS; osd++) {
      assertTrue(batches[osd] <= 2, batches[osd] + " batches to OSD " + osd);
    }
  }

  /** Of ten files only the components that hold something hear of it. */
  @Test
  void aComponentThatHoldsNothingHearsNothing() {
    ModelFile file = file();
    world.time.pass(1_000_000_000L);
    count(Fault.NONE);
    file.write(UNIT + 5, world.bytes(100));
    world.time.pass(400_000_000L);
    int told = 0;
    for (int each : batches) {
      told += each;
    }
    assertEquals(3, told, "the data unit and two parities");
  }

  @Test
  void aLostCompletionMarkIsSentAgain() {
    ModelFile file = file();
    count(Fault.CUT_BEFORE);
    world.time.pass(2_000_000_000L);
    assertEquals(0, pending(file));
  }

  /** No other process would tell it: the file is closed, and is not opened again. */
  @Test
  void aReturnedOsdHearsMissedCompletionMarks() {
    ModelFile file = file();
    world.time.pass(1_000_000_000L);
    file.write(UNIT + 5, world.bytes(100));
    FakeOsd osd = world.osd(file.map.osdOf(file.layout.dataComponent(0, 1)));
    osd.stop();
    file.close();
    world.time.pass(900_000_000_000L);
    assertFalse(osd.pendingWrites(file.name).isEmpty());
    osd.restart();
    world.time.pass(20_000_000_000L);
    assertEquals(List.of(), osd.pendingWrites(file.name));
    world.assertNothingLeaks();
  }

  /** P 5.8: it hears managers only, for as long as they take; it is not asked all the time. */
  @Test
  void anOsdInQuarantineHearsOfItAfterwards() {
    ModelFile file = file();
    world.time.pass(1_000_000_000L);
    file.write(UNIT + 5, world.bytes(100));
    FakeOsd osd = world.osd(file.map.osdOf(file.layout.dataComponent(0, 1)));
    boolean[] over = new boolean[1];
    int[] asked = new int[1];
    osd.faults(
        opcode -> {
          asked[0]++;
          return over[0] ? Fault.NONE : Fault.refuse(ErrorCode.QUARANTINED);
        });
    file.close();
    world.time.pass(300_000_000_000L);
    assertFalse(osd.pendingWrites(file.name).isEmpty());
    assertTrue(asked[0] < 100, asked[0] + " requests in five minutes");
    over[0] = true;
    world.time.pass(20_000_000_000L);
    assertEquals(List.of(), osd.pendingWrites(file.name));
  }

  /** P 5.8: a volume's quarantine ends by itself, and what is closed delays nothing else. */
  @Test
  void aClosedVolumeDoesNotDelayTheWordsOfAnother() {
    ModelFile closed = file();
    StripedFile other = world.newFile(8, closed.map);
    closed.write(UNIT + 5, world.bytes(100));
    FakeOsd osd = world.osd(closed.map.osdOf(closed.layout.dataComponent(0, 1)));
    osd.close(closed.name.partition(), true);
    closed.close();
    world.time.pass(60_000_000_000L);
    assertFalse(osd.pendingWrites(closed.name).isEmpty());
    world.writeAll(other, world.bytes(8 * UNIT));
    world.time.pass(300_000_000L);
    assertEquals(List.of(), osd.pendingWrites(other.name()));
    osd.close(closed.name.partition(), false);
    world.time.pass(6_000_000_000L);
    assertEquals(List.of(), osd.pendingWrites(closed.name));
    world.assertNothingLeaks();
  }

  /**
   * An OSD that is away for so long was given up by SysMgr, and what it holds is compared anyway.
   */
  @Test
  void marksKeptForAnAbsentOsdAreBounded() {
    ModelFile file = file();
    file.write(UNIT + 5, world.bytes(100));
    WriteTerms terms = file.updater.terms();
    CompletionSource source = world.sender(terms, 8 * UNIT, Regrants.NONE, world.failures::add);
    CompletionQueue line = new CompletionQueue(world.random);
    List<CompletionNotice> words = new ArrayList<>();
    for (int component = 0; component < 20_000; component++) {
      CompletionNotice word = new CompletionNotice(source, terms, component, 1, 0);
      if (line.add(word)) {
        words.add(word);
      }
    }
    assertEquals(16_384, words.size());
    CompletionNotice newer = new CompletionNotice(source, terms, 7, 2, 0);
    assertTrue(line.add(newer), "it takes the place of the one before");
    assertTrue(line.add(words.get(7)));
    assertTrue(line.takeSome().contains(newer), "an older word does not take that of a newer one");
    line.ended(false, List.of(newer), 0);
    line.release();
    words.forEach(line::add);
    long now = 1;
    long longest = 0;
    List<CompletionNotice> givenUp = List.of();
    while (givenUp.isEmpty()) {
      assertFalse(line.isHeld());
      givenUp = line.ended(true, line.takeSome(), now);
      longest = Math.max(longest, line.restNanos());
      now += line.restNanos();
      line.release();
    }
    assertEquals(words.size(), givenUp.size());
    assertTrue(line.isEmpty());
    assertTrue(longest > 4_900_000_000L && longest <= 5_000_000_000L, "longest " + longest);
    assertTrue(now > 3_500_000_000_000L && now < 3_700_000_000_000L, "after " + now);
  }

  /** A writer that never rests carries the word itself, and others hear it after a while. */
  @Test
  void aBusyWritersOtherComponentsHearOfItToo() {
    ModelFile file = file();
    world.time.pass(1_000_000_000L);
    file.write(UNIT + 5, world.bytes(100));
    int component = file.layout.dataComponent(0, 1);
    for (int step = 0; step < 60; step++) {
      world.time.pass(40_000_000L);
      file.write(2 * UNIT + 5, world.bytes(100));
    }
    assertEquals(List.of(), world.osd(file.map.osdOf(component)).pendingWrites(file.name));
  }

  /** No OSD is told of each file that is closed. */
  @Test
  void componentsOfAClosedFileHearInALaterRound() {
    ModelFile file = new ModelFile(world, new Layout(1, 1, UNIT, 1, 3));
    file.open();
    file.write(0, world.bytes(3 * UNIT));
    count(Fault.NONE);
    file.close();
    world.time.pass(50_000_000L);
    assertEquals(0, IntStream.of(batches).sum());
    world.time.pass(350_000_000L);
    assertEquals(0, pending(file));
  }

  /** P 5.6: others decode beside it, and wait for the word. */
  @Test
  void besideALostComponentAllHearAtTheClose() {
    ModelFile file = file();
    world.time.pass(1_000_000_000L);
    file.publish();
    file.map = StripeWorld.missing(world.readable(file.name, file.map), 3).map();
    file.open();
    file.write(UNIT + 5, world.bytes(100));
    file.close();
    world.time.pass(50_000_000L);
    assertEquals(0, pending(file));
  }

  /** Twenty small files in a row: their OSDs are told together, not file by file. */
  @Test
  void filesThatWereClosedAreToldOfTogether() {
    List<ModelFile> files = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ModelFile file = new ModelFile(world, new Layout(4, 2, UNIT, 3, 1));
      file.open();
      files.add(file);
    }
    count(Fault.NONE);
    for (ModelFile file : files) {
      file.write(0, world.bytes(100));
      file.close();
    }
    world.time.pass(400_000_000L);
    for (ModelFile file : files) {
      for (int copy = 0; copy < 3; copy++) {
        assertEquals(List.of(), world.osd(file.map.osdOf(copy)).pendingWrites(file.name));
      }
    }
    for (int osd = 1; osd <= OSDS; osd++) {
      assertTrue(batches[osd] <= 2, batches[osd] + " batches to OSD " + osd);
    }
  }

  /** When the client is gone, no process is left that would tell the OSDs. */
  @Test
  void aClientThatEndsTellsTheRestFirst() {
    ModelFile file = file();
    file.write(UNIT + 5, world.bytes(100));
    file.close();
    assertTrue(pending(file) > 0);
    long before = world.time.nowNanos();
    world.time.await(world.engine.finish(1_000_000_000L));
    assertEquals(0, pending(file));
    assertTrue(world.time.nowNanos() - before < 100_000_000L);
    world.time.await(world.engine.finish(1_000_000_000L));
  }

  @Test
  void anEndDoesNotWaitForOsdsThatAreAway() {
    ModelFile file = file();
    world.time.pass(1_000_000_000L);
    file.write(UNIT + 5, world.bytes(100));
    world.osd(file.map.osdOf(file.layout.dataComponent(0, 1))).stop();
    long before = world.time.nowNanos();
    world.time.await(world.engine.finish(1_000_000_000L));
    assertTrue(world.time.nowNanos() - before <= 1_100_000_000L);
    assertEquals(1, pending(file));
  }

  /** A writer whose grant was replaced; it has written once under each of the two. */
  private final class Regranted {
    private static final int COMPONENT = 2;

    private final StripedFile file = world.newFile(new Layout(4, 2, UNIT, 3, 1));
    private final WriteTerms before = world.reopened(file.name(), file.map(), 0);
    private final WriteTerms after = world.reopened(file.name(), file.map(), 0);
    private final FileWriteService source;

    Regranted() {
      source =
          world.sender(
              before,
              8 * UNIT,
              (under, lost, upTo) -> CompletableFuture.completedFuture(after),
              world.failures::add);
      world.time.await(source.submit(cut()));
      assertTrue(source.renew(before, new WeftException(ErrorCode.FENCED, "it has ended")));
      assertEquals(after.grant().number(), source.terms().grant().number());
      world.time.await(source.submit(cut()));
    }

    /** A harmless order that takes a sequence number. */
    private ComponentOrder cut() {
      return new ComponentOrder() {
        @Override
        public List<Integer> participants() {
          return List.of(COMPONENT);
        }

        @Override
        public int seqCount() {
          return 1;
        }

        @Override
        public CompletableFuture<?> attempt(Try attempt) {
          return CompletableFuture.completedFuture(null);
        }
      };
    }

    private CompletionNotice ofOldGrant() {
      return new CompletionNotice(source, before, COMPONENT, 9, 0);
    }

    private void assertTold() {
      List<CompletionNotice> news = new ArrayList<>();
      // At a close the next round tells everything.
      source.tellCompletionAtClose();
      source.addNews(news);
      assertEquals(1, news.size(), "the component is told");
      assertEquals(COMPONENT, news.get(0).component());
      assertEquals(1, news.get(0).upTo());
      assertEquals(after.grant().number(), news.get(0).terms().grant().number());
    }
  }

  @Test
  void anOldGrantsHeardMarkDoesNotCountForTheNew() {
    Regranted writer = new Regranted();
    writer.source.heard(writer.ofOldGrant());
    writer.assertTold();
  }

  @Test
  void anAbandonedMarkOfAnOldGrantLeavesTheNewOne() {
    Regranted writer = new Regranted();
    writer.source.unheard(writer.ofOldGrant());
    writer.assertTold();
  }

  @Test
  void anOldGrantsMarkWithoutRoomLeavesTheNewOne() {
    Regranted writer = new Regranted();
    for (int tries = 0; tries < 200; tries++) {
      writer.source.unsaid(writer.ofOldGrant());
    }
    writer.assertTold();
  }

  @Test
  void aMarkWithoutRoomIsAbandonedAfterManyTries() {
    Regranted writer = new Regranted();
    for (int tries = 0; tries < 200; tries++) {
      writer.source.unsaid(
          new CompletionNotice(writer.source, writer.after, Regranted.COMPONENT, 1, 0));
    }
    assertFalse(writer.source.hasNews());
  }
}
