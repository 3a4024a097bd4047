package org.weft.metadata.serving;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.osd.OsdClient;
import org.weft.metadata.grant.ManagerCapability;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.FenceRequest;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

/**
 * Lets the volume have SysMgr's tables, one after another. Files are written around an OSD that a
 * table calls down; but it may merely be out of SysMgr's reach, not know that it was given up, and
 * serve readers that have older maps. So it is told first, as SysMgr would tell it: that it is in
 * quarantine. Nobody waits long for one that does not answer.
 *
 * <p>One that neither SysMgr nor any manager reaches, and readers do, is not told. It does not
 * refuse readers by itself, for it cannot tell whether SysMgr is there at all.
 *
 * <p>Confined to the volume's thread.
 */
final class GivenUpOsds {
  private static final Logger LOG = LoggerFactory.getLogger(GivenUpOsds.class);
  private static final int TIMEOUT_MILLIS = 1_000;

  private final OsdClient osds;
  private final ManagerCapability capability;
  private final long epoch;
  private final Executor home;
  private final Consumer<ClusterTable> tables;
  // The quarantine that each OSD was told of last.
  private final TreeMap<OsdId, Long> told = new TreeMap<>();
  private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

  /**
   * @param osds completes on the volume's thread
   * @param tables gets them, on the volume's thread
   */
  GivenUpOsds(
      OsdClient osds,
      ManagerCapability capability,
      long epoch,
      Executor home,
      Consumer<ClusterTable> tables) {
    this.osds = osds;
    this.capability = capability;
    this.epoch = epoch;
    this.home = home;
    this.tables = tables;
  }

  /** The table that the volume begins with; nothing may be written before {@link #settled}. */
  void first(ClusterTable table) {
    tables.accept(table);
    last = tell(table);
  }

  /** A newer table. */
  void next(ClusterTable table) {
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
  CompletableFuture<Void> settled() {
    return last;
  }

  private CompletableFuture<Void> tell(ClusterTable table) {
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (OsdRow row : table.getOsdsList()) {
      OsdId osd = new OsdId(row.getOsdId());
      // The one that its return begins.
      long quarantine = row.getQuarantine() + 1;
      boolean isNew =
          row.getState() == NodeState.DOWN && !Long.valueOf(quarantine).equals(told.get(osd));
      if (isNew) {
        told.put(osd, quarantine);
        calls.add(tell(osd, row.getIncarnation(), quarantine));
      }
    }
    return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new));
  }

  private CompletableFuture<Void> tell(OsdId osd, long incarnation, long quarantine) {
    FenceRequest.Builder request =
        FenceRequest.newBuilder()
            .setEpoch(epoch)
            .setIncarnation(incarnation)
            .setQuarantine(quarantine);
    return osds.fence(capability.target(osd, TIMEOUT_MILLIS), request)
        .handle(
            (reply, failure) -> {
              if (failure == null) {
                LOG.info("OSD {} is down to SysMgr, and was told so", osd);
              } else {
                LOG.debug("OSD {} was not told: {}", osd, RpcException.of(failure).getMessage());
              }
              return null;
            });
  }
}
