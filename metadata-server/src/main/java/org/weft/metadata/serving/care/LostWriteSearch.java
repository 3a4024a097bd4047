package org.weft.metadata.serving.care;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.access.OsdWait;
import org.weft.metadata.access.WaitSink;
import org.weft.metadata.access.Waiting;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.objects.OsdPort;
import org.weft.metadata.readmission.QuarantinedOsd;
import org.weft.metadata.readmission.UnsettledGrant;
import org.weft.metadata.serving.request.VolumeService;
import org.weft.metadata.serving.sysmgr.TableOsdStates;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.metadata.volume.operation.repair.GiveUpLosses;
import org.weft.metadata.volume.operation.session.SeeAll;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.FileAttributes;

/**
 * What OSDs whose machines went down may have lost of a volume's files (P 5.9). Each file written
 * since the last known checkpoint is decided, one after another. Before that it finds out which
 * OSDs went down together, since they are counted together. OSDs that SysMgr has given up just now
 * may come back with losses of their own. Every other OSD is asked whether it is still the same
 * start. On the volume's thread.
 */
final class LostWriteSearch {
  private static final Logger LOG = LoggerFactory.getLogger(LostWriteSearch.class);
  private static final int MAX_WARNINGS = 100;

  /** How long an OSD that went down is waited for. */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** For one OSD that lost power: the OSDs that are known not to have lost it at the same time. */
  private static final class Counting {
    private final Set<OsdId> whole = new HashSet<>();
    private Set<OsdId> silent = Set.of();
    private boolean ended;
  }

  private final VolumeMachine machine;
  private final VolumeService service;
  private final TableOsdStates states;
  private final OsdPort port;
  private final Ticker ticker;
  private final Executor home;
  private final WaitSink waits;
  private final Map<QuarantinedOsd, Counting> counting = new HashMap<>();
  private final Map<OsdId, Long> downSince = new TreeMap<>();
  private final Set<String> warnings = new LinkedHashSet<>();

  /**
   * Knows of no OSD before the first {@link #tableChanged}: to be called when the fence is through,
   * for tables that come during it reach nothing.
   *
   * @param port completes on the volume's thread
   * @param home the volume's thread
   * @param waits receives the OSDs that do not say whether they lost anything
   */
  LostWriteSearch(
      VolumeMachine machine,
      VolumeService service,
      TableOsdStates states,
      OsdPort port,
      Ticker ticker,
      Executor home,
      WaitSink waits) {
    this.waits = waits;
    this.machine = machine;
    this.service = service;
    this.states = states;
    this.port = port;
    this.ticker = ticker;
    this.home = home;
  }

  /** There is a newer table. */
  void tableChanged() {
    List<OsdId> down = states.down();
    downSince.keySet().retainAll(down);
    down.forEach(osd -> downSince.computeIfAbsent(osd, seen -> ticker.nowNanos()));
    counting.keySet().retainAll(lossy());
    tellWaits();
  }

  /** Those that lost power and wait for this volume to decide what that means. */
  private List<QuarantinedOsd> lossy() {
    return states.lossy();
  }

  /**
   * Decides of every file what the OSD, and those that lost power with it, have lost of it. Fails
   * with UNAVAILABLE while some of that cannot be decided; the rest is, then.
   */
  CompletableFuture<Void> giveUp(QuarantinedOsd osd) {
    long nowNanos = ticker.nowNanos();
    if (downSince.values().stream().anyMatch(since -> nowNanos - since < GRACE_NANOS)) {
      return failed("other OSDs are down and may have lost writes too; waiting for them a moment");
    }
    Counting others = counting.computeIfAbsent(osd, seen -> new Counting());
    return ask(others)
        .thenCompose(
            nothing -> {
              Set<OsdId> silent = new TreeSet<>(states.whole().keySet());
              silent.removeAll(others.whole);
              others.silent = silent;
              tellWaits();
              if (!silent.isEmpty()) {
                return failed(
                    "OSDs " + silent + " have not said yet whether they lost writes with it");
              }
              others.ended = true;
              return decide(osd);
            });
  }

  private void tellWaits() {
    SortedMap<OsdId, Waiting> waiting = new TreeMap<>();
    for (Counting others : counting.values()) {
      for (OsdId osd : others.silent) {
        waiting.put(osd, new Waiting("OSD " + osd + " does not say which start it is", 0));
      }
    }
    waits.waits(OsdWait.LOSSES, waiting);
  }

  /** Completes when all that are not known to be whole have answered, or did not. */
  private CompletableFuture<Void> ask(Counting others) {
    CompletableFuture<?>[] calls =
        states.whole().keySet().stream()
            .filter(osd -> !others.whole.contains(osd))
            .map(osd -> ask(osd, others))
            .toArray(CompletableFuture[]::new);
    return CompletableFuture.allOf(calls);
  }

