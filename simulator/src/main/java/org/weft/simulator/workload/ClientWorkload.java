package org.weft.simulator.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.client.WeftPath;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.world.World;
import org.weft.testkit.sim.VirtualTime;

/** Several clients at work in a world, until their operations are used up. */
public final class ClientWorkload {
  private static final int MIN_KEEP_MILLIS = 3_000;
  private static final int MAX_MORE_KEEP_MILLIS = 30_000;

  private static final long PAUSE_BEFORE_NEXT_START_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final World world;
  private final Geometry geometry;
  private final Histories histories;
  private final Intensity faults;
  private final int mostOperations;
  private final Paths paths;
  private final HotSpots hotSpots = new HotSpots();
  private final Crowds crowds;
  private final RandomGenerator idling;
  private final List<ClientWorker> workers = new ArrayList<>();
  private final LeftLocks leftLocks;
  private int operations;
  private long waitingUntilNanos = Long.MIN_VALUE;
  private boolean over;
  private boolean left;

  /**
   * Clients that are not started.
   *
   * @param faults that operations may fail of
   * @param mostOperations of all clients
   */
  public ClientWorkload(
      World world, Geometry geometry, Histories histories, Intensity faults, int mostOperations) {
    this.world = world;
    this.geometry = geometry;
    this.histories = histories;
    this.faults = faults;
    this.mostOperations = mostOperations;
    this.paths = new Paths(names(world, geometry));
    this.idling = world.random("idling");
    this.crowds = new Crowds(world.random("crowds"), geometry.clients() * geometry.hands());
    this.leftLocks = new LeftLocks(world, histories, keepMillis());
    for (int client = 0; client < geometry.clients(); client++) {
      workers.add(
          new ClientWorker(this, clientOf(client), world.random("work of client " + client)));
    }
  }

  /** One in four waits for units that are late. */
  private ClientNode clientOf(int number) {
    boolean patient = world.random("patience of client " + number).nextInt(4) == 0;
    ClientNode made = patient ? world.newPatientClient() : world.newClient();
    if (leftLocks.areKept()) {
      made.keepLocks(leftLocks.keepMillis());
    }
    return made;
  }

  private int keepMillis() {
    return geometry.has(WorkloadBias.KEEPING)
        ? MIN_KEEP_MILLIS + world.random("kept locks").nextInt(MAX_MORE_KEEP_MILLIS)
        : 0;
  }

  /** Locks that clients left that died. */
  public LeftLocks leftLocks() {
    return leftLocks;
  }

  /** Clients that only change files are to meet others there. */
  private static int names(World world, Geometry geometry) {
    if (geometry.has(WorkloadBias.HOT)) {
      return Paths.MAX_HOT_NAMES;
    }
    if (geometry.has(WorkloadBias.CACHING)) {
      return Paths.CACHED_NAMES;
    }
    return geometry.dataOnly()
        ? 1 + world.random("names").nextInt(Paths.MAX_NAMES - 1)
        : Paths.MAX_NAMES;
  }

  /** Lets all clients begin. */
  public void start() {
    workers.forEach(ClientWorker::start);
  }

  /** Where a path of the model lies. */
  WeftPath at(String path) {
    String home = world.homePath();
    return WeftPath.of(home.isEmpty() || !path.equals("/") ? home + path : home);
  }

  public Geometry geometry() {
    return geometry;
  }

  public Histories histories() {
    return histories;
  }

  public Paths paths() {
    return paths;
  }

  VirtualTime time() {
    return world.time();
  }

  Intensity faults() {
    return faults;
  }

  public Crowds crowds() {
    return crowds;
  }

  /** An owner whose names another may look at. */
  String anyOwner(RandomGenerator random) {
    return workers.get(random.nextInt(workers.size())).owner(random.nextInt(geometry.hands()));
  }

  HotSpots hotSpots() {
    return hotSpots;
  }

  public boolean mayGoOn() {
    return !over && (operations < mostOperations || isWaiting());
  }

  /** All is done, or nearly so, but a client that is away is to find others at work. */
  boolean isWaiting() {
    return operations < 2 * mostOperations && histories.nanos() < waitingUntilNanos;
  }

  /** Goes on for so long at least, more slowly. */
  public void waitFor(long nanos) {
    waitingUntilNanos = Math.max(waitingUntilNanos, histories.nanos() + nanos);
  }

  /** A client writes there. */
  void written(long objectId, long fromBytes, int lengthBytes) {
    hotSpots.written(objectId, fromBytes, lengthBytes);
    for (ClientWorker worker : workers) {
      worker.hands().forEach(hand -> hand.prompted(objectId));
    }
  }

  /** When a hand does nothing for a while. */
  RandomGenerator idling() {
    return idling;
  }

  /** A client is let in to write a file: one that has it open may have given it back. */
  void noticeLent(long objectId) {
    for (ClientWorker worker : workers) {
      worker.hands().forEach(hand -> hand.noticeLent(objectId));
    }
  }

  /** A client is about to change what is there, or has done so. */
  void point(String path) {
    for (ClientWorker worker : workers) {
      worker.hands().forEach(hand -> hand.pointed(path));
    }
  }

  /** Nothing was done before. */
  boolean isFirst() {
    return operations == 1;
  }

  void count() {
    operations++;
  }

  /** No hand begins anything new. */
  public void end() {
    over = true;
  }

  /** A task threw what is caught nowhere. */
  public void broken(Throwable thrown) {
    StringBuilder text = new StringBuilder(thrown.toString());
    for (StackTraceElement element : thrown.getStackTrace()) {
      text.append("\n    at ").append(element);
    }
    histories.found("something threw", text.toString());
  }

  void startAgain(ClientWorker worker) {
    world
        .time()
        .after(
            PAUSE_BEFORE_NEXT_START_NANOS,
            () -> {
              if (!left && !worker.isConnected()) {
                worker.start();
              }
            });
  }

  public List<ClientWorker> workers() {
    return workers;
  }

  /** How many operations were begun. */
  public int operations() {
    return operations;
  }

  /** All that was begun is answered, and nothing is held open. */
  public boolean isFinished() {
    return !mayGoOn() && workers.stream().allMatch(ClientWorker::isFinished);
  }

  /** All clients end, and none starts again. */
  public void leave() {
    left = true;
    workers.forEach(ClientWorker::leave);
  }

  /** What hands wait for. */
  public List<String> waiting() {
    List<String> states = new ArrayList<>();
    for (ClientWorker worker : workers) {
      if (!worker.isConnected()) {
        states.add(worker.node().name() + " is not connected");
      }
      worker.hands().stream()
          .filter(hand -> !hand.isFinished())
          .map(ClientThread::state)
          .forEach(states::add);
    }
    return states;
  }
}
