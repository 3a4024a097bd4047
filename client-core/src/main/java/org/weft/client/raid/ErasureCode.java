package org.weft.client.raid;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * The code of a file: k data units d_0 .. d_{k-1} and m parities P_j = Σ (2^j)^i · d_i over GF(2^8)
 * (DESIGN 4, P 4.1). Any m lost units can be had back from the others. With m = 0 it is striping,
 * with k = 1 mirroring: every parity is d_0 then, and also while d_1 .. are zero.
 *
 * <p>Units are the remaining bytes of heap or direct buffers, whose positions stay. A data unit
 * shorter than the others counts as filled up with zeros. Each stripe is worked through in pieces
 * that stay in the processor's first cache. So every byte of it is fetched from memory once,
 * whatever m. Thread-safe.
 */
public final class ErasureCode {
  public static final int MAX_DATA_UNITS = Gf256.ORDER;
  public static final int MAX_PARITY_UNITS = 3;

  private static final int PIECE_BYTES = 4096;
  private static final int PIECE_LONGS = PIECE_BYTES / Long.BYTES;
  private static final int KEPT_WORKSPACES = 16;

  private final int dataUnits;
  private final int parityUnits;
  private final ArrayBlockingQueue<Workspace> workspaces =
      new ArrayBlockingQueue<>(KEPT_WORKSPACES);

  /**
   * The code of that shape.
   *
   * @param dataUnits k, 1..255
   * @param parityUnits m, 0..3
   */
  public ErasureCode(int dataUnits, int parityUnits) {
    if (dataUnits < 1 || dataUnits > MAX_DATA_UNITS) {
      throw new IllegalArgumentException("data units must be 1..255, got " + dataUnits);
    }
    if (parityUnits < 0 || parityUnits > MAX_PARITY_UNITS) {
      throw new IllegalArgumentException("parity units must be 0..3, got " + parityUnits);
    }
    this.dataUnits = dataUnits;
    this.parityUnits = parityUnits;
  }

  public int dataUnits() {
    return dataUnits;
  }

  public int parityUnits() {
    return parityUnits;
  }

  /**
   * Computes all parities.
   *
   * @param data k units; those past the end of the file may be empty
   * @param parity m buffers that are filled; each as long as the longest data unit
   */
  public void encode(ByteBuffer[] data, ByteBuffer[] parity) {
    checkCount("data", data, dataUnits);
    checkCount("parity", parity, parityUnits);
    UnitBytes[] from = views(data);
    UnitBytes[] to = views(parity);
    int lengthBytes = longest(from);
    for (UnitBytes unit : to) {
      if (unit.lengthBytes() != lengthBytes) {
        throw new IllegalArgumentException(
            "a parity unit must be as long as the longest data unit, "
                + lengthBytes
                + " bytes, got "
                + unit.lengthBytes());
      }
    }
    if (parityUnits == 0) {
      return;
    }
    Workspace work = takeWorkspace();
    for (int offset = 0; offset < lengthBytes; offset += PIECE_BYTES) {
      int count = longsOfPiece(offset, lengthBytes);
      horner(from, work, parityUnits, offset, count);
      for (int j = 0; j < parityUnits; j++) {
        to[j].store(offset, work.sums[j], count);
      }
    }
    keep(work);
  }

  /**
   * Adds one unit, or a part of one, to another: sum := sum ⊕ data. What is the sum of two contents
   * is what differs between them.
   *
   * @param data as long as the sum
   */
  public void add(ByteBuffer sum, ByteBuffer data) {
    UnitBytes into = new UnitBytes(sum);
    UnitBytes from = new UnitBytes(data);
    int lengthBytes = into.lengthBytes();
    if (from.lengthBytes() != lengthBytes) {
      throw new IllegalArgumentException(
          "units that are added must be equally long, got "
              + lengthBytes
              + " and "
              + from.lengthBytes()
              + " bytes");
    }
    Workspace work = takeWorkspace();
    long[] sums = work.sums[0];
    for (int offset = 0; offset < lengthBytes; offset += PIECE_BYTES) {
      int count = longsOfPiece(offset, lengthBytes);
      into.load(offset, sums, count);
      from.load(offset, work.unit, count);
      BlockKernels.add(sums, work.unit, count);
      into.store(offset, sums, count);
    }
    keep(work);
  }

