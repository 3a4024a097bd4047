package org.weft.simulator.harm;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.simulator.network.NetworkFaults;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.workload.ClientWorker;
import org.weft.simulator.workload.ClientWorkload;
import org.weft.simulator.workload.WorkloadBias;
import org.weft.simulator.world.World;

/** Harm that is done between machines, drawn from the seed. */
final class BadNetwork {
  private static final int SHORT_MILLIS = 2_000;

  private static final List<NetworkFaults> WEATHERS =
      List.of(
          NetworkFaults.NONE,
          NetworkFaults.NONE,
          NetworkFaults.FORGETFUL.withHalf(),
          NetworkFaults.BELATED.withHalf());

  private static final List<NetworkFaults> HOT_WEATHERS =
      List.of(
          NetworkFaults.NONE,
          NetworkFaults.FORGETFUL.withHalf(),
          NetworkFaults.FORGETFUL,
          NetworkFaults.BELATED,
          NetworkFaults.BELATED);

  private final World world;
  private final ClientWorkload workload;
  private final Outages outages;
  private final Contenders contenders;
  private final RandomGenerator random;
  private final Set<String> cutOff = new LinkedHashSet<>();
  private final NetworkFaults weather;
  private final LongSeparation separation;
  private final LongBadCable cable;

  BadNetwork(
      World world,
      ClientWorkload workload,
      Outages outages,
      Contenders contenders,
      RandomGenerator random,
      boolean mayBeBad) {
    this.world = world;
    this.workload = workload;
    this.outages = outages;
    this.contenders = contenders;
    this.random = random;
    List<NetworkFaults> weathers =
        workload.geometry().has(WorkloadBias.HOT) ? HOT_WEATHERS : WEATHERS;
    this.weather = mayBeBad ? one(weathers) : NetworkFaults.NONE;
    this.separation = new LongSeparation(world, workload, outages, mayBeBad);
    this.cable = new LongBadCable(world, workload, outages, mayBeBad);
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  /** As it is while nothing is done to it. */
  void begin() {
    world.network().faults(weather);
  }

  /** Nothing but that is to go wrong now. */
  LongHarm separation() {
    return separation;
  }

  /** As {@link #separation}. */
  LongHarm cable() {
    return cable;
  }

  /** It reaches OSDs and nothing else, for longer than its lease. */
  boolean cutOff(ClientWorker worker) {
    if (!worker.isConnected() || !cutOff.isEmpty()) {
      return false;
    }
    String client = worker.node().name();
    outages.note("cut off " + client);
    cutOff.add(client);
    world.managers().forEach(manager -> world.network().separate(client, manager.name()));
    world.sysmgrs().forEach(member -> world.network().separate(client, member.name()));
    worker.stubborn(true);
    outages.afterwards(
        contenders.keptAway(worker),
        () -> {
          cutOff.remove(client);
          healNetwork();
          worker.stubborn(false);
        });
    return true;
  }

  /** Leaves clients cut off that are to be so for long. */
  private void healNetwork() {
    outages.note("healed network");
    world
        .network()
        .healBut(
            (from, to) ->
                cutOff.contains(from)
                    || cutOff.contains(to)
                    || separation.keeps(from, to)
                    || cable.keeps(from, to));
    world.network().faults(weather);
  }

  boolean noise(NetworkFaults faults) {
    outages.note("network " + faults);
    world.network().faults(faults);
    outages.afterwards(
        () -> {
          outages.note("network as usual");
          world.network().faults(weather);
        });
    return true;
  }

  boolean harmLink(FaultKind kind) {
    String from = one(world.nodes()).name();
    String to = one(world.nodes()).name();
    if (random.nextBoolean()) {
      // Where the bytes of files go.
      String client = one(world.clients()).name();
      String osd = one(world.osds()).name();
      boolean away = random.nextBoolean();
      from = away ? client : osd;
      to = away ? osd : client;
    }
    if (from.equals(to)) {
      return false;
    }
    outages.note(kind.words() + " from " + from + " to " + to);
    switch (kind) {
      case CUT_ONE_WAY -> world.network().cut(from, to);
      case SEPARATE -> world.network().separate(from, to);
      default ->
          world
              .network()
              .latency(from, to, TimeUnit.MILLISECONDS.toNanos(random.nextInt(SHORT_MILLIS)));
    }
    outages.afterwards(this::healNetwork);
    return true;
  }

  /**
   * A client gets an answer that an operation is done, and does not reach one of the OSDs from then
   * on.
   */
  boolean separateAfterAnswer() {
    ClientWorker worker = contenders.one();
    if (!worker.isConnected()) {
      return false;
    }
    String client = worker.node().name();
    String osd = one(world.osds()).name();
    outages.note("nothing between " + client + " and " + osd + " after the next answer");
    worker.afterAcknowledgement(
        () ->
            outages.afterwards(
                0,
                () -> {
                  world.network().separate(client, osd);
                  outages.afterwards(this::healNetwork);
                }));
    return true;
  }

  /** What a client asks of one OSD is repeated elsewhere, and arrives when all is over. */
  boolean belateLink() {
    String client = one(workload.workers()).node().name();
    String osd = one(world.osds()).name();
    outages.note("belated from " + client + " to " + osd);
    world.network().belate(client, osd);
    outages.afterwards(this::healNetwork);
    return true;
  }

  /** A client's writes reach one OSD late, while another client does not reach another OSD. */
  boolean crossLinks() {
    String writer = contenders.one().node().name();
    String reader = one(world.clients()).name();
    String late = one(world.osds()).name();
    String lost = one(world.osds()).name();
    if (writer.equals(reader) || late.equals(lost)) {
      return false;
    }
    outages.note(
        "late from " + writer + " to " + late + ", nothing from " + reader + " to " + lost);
    world
        .network()
        .latency(writer, late, TimeUnit.MILLISECONDS.toNanos(random.nextInt(SHORT_MILLIS)));
    world.network().separate(reader, lost);
    outages.afterwards(this::healNetwork);
    return true;
  }

  /** What a client reads leaves OSDs late: they hold it for that long. */
  boolean slowReader() {
    List<ClientWorker> reading =
        workload.workers().stream()
            .filter(
                worker -> worker.hands().stream().anyMatch(hand -> Contenders.holds(hand, true)))
            .toList();
    if (reading.isEmpty()) {
      return false;
    }
    String client = one(reading).node().name();
    outages.note("slow reader " + client);
    for (SimulatedOsd osd : world.osds()) {
      long late = TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(3 * SHORT_MILLIS));
      world.network().latency(osd.name(), client, late);
    }
    long nanos = TimeUnit.MILLISECONDS.toNanos(SHORT_MILLIS + random.nextInt(3 * SHORT_MILLIS));
    workload.waitFor(nanos);
    outages.afterwards(nanos, this::healNetwork);
    return true;
  }
}
