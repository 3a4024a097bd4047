package org.weft.metadata.serving.care;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.objects.OsdPort;
import org.weft.metadata.recovery.AbandonedFiles;
import org.weft.metadata.serving.request.OwnSink;
import org.weft.metadata.serving.request.VolumeService;
import org.weft.metadata.serving.sysmgr.TableOsdStates;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.metadata.volume.operation.grant.BeginResolve;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.repair.GiveUpComponent;
import org.weft.metadata.volume.operation.repair.MarkMissing;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.FileAttributes;

/** A volume, as the recovery of abandoned files sees it. Confined to the volume's thread. */
final class VolumeAbandonedFiles implements AbandonedFiles {
  private final VolumeMachine machine;
  private final VolumeService service;
  private final CapabilityMint mint;
  private final LostWriteSearch losses;
  private final TableOsdStates states;
  private final OsdPort port;

  /**
   * @param port completes on the volume's thread
   */
  VolumeAbandonedFiles(
      VolumeMachine machine,
      VolumeService service,
      CapabilityMint mint,
      LostWriteSearch losses,
      TableOsdStates states,
      OsdPort port) {
    this.machine = machine;
    this.service = service;
    this.mint = mint;
    this.losses = losses;
    this.states = states;
    this.port = port;
  }

  @Override
  public Iterable<WriteGrant> waiting() {
    return machine.resolving().stream()
        .filter(grant -> !machine.isUnusedCut(grant))
        .filter(grant -> !losses.isUndecided(grant.object(), grant.map()))
        .toList();
  }

  @Override
  public boolean isNameless(WriteGrant grant) {
    return machine.isOrphan(grant);
  }

  @Override
  public CompletableFuture<Begun> begin(WriteGrant grant) {
    Set<OsdId> down = new TreeSet<>();
    for (OsdId osd : grant.map().components()) {
      if (states.isDown(osd)) {
        down.add(osd);
      }
    }
    machine.attemptEnded(grant.object());
    return service
        .askOwn(new BeginResolve(grant.number(), down))
        .thenApply(answered -> begun(grant, answered));
  }

  private Begun begun(WriteGrant grant, OwnSink.Answered answered) {
    FileAttributes file = ((AttributesReply) answered.body()).getAttributes();
    StorageMap map = StorageMap.fromMessage(file.getMap());
    if (losses.isUndecided(grant.object(), map)) {
      throw new CompletionException(lostPower(grant));
    }
    return new Begun(
        answered.lsn(),
        map,
        Math.min(file.getSize(), FileLimits.MAX_FILE_BYTES),
        file.getTruncationNumber(),
        file.getHasTrim(),
        machine.firstToCompare(grant),
        suspectsIn(grant, map),
        startsOf(map));
  }

  private static WeftException lostPower(WriteGrant grant) {
    return new WeftException(
        ErrorCode.UNAVAILABLE,
        "OSDs of object " + grant.object() + " lost power while it was being resolved");
  }

  private SortedMap<Integer, Long> startsOf(StorageMap map) {
    SortedMap<Integer, Long> starts = new TreeMap<>();
    for (int component = 0; component < map.components().size(); component++) {
      OptionalLong start = states.incarnation(map.osdOf(component));
      if (!map.isMissing(component) && start.isPresent()) {
        starts.put(component, start.getAsLong());
      }
    }
    return starts;
  }

  @Override
  public CompletableFuture<Void> requireKnownStarts(Begun begun) {
    StorageMap map = begun.map();
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (int component = 0; component < map.components().size(); component++) {
      if (!map.isMissing(component)) {
        OsdId osd = map.osdOf(component);
        Long known = begun.starts().get(component);
        calls.add(
            port.status(osd)
                .thenAccept(status -> requireKnownStart(osd, known, status.incarnation()))
                .toCompletableFuture());
      }
    }
    return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new));
  }

  @Override
  public SortedSet<Integer> leftBehind(WriteGrant grant, Begun begun) {
    SortedSet<Integer> left = new TreeSet<>();
    for (int component : begun.map().missing()) {
      OsdId osd = begun.map().osdOf(component);
      boolean mayServe = !states.isDown(osd) && machine.isLagging(osd, grant.object());
      if (mayServe && !begun.map().keepsAttributes(component)) {
        left.add(component);
      }
    }
    return left;
  }

  private static void requireKnownStart(OsdId osd, Long known, long now) {
    if (known == null || known != now) {
      throw new CompletionException(
          new WeftException(
              ErrorCode.UNAVAILABLE,
              "OSD "
                  + osd
                  + " has started again, and what it lost by that is not known here yet; try"
                  + " again"));
    }
  }

  private SortedSet<Integer> suspectsIn(WriteGrant grant, StorageMap map) {
    return map.presentOn(machine.suspectsOf(grant.object()).suspects());
  }

  @Override
  public CompletableFuture<Lsn> lose(WriteGrant grant, OsdId osd) {
    return service.runOwn(new MarkMissing(grant.object(), osd));
  }

  @Override
  public CompletableFuture<Lsn> giveUp(WriteGrant grant, OsdId osd, String why) {
    return service.runOwn(new GiveUpComponent(grant.object(), osd, why));
  }

  @Override
  public SignedCapability capability(WriteGrant grant, Lsn number) {
    return mint.resolver(grant.object(), number);
  }

  @Override
  public CompletableFuture<Lsn> finish(WriteGrant grant, Resolved resolved) {
    Begun begun = resolved.begun();
    return hasChanged(grant, begun)
        ? CompletableFuture.failedFuture(lostPower(grant))
        : service.runOwn(
            new FinishResolve(
                grant.number(),
                resolved.sizeBytes(),
                resolved.gone(),
                resolved.damage(),
                begun.map().generation(),
                begun.suspects()));
  }

  /** What was decided relied on all components having lost nothing but what was known. */
  private boolean hasChanged(WriteGrant grant, Begun begun) {
    return !suspectsIn(grant, begun.map()).equals(begun.suspects())
        || losses.isUndecided(grant.object(), begun.map());
  }

  @Override
  public CompletableFuture<Lsn> remove(WriteGrant grant) {
    return service.runOwn(new FinishResolve(grant.number(), 0));
  }
}