  private CompletableFuture<Void> ask(OsdId osd, Counting others) {
    return port.status(osd)
        .handle(
            (status, failure) -> {
              Long known = states.whole().get(osd);
              if (failure != null) {
                LOG.debug("OSD {} does not say which start it is: {}", osd, failure.toString());
              } else if (known != null && known == status.incarnation()) {
                others.whole.add(osd);
              }
              return (Void) null;
            })
        .toCompletableFuture();
  }

  private static CompletableFuture<Void> failed(String why) {
    return CompletableFuture.failedFuture(new WeftException(ErrorCode.UNAVAILABLE, why));
  }

  private static boolean isPresentOn(StorageMap map, OsdId osd) {
    int component = map.components().indexOf(osd);
    return component >= 0 && !map.isMissing(component);
  }

  /** Completes when everything that was decided of the volume until now is durable. */
  CompletableFuture<Void> decidedForGood() {
    return service.runOwn(new SeeAll()).thenApply(lsn -> null);
  }

  private CompletableFuture<Void> decide(QuarantinedOsd osd) {
    Map<ObjectId, StorageMap> files = new LinkedHashMap<>();
    for (WriteGrant grant : machine.grants()) {
      if (isPresentOn(grant.map(), osd.osd()) && !isDecided(grant.object(), osd)) {
        files.putIfAbsent(grant.object(), grant.map());
      }
    }
    for (UnsettledGrant grant : machine.unsettled().waitingFor(osd.osd())) {
      files.putIfAbsent(grant.object(), grant.map());
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    decide(osd, files.entrySet().iterator(), null, done);
    return done;
  }

  private boolean isDecided(ObjectId object, QuarantinedOsd osd) {
    return machine.suspectsOf(object).isDecided(osd.osd(), osd.quarantine());
  }

  /** One after another; what cannot be decided now holds up no other file. */
  private void decide(
      QuarantinedOsd osd,
      Iterator<Map.Entry<ObjectId, StorageMap>> files,
      WeftException undecided,
      CompletableFuture<Void> done) {
    if (!lossy().contains(osd)) {
      // Nothing is decided of one that is away: it has lost more when it is back.
      done.completeExceptionally(
          new WeftException(
              ErrorCode.UNAVAILABLE, "it went down again before it was decided what it lost"));
      return;
    }
    if (!files.hasNext()) {
      if (undecided == null) {
        done.complete(null);
      } else {
        done.completeExceptionally(undecided);
      }
      return;
    }
    Map.Entry<ObjectId, StorageMap> file = files.next();
    var unused =
        service
            .askOwn(new GiveUpLosses(file.getKey(), file.getValue(), counted()))
            .whenCompleteAsync(
                (answered, failure) -> {
                  try {
                    if (failure != null) {
                      decide(osd, files, WeftException.of(failure), done);
                      return;
                    }
                    if (answered.body() instanceof AttributesReply taken) {
                      warn(taken.getAttributes());
                    }
                    if (lossy().contains(osd)) {
                      settled(file.getKey(), osd.osd());
                    }
                    decide(osd, files, undecided, done);
                  } catch (RuntimeException | Error e) {
                    // Else nothing would be decided of this OSD any more.
                    done.completeExceptionally(e);
                  }
                },
                home);
  }

  private SortedSet<OsdId> counted() {
    SortedSet<OsdId> counted = new TreeSet<>();
    counting.forEach(
        (osd, others) -> {
          if (others.ended) {
            counted.add(osd.osd());
          }
        });
    return counted;
  }

  /** What it has is on its disk since it started again, and what it has not is given up. */
  private void settled(ObjectId object, OsdId osd) {
    for (UnsettledGrant grant : machine.unsettled().of(object)) {
      Lsn number = grant.number();
      machine.unsettled().settledOn(osd, number);
    }
  }

  private void warn(FileAttributes file) {
    ObjectId object = new ObjectId(file.getObjectId());
    String warning =
        "object "
            + object
            + " ("
            + file.getParentName()
            + ") may lack what was written last: OSDs "
            + machine.suspectsOf(object).osds().keySet()
            + " lost writes at the same time, more than its parity units: "
            + StorageMap.fromMessage(file.getMap()).layout().parityUnits()
            + "; what they hold is taken as it is, check the file's content";
    if (!warnings.contains(warning)) {
      LOG.warn(warning);
    }
    if (warnings.size() < MAX_WARNINGS) {
      warnings.add(warning);
    }
  }

  /** Files that may lack what was written last. */
  List<String> warnings() {
    return List.copyOf(warnings);
  }

  /** Files that are taken as they are, and wait to be resolved. */
  long suspectFiles(OsdId osd) {
    return machine.suspectFilesAt(osd);
  }

  /**
   * True if the file must not be put in order yet: first it is decided what of it is lost. An OSD
   * that SysMgr has given up may never come back to be asked; the file is put in order without it.
   */
  boolean isUndecided(ObjectId object, StorageMap map) {
    return lossy().stream().anyMatch(osd -> isPresentOn(map, osd.osd()) && !isDecided(object, osd));
  }
}
