package org.weft.metadata.serving.care;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.recovery.CutFiles;
import org.weft.metadata.serving.request.VolumeService;
import org.weft.metadata.serving.sysmgr.TableOsdStates;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.metadata.volume.operation.length.BeginCut;
import org.weft.metadata.volume.operation.length.FinishCut;
import org.weft.metadata.volume.operation.repair.MarkMissing;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.FileAttributes;

/** A volume, as the finishing of cuts sees it. Confined to the volume's thread. */
final class CutsInVolume implements CutFiles {
  private final VolumeMachine machine;
  private final VolumeService service;
  private final LostWriteSearch losses;
  private final TableOsdStates states;

  CutsInVolume(
      VolumeMachine machine, VolumeService service, LostWriteSearch losses, TableOsdStates states) {
    this.machine = machine;
    this.service = service;
    this.losses = losses;
    this.states = states;
  }

  @Override
  public List<WriteGrant> waiting() {
    return machine.resolving().stream()
        .filter(machine::isUnusedCut)
        .filter(grant -> !losses.isUndecided(grant.object(), grant.map()))
        .toList();
  }

  @Override
  public Set<ObjectId> unfinished() {
    return machine.resolving().stream().map(WriteGrant::object).collect(Collectors.toSet());
  }

  @Override
  public CompletableFuture<Cut> begin(WriteGrant grant) {
    Set<OsdId> down = new TreeSet<>();
    for (OsdId osd : grant.map().components()) {
      if (states.isDown(osd)) {
        down.add(osd);
      }
    }
    return service
        .askOwn(new BeginCut(grant.number(), down))
        .thenApply(answered -> cut(grant, (AttributesReply) answered.body()));
  }

  private static Cut cut(WriteGrant grant, AttributesReply reply) {
    FileAttributes file = reply.getAttributes();
    return new Cut(
        grant.object(),
        grant.number(),
        StorageMap.fromMessage(file.getMap()),
        file.getSize(),
        file.getTruncationNumber());
  }

  @Override
  public CompletableFuture<Lsn> lose(Cut cut, OsdId osd) {
    return service.runOwn(new MarkMissing(cut.object(), osd));
  }

  @Override
  public CompletableFuture<Lsn> finish(Cut cut) {
    return service.runOwn(new FinishCut(cut.number(), cut.truncation(), cut.map().generation()));
  }

  @Override
  public void ended(WriteGrant grant) {
    if (machine.isUnusedCut(grant)) {
      machine.attemptEnded(grant.object());
    }
  }
}
