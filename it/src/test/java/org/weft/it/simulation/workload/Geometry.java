package org.weft.it.simulation.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.weft.client.LayoutWish;

/**
 * How large everything is: small, so that stripes, groups and stores come to their ends.
 *
 * @param layouts of files; the first is that of the root directory
 * @param clients at a time
 * @param hands of each client: threads that do one thing after another
 * @param operations of all hands together
 * @param dataOnly a few files are changed and read, and little else is done
 * @param shared files that exist are opened for writing by several at a time
 */
public record Geometry(
    int osds,
    int sysmgrMembers,
    List<LayoutWish> layouts,
    int clients,
    int hands,
    int operations,
    boolean dataOnly,
    boolean shared) {
  private static final int LEAST_OSDS = 5;
  private static final int MOST_OSDS = 8;
  private static final int MOST_DATA_UNITS = 4;
  private static final int DATA_OPERATIONS_FACTOR = 3;

  /** The most parity that a volume takes unless it was made otherwise. */
  private static final int MOST_PARITY_UNITS = 2;

  public Geometry {
    layouts = List.copyOf(layouts);
  }

  /** Draws one. */
  public static Geometry draw(RandomGenerator random, boolean dataOnly) {
    int osds = random.nextInt(LEAST_OSDS, MOST_OSDS + 1);
    List<LayoutWish> layouts = new ArrayList<>();
    int kinds = random.nextInt(1, 3);
    boolean bare = random.nextInt(12) == 0;
    for (int kind = 0; kind < kinds; kind++) {
      int parity = bare ? 0 : random.nextInt(1, MOST_PARITY_UNITS + 1);
      int mostData = Math.min(MOST_DATA_UNITS, osds - 1 - parity);
      int data = random.nextInt(1, mostData + 1);
      if (dataOnly) {
        // Mostly such as are changed in part (P 5.3).
        data = Math.max(data, random.nextInt(1, mostData + 1));
      }
      int unit = 4096 << random.nextInt(3);
      int groups = osds >= 2 * (data + parity) && random.nextInt(3) == 0 ? 2 : 1;
      layouts.add(new LayoutWish(data, parity, unit, random.nextInt(1, 4), groups));
    }
    return new Geometry(
        osds,
        !dataOnly && random.nextInt(4) == 0 ? 3 : 1,
        layouts,
        random.nextInt(2, 5),
        random.nextInt(1, 3),
        random.nextInt(20, 61) * (dataOnly ? DATA_OPERATIONS_FACTOR : 1),
        dataOnly,
        false);
  }

  /** The same, with a few files that several clients write at the same time. */
  public Geometry sharing() {
    return new Geometry(
        osds, sysmgrMembers, layouts, Math.max(clients, 3), hands, operations, true, true);
  }

  /** How many components the weakest files may lose. */
  public int leastParity() {
    return layouts.stream().mapToInt(LayoutWish::parityUnits).min().orElse(0);
  }

  /** Bytes of the data units of the largest stripe. */
  public int stripeBytes() {
    return layouts.stream()
        .mapToInt(layout -> layout.dataUnits() * layout.unitBytes())
        .max()
        .orElse(0);
  }
}
