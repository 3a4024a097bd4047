package org.weft.simulator.workload;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.weft.client.LayoutSpec;
import org.weft.client.UpdateOptions;
import org.weft.simulator.world.World;

/**
 * How large everything is: small, so that stripes, groups and stores come to their ends.
 *
 * @param layouts of files; the first is that of the root directory
 * @param clients at a time
 * @param hands of each client: threads that do one thing after another
 * @param operations of all hands together
 * @param dataOnly a few files are changed and read, and little else is done
 * @param secondVolume all is done in a volume of its own, whose files may have more parity
 * @param habits of the clients
 */
public record Geometry(
    int osds,
    int sysmgrMembers,
    List<LayoutSpec> layouts,
    int clients,
    int hands,
    int operations,
    boolean dataOnly,
    boolean secondVolume,
    Set<WorkloadBias> habits) {
  private static final int MIN_OSDS = 5;
  private static final int MAX_OSDS = 8;
  private static final int MIN_OSDS_FOR_MORE_PARITY = 7;
  private static final int MAX_DATA_UNITS = 4;
  private static final int DATA_OPERATIONS_FACTOR = 3;
  private static final int LOOKING_OPERATIONS_FACTOR = 6;
  private static final int MIN_HOT_DATA_UNITS = 3;
  private static final int MAX_HOT_DATA_UNITS = 5;
  private static final int MIN_CLIENTS_THAT_SHARE = 3;
  private static final int MAX_LASTING_OPERATIONS = 160;
  private static final int MAX_SYSMGR_MEMBERS = 3;
  private static final int MAX_GATHER_MILLIS = 2_000;
  private static final int WIDE_OUT_OF = 5;
  private static final int WIDE_UNIT_BYTES = 64 << 10;
  private static final int MAX_CROWDED_OPERATIONS = 160;

  /** The most parity that a volume takes unless it was made otherwise. */
  private static final int MAX_PARITY_UNITS = 2;

  public Geometry {
    layouts = List.copyOf(layouts);
    habits = Set.copyOf(habits);
  }

  /** Draws one. */
  public static Geometry draw(RandomGenerator random, boolean dataOnly) {
    int osds = random.nextInt(MIN_OSDS, MAX_OSDS + 1);
    List<LayoutSpec> layouts = new ArrayList<>();
    int kinds = random.nextInt(1, 3);
    boolean bare = random.nextInt(12) == 0;
    for (int kind = 0; kind < kinds; kind++) {
      int parity = bare ? 0 : random.nextInt(1, MAX_PARITY_UNITS + 1);
      int mostData = Math.min(MAX_DATA_UNITS, osds - 1 - parity);
      int data = random.nextInt(1, mostData + 1);
      if (dataOnly) {
        // Mostly such as are changed in part (P 5.3).
        data = Math.max(data, random.nextInt(1, mostData + 1));
      }
      int unit = 4096 << random.nextInt(3);
      int groups = osds >= 2 * (data + parity) && random.nextInt(3) == 0 ? 2 : 1;
      layouts.add(new LayoutSpec(data, parity, unit, random.nextInt(1, 4), groups));
    }
    int sysmgrMembers = !dataOnly && random.nextInt(4) == 0 ? 3 : 1;
    int clients = random.nextInt(2, 5);
    int hands = random.nextInt(1, 3);
    int operations = random.nextInt(20, 61) * (dataOnly ? DATA_OPERATIONS_FACTOR : 1);
    // A share in which no seed lies that was kept before there were second volumes.
    int lot = random.nextInt(100);
    boolean secondVolume = lot >= 69 && lot < 82;
    if (secondVolume) {
      osds = Math.max(osds, MIN_OSDS_FOR_MORE_PARITY);
      int machines = osds;
      layouts.replaceAll(layout -> withMoreParity(layout, machines, random));
    }
    return new Geometry(
        osds, sysmgrMembers, layouts, clients, hands, operations, dataOnly, secondVolume, Set.of());
  }

  private static LayoutSpec withMoreParity(LayoutSpec layout, int osds, RandomGenerator random) {
    int parity = World.MAX_PARITY_OF_SECOND_VOLUME;
    if (layout.parityUnits() == 0 || random.nextInt(3) == 0) {
      return layout;
    }
    int mostData = Math.min(MAX_DATA_UNITS, osds - 1 - parity);
    int data = random.nextBoolean() ? mostData : Math.min(layout.dataUnits(), mostData);
    return new LayoutSpec(data, parity, layout.unitBytes(), layout.groupDepth(), 1);
  }

  /**
   * Draws a geometry whose clients all work in the same few stripes. The stripes are wide, are
   * changed in part (P 5.3), and have as little parity as possible.
   */
  public static Geometry hot(RandomGenerator random) {
    int parity = random.nextInt(3) == 0 ? 2 : 1;
    int data = random.nextInt(MIN_HOT_DATA_UNITS, MAX_HOT_DATA_UNITS + 1);
    int osds = data + parity + random.nextInt(1, 3);
    int unit = 4096 << random.nextInt(2);
    LayoutSpec layout = new LayoutSpec(data, parity, unit, random.nextInt(1, 3), 1);
    int clients = random.nextInt(3, 5);
    int operations = DATA_OPERATIONS_FACTOR * random.nextInt(30, 61);
    Set<WorkloadBias> habits =
        random.nextInt(4) == 0
            ? Set.of(WorkloadBias.HOT, WorkloadBias.SHARING)
            : Set.of(WorkloadBias.HOT);
    // As above: no seed of such a world was kept before there were any.
    int lot = random.nextInt(100);
    boolean secondVolume = lot >= 30 && lot < 45;
    return new Geometry(
        osds, 1, List.of(layout), clients, 2, operations, true, secondVolume, habits);
  }

  /** The same, with clients that do that, too; some things need several of them. */
  public Geometry with(WorkloadBias habit) {
    Set<WorkloadBias> all = EnumSet.of(habit);
    all.addAll(habits);
    int least = habit == WorkloadBias.SHARING ? MIN_CLIENTS_THAT_SHARE : clients;
    return new Geometry(
        osds,
        sysmgrMembers,
        layouts,
        Math.max(clients, least),
        hands,
        operations,
        dataOnly,
        secondVolume,
        all);
  }

  /** The same, with more to do: much of it is looking. */
  public Geometry looking() {
    return new Geometry(
        osds,
        sysmgrMembers,
        layouts,
        clients,
        hands,
        LOOKING_OPERATIONS_FACTOR * operations,
        dataOnly,
        secondVolume,
        habits);
  }

  /** The same, with clients that fill large directories, for longer. */
  public Geometry crowded(RandomGenerator random) {
    return new Geometry(
        osds,
        sysmgrMembers,
        layouts,
        clients,
        hands,
        random.nextInt(MAX_CROWDED_OPERATIONS / 2, MAX_CROWDED_OPERATIONS + 1),
        dataOnly,
        secondVolume,
        Set.of(WorkloadBias.CROWDING));
  }

  /**
   * The same for a long time; often in a volume of its own.
   *
   * @param wide files have wide units mostly
   */
  public Geometry lasting(RandomGenerator random, boolean wide) {
    List<LayoutSpec> lasting = new ArrayList<>(layouts);
    if (random.nextInt(WIDE_OUT_OF) == 0 != wide) {
      LayoutSpec usual = layouts.get(0);
      lasting.set(
          0,
          new LayoutSpec(
              usual.dataUnits(), usual.parityUnits(), WIDE_UNIT_BYTES, usual.groupDepth(), 1));
    }
    return new Geometry(
        Math.max(osds, MIN_OSDS_FOR_MORE_PARITY),
        random.nextBoolean() ? MAX_SYSMGR_MEMBERS : 1,
        lasting,
        clients,
        hands,
        random.nextInt(MAX_LASTING_OPERATIONS / 2, MAX_LASTING_OPERATIONS + 1),
        dataOnly,
        secondVolume || random.nextInt(3) != 0,
        Set.of(WorkloadBias.LASTING));
  }

  /** The same with members of SysMgr that vote, managers that are backups, and two volumes. */
  public Geometry voting() {
    Geometry paired = with(WorkloadBias.PAIRED).with(WorkloadBias.VOTING);
    return new Geometry(
        Math.max(osds, MIN_OSDS_FOR_MORE_PARITY),
        MAX_SYSMGR_MEMBERS,
        layouts,
        clients,
        hands,
        operations,
        dataOnly,
        true,
        paired.habits());
  }

  /** The same with an OSD more than any file needs: what one holds finds room on the others. */
  public Geometry withRoom() {
    int copies = 1 + (secondVolume ? World.MAX_PARITY_OF_SECOND_VOLUME : MAX_PARITY_UNITS);
    int most = copies;
    for (LayoutSpec layout : layouts) {
      int width = layout.dataUnits() + layout.parityUnits();
      int alone = Math.max(0, copies - width);
      most = Math.max(most, Math.max(1, layout.groups()) * width + alone);
    }
    return new Geometry(
        Math.max(osds, most + 1),
        sysmgrMembers,
        layouts,
        clients,
        hands,
        operations,
        dataOnly,
        secondVolume,
        habits);
  }

  /** The same with so many OSDs more. */
  public Geometry withMoreOsds(int more) {
    return new Geometry(
        osds + more,
        sysmgrMembers,
        layouts,
        clients,
        hands,
        operations,
        dataOnly,
        secondVolume,
        habits);
  }

  /** How a file is opened to be changed. */
  UpdateOptions updating(RandomGenerator random) {
    UpdateOptions options = UpdateOptions.alone().withShared(has(WorkloadBias.SHARING));
    return has(WorkloadBias.GATHERING) && random.nextInt(4) != 0
        ? options.withGathering(
            UpdateOptions.MIN_GATHER_BYTES << random.nextInt(3),
            1 + random.nextInt(MAX_GATHER_MILLIS))
        : options;
  }

  public boolean has(WorkloadBias habit) {
    return habits.contains(habit);
  }

  /** How many components the weakest files may lose; directories of the root volume, too. */
  public int leastParity() {
    int ofFiles = layouts.stream().mapToInt(LayoutSpec::parityUnits).min().orElse(0);
    return Math.min(ofFiles, MAX_PARITY_UNITS);
  }

  /** Bytes of the data units of the largest stripe. */
  public int stripeBytes() {
    return layouts.stream()
        .mapToInt(layout -> layout.dataUnits() * layout.unitBytes())
        .max()
        .orElse(0);
  }
}
