package org.weft.testkit.sim;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.ToLongFunction;
import java.util.random.RandomGenerator;
import org.weft.protocol.seam.BootIdentity;
import org.weft.protocol.seam.Clock;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * A process in a simulated world, which can be killed or stopped between any two of its steps.
 *
 * <p>After {@link #kill} no task of it runs, and its kernel ends its connections; what it had
 * written to files stays, as {@code kill -9} leaves it. While it is {@link #pause}d nothing runs
 * either, and everything that is due or arrives waits for {@link #resume}. What arrived on one
 * connection waits in its order, and connections are then read in any order.
 */
public final class SimProcess {
  /**
   * The machine around a process.
   *
   * @param name of the machine, which is what links of the network are named by
   * @param slowness how much longer than usual the next task of an executor of that name waits, in
   *     nanoseconds
   */
  public record Surroundings(
      String name, Clock clock, Ticker ticker, BootIdentity boot, ToLongFunction<String> slowness) {
    /** A fast machine that is always on time. */
    public static Surroundings usual(String name, VirtualTime time) {
      return new Surroundings(name, time, time, () -> "boot", executor -> 0);
    }
  }

  private final VirtualTime time;
  private final VirtualWire wire;
  private final WireHost host;
  private final Environment environment;
  private final RandomGenerator random;
  private final Queue<Runnable> backlog = new ArrayDeque<>();
  // What waits in sockets, by lane; none that is empty.
  private final Map<Object, Queue<Runnable>> sockets = new LinkedHashMap<>();
  private boolean alive = true;
  private boolean paused;
  private boolean resuming;

  public SimProcess(VirtualTime time, VirtualWire wire, Surroundings on, RandomGenerator random) {
    this.time = time;
    this.wire = wire;
    this.random = random;
    this.host = new WireHost(on.name(), this::run, this::arrive, on.ticker(), () -> alive);
    this.environment =
        new Environment(
            on.clock(),
            on.ticker(),
            new GatedScheduler(on.slowness()),
            random,
            wire.at(host),
            on.boot());
  }

  /** On a usual machine. */
  public SimProcess(VirtualTime time, VirtualWire wire, String name, long seed) {
    this(time, wire, Surroundings.usual(name, time), new SplittableRandom(seed));
  }

  public Environment environment() {
    return environment;
  }

  public boolean isAlive() {
    return alive;
  }

  public boolean isPaused() {
    return paused;
  }

  /** Runs it now if the process runs, later if it is stopped, never if it is dead. */
  public void run(Runnable task) {
    if (!alive) {
      return;
    }
    if (paused || resuming) {
      backlog.add(task);
    } else {
      task.run();
    }
  }

  private void arrive(Object lane, Runnable arrival) {
    if (alive && (paused || resuming)) {
      sockets.computeIfAbsent(lane, made -> new ArrayDeque<>()).add(arrival);
    } else {
      run(arrival);
    }
  }

  /** Ends the process; its kernel says so to the processes that it was connected with. */
  public void kill() {
    if (end()) {
      wire.killed(host);
    }
  }

  /** The machine is gone with its kernel: others find out by themselves. */
  public void vanish() {
    if (end()) {
      wire.vanished(host);
    }
  }

  private boolean end() {
    boolean wasAlive = alive;
    alive = false;
    paused = false;
    backlog.clear();
    sockets.clear();
    return wasAlive;
  }

  public void pause() {
    if (alive && !paused) {
      paused = true;
      wire.paused(host, () -> paused);
    }
  }

  /** What waited happens before anything new. */
  public void resume() {
    if (paused) {
      paused = false;
      if (!resuming) {
        resuming = true;
        time.after(time.waitForThreadNanos(), this::catchUp);
      }
    }
  }

  private void catchUp() {
    if (paused || !alive) {
      resuming = false;
      return;
    }
    Runnable next = takeNext();
    if (next == null) {
      resuming = false;
    } else {
      time.after(time.waitForThreadNanos(), this::catchUp);
      next.run();
    }
  }

  /** The next thing that is due, or that waits in some socket; null if there is none. */
  private Runnable takeNext() {
    int choices = sockets.size() + (backlog.isEmpty() ? 0 : 1);
    int choice = choices == 0 ? 0 : random.nextInt(choices);
    if (choice == sockets.size()) {
      return backlog.poll();
    }
    Object lane = List.copyOf(sockets.keySet()).get(choice);
    Queue<Runnable> waiting = sockets.get(lane);
    Runnable next = waiting.remove();
    if (waiting.isEmpty()) {
      sockets.remove(lane);
    }
    return next;
  }

  /** Timers and executors of the process. */
  private final class GatedScheduler implements Scheduler {
    private final ToLongFunction<String> slowness;

    GatedScheduler(ToLongFunction<String> slowness) {
      this.slowness = slowness;
    }

    @Override
    public Timer schedule(long delayNanos, Executor executor, Runnable task) {
      return time.schedule(delayNanos, gated -> run(() -> executor.execute(gated)), task);
    }

    @Override
    public OwnedExecutor newSerialExecutor(String name) {
      return new VirtualSerial(time, SimProcess.this::run, () -> slowness.applyAsLong(name));
    }

    @Override
    public OwnedExecutor newPool(String name, int threads, int queueLimit) {
      return new VirtualPool(
          time,
          name,
          threads + (long) queueLimit,
          SimProcess.this::run,
          () -> slowness.applyAsLong(name));
    }
  }
}
