package org.weft.bench.rebuild.model;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.repair.Rebuild;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.recovery.rebuild.ComponentRebuild;
import org.weft.recovery.rebuild.RebuildOutcome;

/**
 * One component being written anew, as {@link ComponentRebuild} does it: two pieces at a time, each
 * read from as many others as a stripe has data units, then written, then a pause by the share. Not
 * thread-safe.
 */
final class ModelledWrite {
  private static final int LANES = 2;
  private static final int ALL_PERCENT = 100;

  private final EventQueue events;
  private final ModelledDisks disks;
  private final Rebuild rebuild;
  private final Attributes file;
  private final SortedSet<OsdId> lost;
  private final int sharePercent;
  private final LongConsumer written;
  private final long pieceBytes;
  private final CompletableFuture<RebuildOutcome> done = new CompletableFuture<>();
  private long nextBytes;
  private int running = LANES;

  ModelledWrite(
      EventQueue events,
      ModelledDisks disks,
      ModelSettings settings,
      Rebuild rebuild,
      Attributes file,
      SortedSet<OsdId> lost,
      LongConsumer written) {
    this.events = events;
    this.disks = disks;
    this.rebuild = rebuild;
    this.file = file;
    this.lost = lost;
    this.sharePercent = settings.sharePercent();
    this.written = written;
    this.pieceBytes = Math.max(1, -Math.floorDiv(-rebuild.bytes(), settings.pieces()));
  }

  CompletableFuture<RebuildOutcome> begin() {
    for (int lane = 0; lane < LANES; lane++) {
      next();
    }
    return done;
  }

  private void next() {
    long from = nextBytes;
    if (from >= rebuild.bytes()) {
      if (--running == 0) {
        done.complete(new RebuildOutcome(0, List.of()));
      }
      return;
    }
    long bytes = Math.min(pieceBytes, rebuild.bytes() - from);
    nextBytes += bytes;
    long begunNanos = events.nowNanos();
    long readNanos = begunNanos;
    for (OsdId source : sources((int) (from / pieceBytes))) {
      readNanos = Math.max(readNanos, disks.read(source, bytes, begunNanos));
    }
    events.at(readNanos, () -> write(bytes, begunNanos));
  }

  private void write(long bytes, long begunNanos) {
    long endNanos = disks.write(rebuild.target(), bytes, events.nowNanos());
    events.at(
        endNanos,
        () -> {
          written.accept(bytes);
          long pauseNanos = (endNanos - begunNanos) * (ALL_PERCENT - sharePercent) / sharePercent;
          events.at(endNanos + pauseNanos, this::next);
        });
  }

  /**
   * Others of the group in the order of a stripe's units, which is turned from stripe to stripe.
   */
  private List<OsdId> sources(int turn) {
    StorageMap map = file.map();
    Layout layout = map.layout();
    int first = rebuild.component() / layout.width() * layout.width();
    List<OsdId> sources = new ArrayList<>();
    int known = 0;
    for (int i = 0; i < layout.width() && known < layout.dataUnits(); i++) {
      int component = first + (i + turn) % layout.width();
      boolean isGone = component == rebuild.component() || lost.contains(map.osdOf(component));
      if (!isGone && ComponentRebuild.exists(layout, file.sizeBytes(), component)) {
        sources.add(map.osdOf(component));
        known++;
        if (layout.isSmall(file.sizeBytes())) {
          // A copy of the only unit: there is nothing else to read.
          return sources;
        }
      }
    }
    return sources;
  }
}
