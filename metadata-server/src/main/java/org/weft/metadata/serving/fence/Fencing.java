package org.weft.metadata.serving.fence;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.weft.client.osd.OsdClient;
import org.weft.metadata.access.OsdWait;
import org.weft.metadata.access.WaitSink;
import org.weft.metadata.access.Waiting;
import org.weft.metadata.grant.ManagerCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.FenceReply;
import org.weft.protocol.wire.FenceRequest;

/**
 * Tells every OSD that is up the new epoch before anything is served (P 6.2). So OSDs refuse what
 * an older manager still has under way. OSDs that are not up learn it from SysMgr when they join.
 * SysMgr gives up in the end an OSD that is up and does not take the epoch. Confined to the
 * volume's thread.
 */
public final class Fencing {
  private static final int TIMEOUT_MILLIS = 2_000;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final OsdClient osds;
  private final ManagerCapability capability;
  private final long epoch;
  private final Supplier<List<OsdId>> up;
  private final Scheduler scheduler;
  private final Executor home;
  private final Consumer<String> status;
  private final WaitSink waits;
  private final TreeMap<OsdId, Waiting> failures = new TreeMap<>();
  private final TreeSet<OsdId> fenced = new TreeSet<>();
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  /**
   * @param up the OSDs that SysMgr calls up, asked before each round
   * @param status receives what the fence waits for
   * @param waits receives the OSDs that do not take the fence: SysMgr gives them up in the end
   */
  public Fencing(
      OsdClient osds,
      ManagerCapability capability,
      long epoch,
      Supplier<List<OsdId>> up,
      Scheduler scheduler,
      Executor home,
      Consumer<String> status,
      WaitSink waits) {
    this.osds = osds;
    this.capability = capability;
    this.epoch = epoch;
    this.up = up;
    this.scheduler = scheduler;
    this.home = home;
    this.status = status;
    this.waits = waits;
  }

  /**
   * Completes when every OSD that is up has the fence; fails with FENCED if a newer epoch exists.
   */
  public CompletableFuture<Void> run() {
    round();
    return done;
  }

  private void round() {
    List<OsdId> left = new ArrayList<>(up.get());
    left.removeAll(fenced);
    failures.keySet().retainAll(left);
    waits.waits(OsdWait.FENCE, failures);
    if (left.isEmpty()) {
      done.complete(null);
      return;
    }
    status.accept("fencing OSDs " + left);
    List<CompletableFuture<FenceReply>> calls = new ArrayList<>();
    for (OsdId osd : left) {
      CompletableFuture<FenceReply> call =
          osds.fence(
              capability.target(osd, TIMEOUT_MILLIS), FenceRequest.newBuilder().setEpoch(epoch));
      calls.add(call.whenComplete((reply, failure) -> heard(osd, failure)));
    }
    var unused =
        CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
            .handleAsync((nothing, failure) -> nextRound(failure != null), home);
  }

  private void heard(OsdId osd, Throwable failure) {
    if (failure == null) {
      fenced.add(osd);
      failures.remove(osd);
      return;
    }
    WeftException cause = WeftException.of(failure);
    if (cause.code() == ErrorCode.FENCED) {
      done.completeExceptionally(cause);
    } else {
      failures.put(osd, new Waiting(cause.getMessage(), 0));
      status.accept("waiting for OSDs: " + cause.getMessage());
    }
  }

  private Void nextRound(boolean failed) {
    if (!done.isDone()) {
      if (failed) {
        scheduler.schedule(RETRY_NANOS, home, this::round);
      } else {
        round();
      }
    }
    return null;
  }
}
