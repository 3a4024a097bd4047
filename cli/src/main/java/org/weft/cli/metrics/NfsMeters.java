package org.weft.cli.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.weft.nfs.daemon.CallbackFigures;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.daemon.ProcedureFigures;

/** The figures of NFS gateways in this process: the sums, where there are several. */
public final class NfsMeters {
  private final MeterRegistry registry;

  public NfsMeters(ProcessMeters meters) {
    this.registry = meters.registry();
  }

  /** Gateways of this process, as they are when the figures are read. */
  public void gateways(Supplier<List<NfsDaemon>> running) {
    List<ProcedureFigures.Figures> names = new ProcedureFigures().all();
    for (int i = 0; i < names.size(); i++) {
      procedure(names.get(i), i, running);
    }
    for (CallbackFigures.Outcome each : CallbackFigures.Outcome.values()) {
      callback("granted", each, running, daemon -> daemon.callbacks().granted(each));
      callback("notify", each, running, daemon -> daemon.callbacks().notices(each));
    }
    gauge(
        "connections",
        "Connections of clients",
        running,
        daemon -> daemon.transport().counters().connections());
    gauge(
        "memory.bytes",
        "Bytes of calls and replies that are held",
        running,
        daemon -> daemon.transport().usedBytes());
    counter(
        "connections.refused",
        "Connections that were closed at once, since there were too many",
        running,
        daemon -> daemon.transport().counters().refusedConnections());
    counter(
        "repeats",
        "Calls that got the reply of an earlier one",
        running,
        daemon -> daemon.transport().counters().repeats());
    counter(
        "malformed",
        "Connections that were closed for what they sent",
        running,
        daemon -> daemon.transport().counters().malformed());
    counter(
        "stalled",
        "Connections that were closed since a call did not arrive whole, or a reply did not leave",
        running,
        daemon -> daemon.transport().counters().stalled());
    counter(
        "losses",
        "How often bytes may have been lost whose reply was UNSTABLE; clients send them" + " again",
        running,
        NfsDaemon::losses);
  }

  /**
   * A gateway that is to run in the process of a manager.
   *
   * @param running how many do: one or none
   * @param failedStarts how often it could not be started
   */
  public void beside(IntSupplier running, LongSupplier failedStarts) {
    Gauge.builder("weft.nfs.beside.up", running::getAsInt)
        .description("1 if the gateway in the process of this manager runs, else 0")
        .register(registry);
    FunctionCounter.builder(
            "weft.nfs.beside.failed.starts", registry, kept -> failedStarts.getAsLong())
        .description("How often the gateway in the process of this manager could not be started")
        .register(registry);
  }

  private void procedure(
      ProcedureFigures.Figures name, int place, Supplier<List<NfsDaemon>> running) {
    FunctionTimer.builder(
            "weft.nfs.calls",
            registry,
            kept -> sum(running, place, ProcedureFigures.Figures::calls),
            kept -> sum(running, place, ProcedureFigures.Figures::nanos),
            TimeUnit.NANOSECONDS)
        .description("Calls of a procedure, from their arrival to their replies")
        .tag("program", name.program())
        .tag("procedure", name.procedure())
        .register(registry);
    FunctionCounter.builder(
            "weft.nfs.calls.refused",
            registry,
            kept -> sum(running, place, ProcedureFigures.Figures::refused))
        .description("Calls of a procedure that RPC refused, or that failed by a mistake")
        .tag("program", name.program())
        .tag("procedure", name.procedure())
        .register(registry);
  }

  private static long sum(
      Supplier<List<NfsDaemon>> running,
      int place,
      ToLongFunction<ProcedureFigures.Figures> value) {
    return running.get().stream()
        .mapToLong(daemon -> value.applyAsLong(daemon.figures().all().get(place)))
        .sum();
  }

  private void callback(
      String procedure,
      CallbackFigures.Outcome outcome,
      Supplier<List<NfsDaemon>> running,
      ToLongFunction<NfsDaemon> value) {
    FunctionCounter.builder("weft.nfs.callbacks", registry, kept -> sum(running, value))
        .description("Calls of a gateway to its clients, by what became of them")
        .tag("procedure", procedure)
        .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
        .register(registry);
  }

  private void gauge(
      String figure,
      String description,
      Supplier<List<NfsDaemon>> running,
      ToLongFunction<NfsDaemon> value) {
    Gauge.builder("weft.nfs." + figure, () -> sum(running, value))
        .description(description)
        .register(registry);
  }

  private void counter(
      String figure,
      String description,
      Supplier<List<NfsDaemon>> running,
      ToLongFunction<NfsDaemon> value) {
    FunctionCounter.builder("weft.nfs." + figure, registry, kept -> sum(running, value))
        .description(description)
        .register(registry);
  }

  private static long sum(Supplier<List<NfsDaemon>> running, ToLongFunction<NfsDaemon> value) {
    return running.get().stream().mapToLong(value).sum();
  }
}
