package org.weft.metadata.serving.care;

import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;
import org.weft.metadata.journal.ScrubEffect;
import org.weft.metadata.journal.ScrubEffect.Contradicted;
import org.weft.metadata.journal.ScrubEffect.Reached;
import org.weft.metadata.scrub.ScrubJournal;
import org.weft.metadata.serving.request.VolumeService;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.metadata.volume.operation.repair.RecordScrub;
import org.weft.protocol.id.ObjectId;

/** The journal of a served volume as the scrub of parity sees it. On the volume's thread. */
final class ScrubInVolume implements ScrubJournal {
  private final VolumeMachine machine;
  private final VolumeService service;

  ScrubInVolume(VolumeMachine machine, VolumeService service) {
    this.machine = machine;
    this.service = service;
  }

  @Override
  public Reached reached() {
    return machine.scrub().reached();
  }

  @Override
  public SortedMap<ObjectId, Contradicted> contradicted() {
    return machine.scrub().contradicted();
  }

  @Override
  public CompletionStage<Void> record(List<ScrubEffect> effects) {
    return service.runOwn(new RecordScrub(effects)).thenAccept(lsn -> {});
  }
}
