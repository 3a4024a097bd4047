package org.weft.client.stripe;

import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.client.osd.OsdTarget;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.WriteRequest;

/**
 * Sends the runs of one file to its components, and keeps account of what is complete. Thread-safe;
 * runs on the engine's executor.
 *
 * <p>Every WRITE carries the right to create its component until the component has acknowledged
 * one: runs overtake each other on the way. The first run in a parity group goes to every component
 * of it, empty where there is nothing to store, so that from then on an absent object is a lost one
 * (P 4.2).
 */
final class RunSender {
  /** What the writer wants to know. */
  interface Outcome {
    /** All components have acknowledged the run. */
    void runComplete();

    /** The file cannot be written any more. */
    void failed(ComponentFailure failure, RpcException problem);

    /** True once the file has been given up. */
    boolean hasFailed();
  }

  private final StripeEngine engine;
  private final StripedFile file;
  private final WriteGrant grant;
  private final Outcome outcome;
  private final CompletionMark mark = new CompletionMark();
  private final BitSet addressed = new BitSet();
  private final BitSet created = new BitSet();

  RunSender(StripeEngine engine, StripedFile file, WriteGrant grant, Outcome outcome) {
    this.engine = engine;
    this.file = file;
    this.grant = grant;
    this.outcome = outcome;
  }

  StripeEngine engine() {
    return engine;
  }

  StripedFile file() {
    return file;
  }

  Outcome outcome() {
    return outcome;
  }

  /** Sends an encoded run; the run's own hold on its memory ends here. */
  void send(WriteRun run) {
    if (!outcome.hasFailed()) {
      List<Integer> participants =
          run.participants().stream().filter(index -> !file.map().isMissing(index)).toList();
      BitSet targets = new BitSet();
      participants.forEach(targets::set);
      synchronized (this) {
        if (!run.isSmall()) {
          addressGroup(run.group(), targets);
        }
        addressed.or(targets);
      }
      AtomicInteger left = new AtomicInteger(targets.cardinality());
      Runnable acknowledged =
          () -> {
            if (left.decrementAndGet() == 0) {
              mark.complete(run.firstSeq(), run.lastSeq());
              outcome.runComplete();
            }
          };
      for (int component : targets.stream().toArray()) {
        new ComponentWrite(this, run, participants, component, acknowledged).start();
      }
    }
    run.release();
  }

  /** Adds the components of the group that have not been sent anything yet. Under the monitor. */
  private void addressGroup(int group, BitSet targets) {
    int width = file.layout().width();
    for (int component = group * width; component < (group + 1) * width; component++) {
      if (!addressed.get(component) && !file.map().isMissing(component)) {
        targets.set(component);
      }
    }
  }

  /** The body of a WRITE of this run to that component, as of now. */
  WriteRequest.Builder request(
      WriteRun run, List<Integer> participants, int component, List<UnitBuffer> units) {
    WriteRequest.Builder request =
        WriteRequest.newBuilder()
            .setObjectId(file.name().object().value())
            .setOffset(run.componentOffsetBytes())
            .setGrant(grant.number())
            .setEof(run.eofBytes())
            .setCompleteUpTo(mark.completeUpTo())
            .addAllParticipants(participants);
    if (!units.isEmpty()) {
      request.setFirstSeq(run.firstSeq()).setSeqCount(run.stripeCount());
    }
    for (UnitBuffer unit : units) {
      for (int crc : unit.blockCrcs()) {
        request.addBlockCrc(crc);
      }
    }
    if (!isCreated(component)) {
      request.setCreate(file.map().tag(component));
      if (component < grant.metaCopies()) {
        grant.initialAttributes().ifPresent(request::setInitialAttributes);
      }
    }
    return request;
  }

  private synchronized boolean isCreated(int component) {
    return created.get(component);
  }

  synchronized void created(int component) {
    created.set(component);
  }

  /**
   * Tells the components that everything is complete, without waiting for an answer (P 5.4). Those
   * that hold attributes hear it from the manager when the file is closed.
   */
  void sendCompletion(long sizeBytes) {
    int[] components;
    synchronized (this) {
      components = created.stream().toArray();
    }
    if (sizeBytes <= file.layout().unitBytes()) {
      return;
    }
    for (int component : components) {
      if (component >= grant.metaCopies()) {
        OsdTarget target = file.target(component, engine.options().writeAttemptMillis());
        var unused = engine.osds().write(target, completion(sizeBytes), Payload.EMPTY);
      }
    }
  }

  private WriteRequest.Builder completion(long sizeBytes) {
    return WriteRequest.newBuilder()
        .setObjectId(file.name().object().value())
        .setGrant(grant.number())
        .setEof(sizeBytes)
        .setCompleteUpTo(mark.completeUpTo());
  }

  Layout layout() {
    return file.layout();
  }
}
