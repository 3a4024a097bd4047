package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedOsd;

/**
 * More OSDs than the code bears lose their power while a shared file is truncated (P 4.3.12,
 * 4.3.28, 5.9.24 ff.). That happens at each step between the record that begins the truncation and
 * the one that ends it. The file is as long as before the truncation or as after it. The truncated
 * bytes are not seen again, whichever client finishes the truncation.
 */
class SharedCutPowerTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 3 * Stage.STRIPE + 500);
  private static final int CUT_BYTES = Stage.UNIT + Stage.UNIT / 2;
  private static final int SMALL_BYTES = Stage.UNIT / 2;

  /** From the journal's record to the last component that has cut. */
  private static final List<Integer> MOMENTS_MILLIS = List.of(0, 1, 2, 3, 4, 6, 9, 14, 30);

  private static final List<Integer> SIZES_BYTES = List.of(CUT_BYTES, SMALL_BYTES, 0);

  /**
   * At how many of three moments the power fails, for each length; {@code -Dweft.times=3} has all.
   */
  private static final int OF_THREE = Math.min(3, Integer.getInteger("weft.times", 1));

  private enum Left {
    /** The client that cuts lives, and so does the other one. */
    BOTH,
    /** It dies with the OSDs: the other one finishes the cut. */
    OTHER,
    /** Both die: the manager finishes it. */
    NONE
  }

  private final Stage stage = Stage.boot();

  /** What two clients have open shared; its bytes are under checkpoints. */
  private record Sharing(ClientNode first, WeftFile one, ClientNode second, WeftFile two) {}

  private WeftFile share(ClientNode client) throws WeftException {
    return stage.call(client.files().openForUpdate(WeftPath.of(PATH), true));
  }

  private Sharing sharing() throws WeftException {
    ClientNode first = stage.client();
    ClientNode second = stage.client();
    stage.put(first, PATH, Stage.WIDE, new byte[0]);
    WeftFile one = share(first);
    WeftFile two = share(second);
    stage.call(Stage.write(one, 0, Arrays.copyOf(OLD, Stage.STRIPE)));
    byte[] rest = Arrays.copyOfRange(OLD, Stage.STRIPE, OLD.length);
    stage.call(Stage.write(two, Stage.STRIPE, rest));
    stage.call(one.hsync());
    stage.call(two.hsync());
    stage.world().pass(10_000);
    return new Sharing(first, one, second, two);
  }

  /** The code bears the loss of one. */
  private void losePower(StorageMap map, int osds) {
    List<SimulatedOsd> lost =
        List.of(2, 4, 1, 3, 0).subList(0, osds).stream()
            .map(component -> stage.osd(map, component))
            .toList();
    lost.forEach(osd -> osd.machine().losePower());
    lost.forEach(SimulatedOsd::start);
  }

  /**
   * One cut, and a loss of power at that moment of it.
   *
   * @return true if the cut was under way, and its file can be read
   */
  private boolean cutAndLosePower(int size, int osds, Left left, int millis) throws Exception {
    Sharing open = sharing();
    StorageMap map = stage.map(open.second(), PATH);
    CompletableFuture<Void> cut = open.one().setLength(size);
    stage.world().pass(millis);
    boolean underWay = !cut.isDone();
    losePower(map, osds);
    if (left != Left.BOTH) {
      open.first().kill();
    }
    if (left == Left.NONE) {
      open.second().kill();
    }
    stage.world().pass(30_000);
    if (left != Left.NONE) {
      // Its grant may have ended with what the OSDs lost: it asks for a range, and is told so.
      var unused =
          stage.call(Stage.write(open.two(), 0, Arrays.copyOf(OLD, 100)).handle((x, y) -> y));
      open.second().kill();
    }
    open.first().kill();
    stage.heal();
    stage.awaitClosed(stage.client(), PATH);
    boolean isReadable = assertIsOldOrCut(size);
    stage.call(stage.client().files().unlink(WeftPath.of(PATH)));
    return underWay && isReadable;
  }

  /** False if the file cannot be read, which is said, in place of bytes that were made up. */
  private boolean assertIsOldOrCut(int size) throws Exception {
    ClientNode reader = stage.client();
    long length = stage.call(reader.files().attributes(WeftPath.of(PATH))).sizeBytes();
    assertTrue(length == size || length == OLD.length, () -> "the file has " + length + " bytes");
    byte[] expected = Arrays.copyOf(Arrays.copyOf(OLD, (int) length), OLD.length);
    WeftFile file = stage.open(stage.client(), PATH);
    stage.call(file.setLength(OLD.length));
    var closed = stage.call(file.close());
    byte[] found;
    try {
      found = stage.read(reader, PATH);
    } catch (WeftException e) {
      return false;
    }
    assertEquals(OLD.length, found.length);
    assertArrayEquals(
        Arrays.copyOfRange(expected, (int) length, OLD.length),
        Arrays.copyOfRange(found, (int) length, OLD.length),
        "what was cut off reads as zeros in a file that grows");
    assertArrayEquals(expected, found);
    return true;
  }

  @ParameterizedTest
  @CsvSource({
    "2, BOTH",
    "2, OTHER",
    "2, NONE",
    "5, BOTH",
    "5, OTHER",
    "5, NONE",
  })
  void truncatedBytesDoNotReappear(int osds, Left left) throws Exception {
    int inTheMiddle = 0;
    for (int length = 0; length < SIZES_BYTES.size(); length++) {
      for (int moment = 0; moment < MOMENTS_MILLIS.size(); moment++) {
        // Each moment has one of the lengths at least, each length moments from first to last.
        if ((moment + length) % 3 < OF_THREE) {
          inTheMiddle +=
              cutAndLosePower(SIZES_BYTES.get(length), osds, left, MOMENTS_MILLIS.get(moment))
                  ? 1
                  : 0;
        }
      }
    }
    int seen = inTheMiddle;
    assertTrue(seen >= 3, () -> seen + " losses of power were in the midst of a cut");
  }
}
