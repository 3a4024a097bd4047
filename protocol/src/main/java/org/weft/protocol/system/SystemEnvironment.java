package org.weft.protocol.system;

import java.security.SecureRandom;
import java.util.random.RandomGenerator;
import org.weft.protocol.seam.BootIdentity;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.transport.NettyTransport;
import org.weft.protocol.transport.TransportMetrics;
import org.weft.protocol.transport.TransportOptions;

/**
 * The real thing behind every seam, made once per process and shared by all that runs in it.
 * Closing it ends the transport, then the timers; executors belong to their makers. Thread-safe.
 */
public final class SystemEnvironment implements AutoCloseable {
  private final SystemScheduler scheduler = new SystemScheduler();
  private final NettyTransport transport;
  private final Environment environment;

  private SystemEnvironment(TransportOptions options, TransportMetrics metrics) {
    Ticker ticker = System::nanoTime;
    RandomGenerator random = new SecureRandom();
    BootIdentity boot = new KernelBootIdentity(random);
    transport = new NettyTransport(options, scheduler, ticker, random, metrics, boot);
    environment =
        new Environment(System::currentTimeMillis, ticker, scheduler, random, transport, boot);
  }

  /** With default options and no metrics. */
  public static SystemEnvironment create() {
    return create(TransportOptions.defaults(), TransportMetrics.NONE);
  }

  public static SystemEnvironment create(TransportOptions options, TransportMetrics metrics) {
    return new SystemEnvironment(options, metrics);
  }

  public Environment environment() {
    return environment;
  }

  /** Ends all connections and listeners, waits for their threads, then stops the timers. */
  @Override
  public void close() {
    transport.close();
    scheduler.close();
  }
}