  /**
   * Recomputes the parities and compares.
   *
   * @param data all k units
   * @param parity m units; null for one that is not to be looked at
   * @return a bit for each P_j that does not belong to the data; 0 if all do
   */
  public int wrongParities(ByteBuffer[] data, ByteBuffer[] parity) {
    checkCount("data", data, dataUnits);
    checkCount("parity", parity, parityUnits);
    UnitBytes[] from = views(data);
    UnitBytes[] stored = views(parity);
    int lengthBytes = Math.max(longest(from), longest(stored));
    int wrong = 0;
    Workspace work = takeWorkspace();
    for (int offset = 0; offset < lengthBytes; offset += PIECE_BYTES) {
      int count = longsOfPiece(offset, lengthBytes);
      horner(from, work, parityUnits, offset, count);
      for (int j = 0; j < parityUnits; j++) {
        // A parity shorter than the data reads as zeros past its end, as its component does.
        if (stored[j] != null && !equal(stored[j], offset, work.sums[j], count, work.unit)) {
          wrong |= 1 << j;
        }
      }
    }
    keep(work);
    return wrong;
  }

  private static boolean equal(UnitBytes unit, int offset, long[] sum, int count, long[] work) {
    unit.load(offset, work, count);
    return Arrays.mismatch(work, 0, count, sum, 0, count) < 0;
  }

  /**
   * Computes units that are lost from units that are there.
   *
   * @param units k data units and m parities, in this order; null where lost or not at hand. At
   *     most as many data units may be null as there are parities at hand
   * @param wanted k + m entries: buffers to fill, where {@code units} has null; null elsewhere. As
   *     long as the unit that is wanted; what lies past its end is not computed
   */
  public void reconstruct(ByteBuffer[] units, ByteBuffer[] wanted) {
    checkCount("all", units, dataUnits + parityUnits);
    checkCount("wanted", wanted, dataUnits + parityUnits);
    UnitBytes[] data = views(Arrays.copyOf(units, dataUnits));
    UnitBytes[] parity = views(Arrays.copyOfRange(units, dataUnits, units.length));
    UnitBytes[] out = views(wanted);
    Solution solution = Solution.of(dataUnits, data, parity);
    int lengthBytes = longest(out);
    Workspace work = takeWorkspace();
    for (int offset = 0; offset < lengthBytes; offset += PIECE_BYTES) {
      int count = longsOfPiece(offset, lengthBytes);
      solve(solution, data, parity, work, offset, count);
      for (int n = 0; n < solution.lostData().length; n++) {
        UnitBytes target = out[solution.lostData()[n]];
        if (target != null) {
          target.store(offset, work.solved[n], count);
        }
      }
      storeParities(solution, data, out, work, offset, count);
    }
    keep(work);
  }

  /** Leaves the lost data units of a piece in {@code work.solved}. */
  private void solve(
      Solution solution,
      UnitBytes[] data,
      UnitBytes[] parity,
      Workspace work,
      int offset,
      int count) {
    int lost = solution.lostData().length;
    if (lost == 0) {
      return;
    }
    horner(data, work, solution.highestParity() + 1, offset, count);
    for (int j : solution.parities()) {
      parity[j].load(offset, work.unit, count);
      BlockKernels.add(work.sums[j], work.unit, count);
    }
    for (int n = 0; n < lost; n++) {
      Arrays.fill(work.solved[n], 0, count, 0);
      for (int row = 0; row < lost; row++) {
        BlockKernels.addProduct(
            work.solved[n],
            work.sums[solution.parities()[row]],
            solution.factors()[n][row],
            work.unit,
            count);
      }
    }
  }

