package org.weft.cli.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.transport.TransportMetrics;

/**
 * Requests by opcode and outcome, bytes and connections. Meters are made when their first event
 * comes; there are no more of them than opcodes times error codes.
 */
final class TransportMeters implements TransportMetrics {
  private static final int OUTCOMES = 1 << 16;

  private final MeterRegistry registry;
  private final AtomicInteger serverConnections;
  private final AtomicInteger clientConnections;
  private final Counter received;
  private final Counter sent;
  private final Map<Integer, Timer> served = new ConcurrentHashMap<>();
  private final Map<Integer, Timer> called = new ConcurrentHashMap<>();

  TransportMeters(MeterRegistry registry) {
    this.registry = registry;
    this.serverConnections = connections("server");
    this.clientConnections = connections("client");
    this.received =
        Counter.builder("weft.transport.received")
            .description("Bytes of frames that arrived")
            .baseUnit("bytes")
            .register(registry);
    this.sent =
        Counter.builder("weft.transport.sent")
            .description("Bytes of frames that left")
            .baseUnit("bytes")
            .register(registry);
  }

  private AtomicInteger connections(String side) {
    AtomicInteger count = new AtomicInteger();
    io.micrometer.core.instrument.Gauge.builder(
            "weft.transport.connections", count, AtomicInteger::get)
        .description("Open connections")
        .tag("side", side)
        .register(registry);
    return count;
  }

  @Override
  public void connectionOpened(boolean server) {
    var unused = (server ? serverConnections : clientConnections).incrementAndGet();
  }

  @Override
  public void connectionClosed(boolean server) {
    var unused = (server ? serverConnections : clientConnections).decrementAndGet();
  }

  @Override
  public void received(long bytes) {
    received.increment((double) bytes);
  }

  @Override
  public void sent(long bytes) {
    sent.increment((double) bytes);
  }

  @Override
  public void called(int opcodeNumber, Optional<ErrorCode> failure, long nanos) {
    timer(
            called,
            "weft.rpc.called",
            "Calls of this process, until their replies",
            opcodeNumber,
            failure)
        .record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void served(int opcodeNumber, Optional<ErrorCode> failure, long nanos) {
    timer(
            served,
            "weft.rpc.served",
            "Requests that this process has replied to",
            opcodeNumber,
            failure)
        .record(nanos, TimeUnit.NANOSECONDS);
  }

  private Timer timer(
      Map<Integer, Timer> known,
      String name,
      String description,
      int opcodeNumber,
      Optional<ErrorCode> failure) {
    // A peer may send any number; only those that have a name get a meter of their own.
    Optional<Opcode> opcode = Opcode.of(opcodeNumber);
    int key =
        opcode.map(Opcode::number).orElse(0) * OUTCOMES + failure.map(ErrorCode::number).orElse(0);
    Timer timer = known.get(key);
    return timer != null
        ? timer
        : known.computeIfAbsent(key, made -> register(name, description, opcode, failure));
  }

  private Timer register(
      String name, String description, Optional<Opcode> opcode, Optional<ErrorCode> failure) {
    return Timer.builder(name)
        .description(description)
        .tag("opcode", opcode.map(TransportMeters::lowerCase).orElse("unknown"))
        .tag("outcome", failure.map(TransportMeters::lowerCase).orElse("ok"))
        .register(registry);
  }

  private static String lowerCase(Enum<?> name) {
    return name.name().toLowerCase(Locale.ROOT);
  }
}
