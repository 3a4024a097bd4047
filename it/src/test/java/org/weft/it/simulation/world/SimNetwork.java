package org.weft.it.simulation.world;

import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.weft.testkit.sim.WireFaults;

/** The faults of a world's network. */
final class SimNetwork implements Network, WireFaults {
  private static final int OUT_OF = 10_000;

  private final Setting setting;
  private final SplittableRandom random;
  private final Set<String> cuts = new TreeSet<>();
  private final Map<String, Long> latencies = new TreeMap<>();
  private NetworkFaults faults = NetworkFaults.NONE;
  private Runnable listener = () -> {};

  SimNetwork(Setting setting) {
    this.setting = setting;
    this.random = setting.random("network");
    setting.wire().faults(this);
  }

  /** Told when links were cut or healed. */
  void whenLinksChange(Runnable told) {
    listener = told;
  }

  private static String link(String from, String to) {
    return from + ">" + to;
  }

  @Override
  public void faults(NetworkFaults wanted) {
    setting.trace().note("network", () -> "faults " + wanted);
    faults = wanted;
  }

  @Override
  public void cut(String from, String to) {
    setting.trace().note("network", () -> "CUT " + link(from, to));
    cuts.add(link(from, to));
    setting.wire().linksChanged();
    listener.run();
  }

  @Override
  public void latency(String from, String to, long nanos) {
    setting
        .trace()
        .note("network", () -> "latency " + link(from, to) + " " + nanos / 1_000 + " us");
    latencies.put(link(from, to), nanos);
  }

  @Override
  public void heal() {
    setting.trace().note("network", () -> "heals");
    faults = NetworkFaults.NONE;
    cuts.clear();
    latencies.clear();
    setting.wire().linksChanged();
    listener.run();
  }

  @Override
  public Fate fate(FrameKind kind, String from, String to) {
    if (faults == NetworkFaults.NONE) {
      return Fate.USUAL;
    }
    int drawn = random.nextInt(OUT_OF);
    int delayed = faults.delayed();
    int lost = delayed + faults.connectionsLost();
    int late = lost + (kind == FrameKind.REQUEST ? faults.late() : 0);
    int replyLost = late + (kind == FrameKind.REQUEST ? 0 : faults.repliesLost());
    if (drawn < delayed) {
      return new Fate(Harm.NONE, delayNanos());
    } else if (drawn < lost) {
      return new Fate(random.nextBoolean() ? Harm.LOST : Harm.BREAKS_AFTER, 0);
    } else if (drawn < late) {
      return new Fate(Harm.ORPHANED, delayNanos());
    } else if (drawn < replyLost) {
      return new Fate(Harm.LOST, 0);
    }
    return Fate.USUAL;
  }

  private long delayNanos() {
    return random.nextLong(TimeUnit.MILLISECONDS.toNanos(Math.max(1, faults.mostDelayMillis())));
  }

  @Override
  public boolean isCut(String from, String to) {
    return !cuts.isEmpty() && cuts.contains(link(from, to));
  }

  @Override
  public long extraNanos(String from, String to) {
    return latencies.isEmpty() ? 0 : latencies.getOrDefault(link(from, to), 0L);
  }
}
