package org.weft.metadata.serving.care;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.readmission.ComparedVolume;
import org.weft.metadata.readmission.QuarantinedOsd;
import org.weft.metadata.serving.sysmgr.SysmgrReports;
import org.weft.metadata.serving.sysmgr.TableOsdStates;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.ReadmitOsdRequest;

/** A served volume as the readmission of its OSDs sees it (P 5.8). On the volume's thread. */
final class VolumeComparison implements ComparedVolume {
  private final VolumeAssignment assignment;
  private final TableOsdStates states;
  private final MetadataCache cache;
  private final SysmgrReports reports;
  private final LostWriteSearch losses;

  VolumeComparison(
      VolumeAssignment assignment,
      TableOsdStates states,
      MetadataCache cache,
      SysmgrReports reports,
      LostWriteSearch losses) {
    this.assignment = assignment;
    this.states = states;
    this.cache = cache;
    this.reports = reports;
    this.losses = losses;
  }

  @Override
  public List<QuarantinedOsd> quarantined() {
    return states.quarantined();
  }

  @Override
  public int waitingCopies(OsdId osd) {
    return cache.laggingCopies(osd);
  }

  @Override
  public int waitingRemovals(OsdId osd) {
    return cache.waitingRemovals(osd);
  }

  @Override
  public long suspectFiles(OsdId osd) {
    return losses.suspectFiles(osd);
  }

  @Override
  public CompletableFuture<Void> giveUpLosses(QuarantinedOsd osd) {
    return losses.giveUp(osd);
  }

  @Override
  public CompletableFuture<Void> readmit(QuarantinedOsd osd) {
    // A file whose removal is not durable yet was not compared, and may come back.
    return losses.decidedForGood().thenCompose(durable -> tell(osd));
  }

  private CompletableFuture<Void> tell(QuarantinedOsd osd) {
    return reports.readmit(
        ReadmitOsdRequest.newBuilder()
            .setVolumeId(assignment.settings().volume().value())
            .setEpoch(assignment.epoch())
            .setOsdId(osd.osd().value())
            .setIncarnation(osd.incarnation())
            .setQuarantine(osd.quarantine())
            .build());
  }
}
