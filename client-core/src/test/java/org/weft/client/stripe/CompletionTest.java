package org.weft.client.stripe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** Who tells OSDs that writes are complete, and when (P 5.4). */
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
  void whoHoldsNothingHearsNothing() {
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
  void whatIsLostOnTheWayIsSaidAgain() {
    ModelFile file = file();
    count(Fault.CUT_BEFORE);
    world.time.pass(2_000_000_000L);
    assertEquals(0, pending(file));
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

  /** At the end all hear of it but those whom the manager tells with the attributes. */
  @Test
  void aWriterThatClosesTellsTheRestAtOnce() {
    ModelFile file = file();
    file.write(UNIT + 5, world.bytes(100));
    file.close();
    world.time.pass(50_000_000L);
    for (int component = 0; component < OSDS; component++) {
      FakeOsd osd = world.osd(file.map.osdOf(component));
      boolean byManager = component < StripeWorld.META_COPIES;
      assertTrue(byManager || osd.pendingWrites(file.name).isEmpty(), "pending at " + component);
    }
  }
}