  /** The parities that are wanted, from data units of which some have just been solved. */
  private void storeParities(
      Solution solution, UnitBytes[] data, UnitBytes[] out, Workspace work, int offset, int count) {
    int sums = 0;
    for (int j = 0; j < parityUnits; j++) {
      if (out[dataUnits + j] != null) {
        sums = j + 1;
      }
    }
    if (sums == 0) {
      return;
    }
    horner(data, work, sums, offset, count);
    for (int j = 0; j < sums; j++) {
      if (out[dataUnits + j] != null) {
        for (int n = 0; n < solution.lostData().length; n++) {
          int factor = Gf256.powerOfTwo(j * solution.lostData()[n]);
          BlockKernels.addProduct(work.sums[j], work.solved[n], factor, work.unit, count);
        }
        out[dataUnits + j].store(offset, work.sums[j], count);
      }
    }
  }

  /**
   * Horner's rule: leaves Σ (2^j)^i · d_i of one piece in {@code work.sums[j]} for all j below
   * {@code sums}. Units that are null count as zero.
   */
  private void horner(UnitBytes[] data, Workspace work, int sums, int offset, int count) {
    for (int j = 0; j < sums; j++) {
      Arrays.fill(work.sums[j], 0, count, 0);
    }
    boolean anything = false;
    for (int i = dataUnits - 1; i >= 0; i--) {
      if (data[i] != null && offset < data[i].lengthBytes()) {
        data[i].load(offset, work.unit, count);
        addUnit(work, sums, count);
        anything = true;
      } else if (anything) {
        skipUnit(work, sums, count);
      }
    }
  }

  private static void addUnit(Workspace work, int sums, int count) {
    if (sums == 1) {
      BlockKernels.add(work.sums[0], work.unit, count);
    } else if (sums >= 2) {
      BlockKernels.addBoth(work.sums[0], work.sums[1], work.unit, count);
    }
    if (sums == 3) {
      BlockKernels.twice(work.sums[2], count);
      BlockKernels.twiceAndAdd(work.sums[2], work.unit, count);
    }
  }

  private static void skipUnit(Workspace work, int sums, int count) {
    if (sums >= 2) {
      BlockKernels.twice(work.sums[1], count);
    }
    if (sums == 3) {
      BlockKernels.twice(work.sums[2], count);
      BlockKernels.twice(work.sums[2], count);
    }
  }

  private static int longsOfPiece(int offset, int lengthBytes) {
    int bytes = Math.min(PIECE_BYTES, lengthBytes - offset);
    return (bytes + Long.BYTES - 1) / Long.BYTES;
  }

  private static UnitBytes[] views(ByteBuffer[] units) {
    UnitBytes[] views = new UnitBytes[units.length];
    for (int i = 0; i < units.length; i++) {
      views[i] = units[i] == null ? null : new UnitBytes(units[i]);
    }
    return views;
  }

  private static int longest(UnitBytes[] units) {
    int longest = 0;
    for (UnitBytes unit : units) {
      longest = unit == null ? longest : Math.max(longest, unit.lengthBytes());
    }
    return longest;
  }

  private static void checkCount(String what, ByteBuffer[] units, int expected) {
    if (units.length != expected) {
      throw new IllegalArgumentException(
          "expected " + expected + " " + what + " units, got " + units.length);
    }
  }

  private Workspace takeWorkspace() {
    Workspace kept = workspaces.poll();
    return kept == null ? new Workspace() : kept;
  }

  private void keep(Workspace work) {
    var unused = workspaces.offer(work);
  }

  /** One piece of everything; small enough for the first cache. */
  private static final class Workspace {
    final long[] unit = new long[PIECE_LONGS];
    final long[][] sums = new long[MAX_PARITY_UNITS][PIECE_LONGS];
    final long[][] solved = new long[MAX_PARITY_UNITS][PIECE_LONGS];
  }
}
