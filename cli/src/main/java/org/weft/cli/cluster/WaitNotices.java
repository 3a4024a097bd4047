package org.weft.cli.cluster;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.weft.cli.output.PrintableText;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * Prints what a command waits for: servers that have not answered for three seconds. It prints
 * every ten seconds at most.
 */
public final class WaitNotices implements AutoCloseable {
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MAX_NAMED = 3;
  private static final DateTimeFormatter TIME_OF_DAY = DateTimeFormatter.ofPattern("HH:mm:ss");

  private final Environment watched;
  private final Consumer<String> printer;
  private final ZoneId zone;
  private final ServerWaits waits;
  private final OwnedExecutor executor;

  // Confined to the executor.
  private Scheduler.Timer timer = () -> {};
  private boolean closed;
  private boolean said;
  private long saidNanos;

  private WaitNotices(Environment environment, Consumer<String> printer, ZoneId zone) {
    this.printer = printer;
    this.zone = zone;
    this.waits = new ServerWaits(environment.ticker());
    this.watched =
        new Environment(
            environment.clock(),
            environment.ticker(),
            environment.scheduler(),
            environment.random(),
            new WatchedTransport(environment.transport(), waits),
            environment.bootIdentity());
    this.executor = environment.scheduler().newSerialExecutor("weft-notices");
  }

  /**
   * Watches from now on what is asked through {@link #environment}.
   *
   * @param printer gets lines, on a thread of its own
   * @param zone of the printed time of day
   */
  public static WaitNotices start(Environment environment, Consumer<String> printer, ZoneId zone) {
    WaitNotices notices = new WaitNotices(environment, printer, zone);
    notices.executor.execute(notices::schedule);
    return notices;
  }

  /** The environment whose transport is watched. */
  public Environment environment() {
    return watched;
  }

  private void schedule() {
    if (!closed) {
      timer = watched.scheduler().schedule(LOOK_NANOS, executor, this::look);
    }
  }

  private void look() {
    long nowNanos = watched.ticker().nowNanos();
    List<ServerWaits.Silent> silent = waits.silentFor(PATIENCE_NANOS);
    if (!silent.isEmpty() && (!said || nowNanos - saidNanos >= PAUSE_NANOS)) {
      said = true;
      saidNanos = nowNanos;
      printer.accept(text(silent));
    }
    schedule();
  }

  private String text(List<ServerWaits.Silent> silent) {
    String named =
        silent.stream().limit(MAX_NAMED).map(this::text).collect(Collectors.joining(", "));
    int more = silent.size() - MAX_NAMED;
    return "waiting for " + PrintableText.of(named) + (more > 0 ? " and " + more + " more" : "");
  }

  private String text(ServerWaits.Silent server) {
    Instant since =
        Instant.ofEpochMilli(
            watched.clock().nowMillis() - TimeUnit.NANOSECONDS.toMillis(server.silentNanos()));
    return "%s, silent for %d s (since %s)"
        .formatted(
            server.name(),
            TimeUnit.NANOSECONDS.toSeconds(server.silentNanos()),
            TIME_OF_DAY.format(since.atZone(zone)));
  }

  /** Says nothing more. */
  @Override
  public void close() {
    executor.execute(
        () -> {
          closed = true;
          timer.cancel();
        });
    executor.close();
  }
}
