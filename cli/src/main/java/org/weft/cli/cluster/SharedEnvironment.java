package org.weft.cli.cluster;

import java.util.concurrent.atomic.AtomicBoolean;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.system.SystemEnvironment;

/**
 * One {@link SystemEnvironment} for several users. It is made for the first user and closed when
 * the last one gives it back. A process with a hundred clients then has the event loops, the timers
 * and the pool of buffers of one. Thread-safe.
 */
final class SharedEnvironment {
  private SystemEnvironment system;
  private int leases;

  /** A share of the environment, until it is closed. */
  final class Lease implements AutoCloseable {
    private final Environment environment;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Lease(Environment environment) {
      this.environment = environment;
    }

    Environment environment() {
      return environment;
    }

    /**
     * Ends everything, as {@link SystemEnvironment#close} does, if no other lease is open; else the
     * holder of this one has closed its connections.
     */
    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        giveBack();
      }
    }
  }

  /** A share, to be closed. */
  synchronized Lease take() {
    if (system == null) {
      system = SystemEnvironment.create();
    }
    leases++;
    return new Lease(system.environment());
  }

  private void giveBack() {
    SystemEnvironment unused = null;
    synchronized (this) {
      leases--;
      if (leases == 0) {
        unused = system;
        system = null;
      }
    }
    if (unused != null) {
      unused.close();
    }
  }
}
