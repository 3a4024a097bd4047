package org.weft.it.simulation.world;

import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.weft.protocol.wire.ClusterTable;
import org.weft.testkit.sim.VirtualTime;

/** A cluster and its clients. Confined to the thread that made it. */
public final class World {
  private final WorldOptions options;
  private final VirtualTime time;

  private World(WorldOptions options) {
    this.options = options;
    this.time = new VirtualTime(options.seed());
  }

  /** Machines that are switched off. */
  public static World create(WorldOptions options) {
    return new World(options);
  }

  /** Starts all daemons, and lets time pass until the root volume is served. */
  public void boot() {
    throw new UnsupportedOperationException("not yet");
  }

  public WorldOptions options() {
    return options;
  }

  public VirtualTime time() {
    return time;
  }

  /** Numbers of the seed for one purpose: what others draw does not change them. */
  public RandomGenerator random(String purpose) {
    throw new UnsupportedOperationException("not yet");
  }

  public Trace trace() {
    throw new UnsupportedOperationException("not yet");
  }

  public Network network() {
    throw new UnsupportedOperationException("not yet");
  }

  public List<OsdNode> osds() {
    throw new UnsupportedOperationException("not yet");
  }

  public List<ManagerNode> managers() {
    throw new UnsupportedOperationException("not yet");
  }

  public List<SysmgrNode> sysmgrs() {
    throw new UnsupportedOperationException("not yet");
  }

  public List<ClientNode> clients() {
    throw new UnsupportedOperationException("not yet");
  }

  /** A client on a machine of its own, not started. */
  public ClientNode newClient() {
    throw new UnsupportedOperationException("not yet");
  }

  /** All nodes, clients too. */
  public List<SimNode> nodes() {
    throw new UnsupportedOperationException("not yet");
  }

  /** The member leads SysMgr from now on; the one before learns of it if it can be reached. */
  public void elect(SysmgrNode member) {
    throw new UnsupportedOperationException("not yet");
  }

  /** The cluster's table as SysMgr's leader has it; empty while nobody leads. */
  public Optional<ClusterTable> table() {
    throw new UnsupportedOperationException("not yet");
  }

  /** Lets time pass, running what falls due. */
  public void pass(long millis) {
    time.pass(millis * 1_000_000L);
  }

  /**
   * Ends all faults, starts every daemon that is down, and lets time pass until all of them serve,
   * no grant of a client that is gone is left, and OSDs have taken back whatever was away.
   *
   * @param mostMillis of virtual time that this may take
   * @throws Violation if it takes longer: something hangs
   */
  public void heal(long mostMillis) {
    throw new UnsupportedOperationException("not yet");
  }
}
