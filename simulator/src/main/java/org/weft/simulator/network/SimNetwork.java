package org.weft.simulator.network;

import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import org.weft.simulator.base.SimContext;
import org.weft.testkit.sim.WireFaults;

/** The faults of a world's network. */
public final class SimNetwork implements WorldNetwork, WireFaults {
  private static final int OUT_OF = 10_000;

  private final SimContext setting;
  private final SplittableRandom random;

  private record Link(String from, String to) implements Comparable<Link> {
    @Override
    public int compareTo(Link other) {
      int byFrom = from.compareTo(other.from);
      return byFrom != 0 ? byFrom : to.compareTo(other.to);
    }

    @Override
    public String toString() {
      return from + ">" + to;
    }
  }

  private final Set<Link> cuts = new TreeSet<>();
  private final Map<Link, Long> latencies = new TreeMap<>();
  private final Set<Link> belated = new TreeSet<>();
  private NetworkFaults faults = NetworkFaults.NONE;
  private Runnable listener = () -> {};

  public SimNetwork(SimContext setting) {
    this.setting = setting;
    this.random = setting.random("network");
    setting.wire().faults(this);
  }

  /** Is called when links were cut or healed. */
  public void whenLinksChange(Runnable told) {
    listener = told;
  }

  @Override
  public void faults(NetworkFaults wanted) {
    setting.trace().note("network", () -> "faults " + wanted);
    faults = wanted;
  }

  @Override
  public NetworkFaults faults() {
    return faults;
  }

  @Override
  public void cut(String from, String to) {
    setting.trace().note("network", () -> "CUT " + new Link(from, to));
    cuts.add(new Link(from, to));
    setting.wire().linksChanged();
    listener.run();
  }

  @Override
  public void breakConnections(String one, String other) {
    setting.trace().note("network", () -> "BREAKS " + new Link(one, other));
    setting.wire().breakConnections(one, other);
  }

  @Override
  public void silenceConnections(String one, String other) {
    setting.trace().note("network", () -> "SILENCES " + new Link(one, other));
    setting.wire().silenceConnections(one, other);
  }

  @Override
  public void latency(String from, String to, long nanos) {
    setting
        .trace()
        .note("network", () -> "latency " + new Link(from, to) + " " + nanos / 1_000 + " us");
    latencies.put(new Link(from, to), nanos);
  }

  @Override
  public void belate(String from, String to) {
    setting.trace().note("network", () -> "BELATED " + new Link(from, to));
    belated.add(new Link(from, to));
  }

  @Override
  public void healBut(BiPredicate<String, String> stays) {
    setting.trace().note("network", () -> "heals");
    faults = NetworkFaults.NONE;
    cuts.removeIf(cut -> !stays.test(cut.from(), cut.to()));
    latencies.clear();
    belated.clear();
    setting.wire().linksChanged();
    listener.run();
  }

  @Override
  public Fate fate(FrameKind kind, String from, String to) {
    if (isBelated(kind, from, to)) {
      return new Fate(late(), delayNanos(NetworkFaults.BELATED));
    }
    if (faults == NetworkFaults.NONE) {
      return Fate.USUAL;
    }
    int drawn = random.nextInt(OUT_OF);
    int delayed = faults.delayed();
    int lost = delayed + faults.connectionsLost();
    int late = lost + (kind == FrameKind.REQUEST ? faults.late() : 0);
    int replyLost = late + (kind == FrameKind.REQUEST ? 0 : faults.repliesLost());
    if (drawn < delayed) {
      return new Fate(Harm.NONE, delayNanos(faults));
    } else if (drawn < lost) {
      return new Fate(random.nextBoolean() ? Harm.LOST : Harm.BREAKS_AFTER, 0);
    } else if (drawn < late) {
      return new Fate(late(), delayNanos(faults));
    } else if (drawn < replyLost) {
      return new Fate(Harm.LOST, 0);
    }
    return Fate.USUAL;
  }

  private boolean isBelated(FrameKind kind, String from, String to) {
    return kind == FrameKind.REQUEST
        && !belated.isEmpty()
        && belated.contains(new Link(from, to))
        && random.nextBoolean();
  }

  /** A server that learns at once of a cancelled call may drop what has just arrived. */
  private Harm late() {
    return setting.options().lateEnds() ? Harm.OUTLIVING : Harm.ORPHANED;
  }

  private long delayNanos(NetworkFaults by) {
    return random.nextLong(TimeUnit.MILLISECONDS.toNanos(Math.max(1, by.mostDelayMillis())));
  }

  @Override
  public boolean isCut(String from, String to) {
    return !cuts.isEmpty() && cuts.contains(new Link(from, to));
  }

  @Override
  public long extraNanos(String from, String to) {
    return latencies.isEmpty() ? 0 : latencies.getOrDefault(new Link(from, to), 0L);
  }
}
