package org.weft.metadata.serving.fence;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.osd.OsdClient;
import org.weft.metadata.grant.ManagerCapability;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.FenceRequest;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

/**
 * Lets the volume have SysMgr's tables, one after another. Files are written around an OSD that a
 * table calls down. But the OSD may merely be out of SysMgr's reach. Then it does not know that it
 * was given up, and serves readers that have older maps. So the OSD is told first that it is in
 * quarantine, as SysMgr would tell it. Tables wait a second at most for one that does not answer.
 * The notice is repeated each second until the OSD has answered, a table says otherwise, or the
 * volume is closed (P 5.8).
 *
 * <p>An OSD that readers reach, but neither SysMgr nor any manager, gets no notice. It does not
 * refuse readers by itself, since it cannot tell whether SysMgr exists at all.
 *
 * <p>Confined to the volume's thread.
 */
public final class QuarantineNotifier {
  private static final Logger LOG = LoggerFactory.getLogger(QuarantineNotifier.class);
  private static final int TIMEOUT_MILLIS = 1_000;
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final OsdClient osds;
  private final ManagerCapability capability;
  private final long epoch;
  private final Executor home;
  private final Consumer<ClusterTable> tables;
  private final Scheduler scheduler;
  // The notice that each OSD that the newest table calls down has got, or is getting.
  private TreeMap<OsdId, GivenUp> givenUp = new TreeMap<>();
  private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

  /**
   * @param osds completes on the volume's thread
   * @param scheduler its timers are forgotten once the volume is closed
   * @param tables gets them, on the volume's thread
   */
  public QuarantineNotifier(
      OsdClient osds,
      ManagerCapability capability,
      long epoch,
      Scheduler scheduler,
      Executor home,
      Consumer<ClusterTable> tables) {
    this.osds = osds;
    this.capability = capability;
    this.epoch = epoch;
    this.scheduler = scheduler;
    this.home = home;
    this.tables = tables;
  }

  /** The table that the volume begins with; nothing may be written before {@link #settled}. */
  public void first(ClusterTable table) {
    tables.accept(table);
    last = tell(table);
  }

  /** A newer table. */
  public void next(ClusterTable table) {
    CompletableFuture<Void> said = tell(table);
    if (last.isDone() && said.isDone()) {
      tables.accept(table);
      return;
    }
    last =
        CompletableFuture.allOf(last, said)
            .thenRunAsync(() -> tables.accept(table), home)
            .exceptionally(
                thrown -> {
                  LOG.error("a table of SysMgr could not be taken", thrown);
                  return null;
                });
  }

  /** Completes when all tables were let through. */
  public CompletableFuture<Void> settled() {
    return last;
  }

  private CompletableFuture<Void> tell(ClusterTable table) {
    List<CompletableFuture<?>> calls = new ArrayList<>();
    TreeMap<OsdId, GivenUp> now = new TreeMap<>();
    for (OsdRow row : table.getOsdsList()) {
      if (row.getState() == NodeState.DOWN) {
        OsdId osd = new OsdId(row.getOsdId());
        // The quarantine is the one that its return begins.
        GivenUp word = new GivenUp(row.getIncarnation(), row.getQuarantine() + 1);
        now.put(osd, word);
        if (!word.equals(givenUp.get(osd))) {
          calls.add(tell(osd, word));
        }
      }
    }
    givenUp = now;
    return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new));
  }

  /** Completes when it has the notice, or did not answer in time. */
  private CompletableFuture<Void> tell(OsdId osd, GivenUp word) {
    FenceRequest.Builder request =
        FenceRequest.newBuilder()
            .setEpoch(epoch)
            .setIncarnation(word.incarnation())
            .setQuarantine(word.quarantine());
    return osds.fence(capability.target(osd, TIMEOUT_MILLIS), request)
        .handle(
            (reply, failure) -> {
              if (failure == null) {
                LOG.info("OSD {} is down to SysMgr, and was told so", osd);
              } else {
                WeftException why = WeftException.of(failure);
                LOG.debug("OSD {} was not told: {}", osd, why.getMessage());
                if (why.code().mayPass()) {
                  scheduler.schedule(AGAIN_NANOS, home, () -> tellAgain(osd, word));
                }
              }
              return null;
            });
  }

  private void tellAgain(OsdId osd, GivenUp word) {
    if (word.equals(givenUp.get(osd))) {
      var unused = tell(osd, word);
    }
  }

  /** The notice for an OSD that a table calls down. */
  private record GivenUp(long incarnation, long quarantine) {}
}
