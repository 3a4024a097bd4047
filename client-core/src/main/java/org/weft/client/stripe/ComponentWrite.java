package org.weft.client.stripe;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.weft.client.osd.OsdTarget;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.WriteReply;

/**
 * One component's part of a run: a WRITE that is repeated, with the same ids, until it is
 * acknowledged, refused, or too late. The OSD answers a repeated id without executing it again (P
 * 5.4).
 */
final class ComponentWrite {
  /** A payload that arrives damaged this often was not damaged on the way. */
  private static final int MOST_BAD_CHECKSUMS = 4;

  private final RunSender sender;
  private final WriteRun run;
  private final List<Integer> participants;
  private final int component;
  private final Runnable acknowledged;
  private final List<UnitBuffer> units;
  private final RetryDelays delays;
  private long startNanos;
  private int attempts;
  private int badChecksums;

  ComponentWrite(
      RunSender sender,
      WriteRun run,
      List<Integer> participants,
      int component,
      Runnable acknowledged) {
    this.sender = sender;
    this.run = run;
    this.participants = participants;
    this.component = component;
    this.acknowledged = acknowledged;
    this.units = run.unitsOf(component);
    this.delays = new RetryDelays(sender.engine().random());
  }

  void start() {
    run.retain();
    startNanos = sender.engine().ticker().nowNanos();
    attempt();
  }

  private void attempt() {
    if (sender.outcome().hasFailed()) {
      run.release();
      return;
    }
    attempts++;
    // The transport may hold on to the bytes longer than the call lasts.
    run.retain();
    List<ByteBuffer> bytes = units.stream().map(UnitBuffer::bytes).toList();
    Payload payload = Payload.of(bytes, run::release);
    int timeoutMillis = sender.engine().options().writeAttemptMillis();
    OsdTarget target = sender.file().target(component, timeoutMillis);
    var unused =
        sender
            .engine()
            .osds()
            .write(target, sender.request(run, participants, component, units), payload)
            .whenComplete(this::answered);
  }

  private void answered(WriteReply reply, Throwable thrown) {
    try {
      settle(thrown);
    } catch (RuntimeException e) {
      sender.outcome().failed(report(RpcException.of(e)), problem(RpcException.of(e)));
    }
  }

  private void settle(Throwable thrown) {
    if (thrown == null) {
      sender.created(component);
      sender.engine().suspects().answered(sender.file().map().osdOf(component));
      run.release();
      acknowledged.run();
      return;
    }
    RpcException failure = RpcException.of(thrown);
    long delayNanos = delays.nextNanos();
    if (mayRepeat(failure.code()) && isInTime(delayNanos)) {
      sender.engine().after(delayNanos, this::attempt);
    } else {
      run.release();
      sender.outcome().failed(report(failure), problem(failure));
    }
  }

  private boolean mayRepeat(ErrorCode code) {
    return switch (code) {
      case CONNECTION_LOST, UNAVAILABLE, DEADLINE_EXCEEDED, OVERLOADED, BUSY -> true;
      case BAD_CHECKSUM -> ++badChecksums < MOST_BAD_CHECKSUMS;
      default -> false;
    };
  }

  private boolean isInTime(long delayNanos) {
    long spentNanos = sender.engine().ticker().nowNanos() - startNanos + delayNanos;
    return spentNanos
        < TimeUnit.MILLISECONDS.toNanos(sender.engine().options().writeDeadlineMillis());
  }

  private ComponentFailure report(RpcException failure) {
    return new ComponentFailure(
        sender.file().name(), component, sender.file().map().osdOf(component), failure);
  }

  private RpcException problem(RpcException failure) {
    String what =
        "cannot write %s: %s failed, tries: %d: %s; the file is given up, write it again"
            .formatted(
                sender.file().name(),
                sender.file().describe(component),
                attempts,
                failure.getMessage());
    return new RpcException(failure.code(), what, failure);
  }
}
