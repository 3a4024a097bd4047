package org.weft.metadata.serving;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.readmission.QuarantinedOsd;
import org.weft.metadata.readmission.UnsettledGrant;
import org.weft.metadata.volume.GiveUpLosses;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.seam.Ticker;

/**
 * What OSDs whose machines went down may have lost of a volume's files (P 5.9): for each file
 * written since the last checkpoint that is known, its component there is given up, one file after
 * another. On the volume's thread.
 */
final class LostWrites {
  private static final Logger LOG = LoggerFactory.getLogger(LostWrites.class);
  private static final int MOST_WARNINGS = 100;

  /**
   * While OSDs are still down, they may come back with losses of their own; so long it is waited
   * for them, so that all are counted together.
   */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final VolumeMachine machine;
  private final VolumeService service;
  private final TableOsdStates states;
  private final Ticker ticker;
  private final Map<QuarantinedOsd, Long> firstSeen = new HashMap<>();
  private final Set<Lsn> takenAsTheyAre = new LinkedHashSet<>();
  private final Set<String> warnings = new LinkedHashSet<>();

  LostWrites(VolumeMachine machine, VolumeService service, TableOsdStates states, Ticker ticker) {
    this.machine = machine;
    this.service = service;
    this.states = states;
    this.ticker = ticker;
  }

  /** A file, and the grant under which it was written. */
  private record Written(Lsn grant, ObjectId object, StorageMap map) {}

  CompletableFuture<Void> giveUp(QuarantinedOsd osd) {
    long since = firstSeen.computeIfAbsent(osd, each -> ticker.nowNanos());
    if (states.isAnyDown() && ticker.nowNanos() - since < GRACE_NANOS) {
      return failed("other OSDs are down and may have lost writes too; waiting for them a moment");
    }
    List<Written> files = new ArrayList<>();
    for (WriteGrant grant : machine.grants()) {
      if (isPresentOn(grant.map(), osd.osd()) && !takenAsTheyAre.contains(grant.number())) {
        if (grant.state() == WriteGrant.State.HELD) {
          return failed(
              "object "
                  + grant.object()
                  + " is being written by "
                  + grant.clientName()
                  + ", which goes on without the OSD when it writes next, or closes the file");
        }
        files.add(new Written(grant.number(), grant.object(), grant.map()));
      }
    }
    for (UnsettledGrant grant : machine.unsettled().waitingFor(osd.osd())) {
      files.add(new Written(grant.number(), grant.object(), grant.map()));
    }
    return giveUp(osd, Set.copyOf(states.lossy()), files, 0);
  }

  private static CompletableFuture<Void> failed(String why) {
    return CompletableFuture.failedFuture(new RpcException(ErrorCode.UNAVAILABLE, why));
  }

  private static boolean isPresentOn(StorageMap map, OsdId osd) {
    for (int component = 0; component < map.components().size(); component++) {
      if (!map.isMissing(component) && map.osdOf(component).equals(osd)) {
        return true;
      }
    }
    return false;
  }

  private CompletableFuture<Void> giveUp(
      QuarantinedOsd osd, Set<OsdId> lossy, List<Written> files, int next) {
    if (next == files.size()) {
      return CompletableFuture.completedFuture(null);
    }
    Written file = files.get(next);
    CompletableFuture<Void> done = new CompletableFuture<>();
    var unused =
        service
            .runOwn(new GiveUpLosses(file.object(), file.map(), osd.osd(), lossy))
            .whenComplete(
                (lsn, failure) -> {
                  if (failure == null) {
                    machine.unsettled().settledOn(osd.osd(), file.grant());
                  } else if (RpcException.of(failure).code() == ErrorCode.TOO_MANY_LOST) {
                    takeAsItIs(file, lossy, RpcException.of(failure).getMessage());
                  } else {
                    done.completeExceptionally(RpcException.of(failure));
                    return;
                  }
                  done.complete(null);
                });
    return done.thenCompose(nothing -> giveUp(osd, lossy, files, next + 1));
  }

  private void takeAsItIs(Written file, Set<OsdId> lossy, String warning) {
    takenAsTheyAre.add(file.grant());
    lossy.forEach(osd -> machine.unsettled().settledOn(osd, file.grant()));
    if (!warnings.contains(warning)) {
      LOG.warn(warning);
    }
    if (warnings.size() < MOST_WARNINGS) {
      warnings.add(warning);
    }
  }

  /** Files that may lack what was written last. */
  List<String> warnings() {
    return List.copyOf(warnings);
  }

  /**
   * True if the file must not be put in order yet: first it is decided what of it is lost. An OSD
   * that SysMgr has given up may never come back to be asked; the file is put in order without it.
   */
  boolean isUndecided(WriteGrant grant) {
    return !takenAsTheyAre.contains(grant.number())
        && states.lossy().stream()
            .filter(osd -> !states.isDown(osd))
            .anyMatch(osd -> isPresentOn(grant.map(), osd));
  }
}
