package org.weft.metadata.repair;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.access.OsdTrouble;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.help.NoRoom;
import org.weft.metadata.help.WorkerLost;
import org.weft.metadata.repair.RepairList.Item;
import org.weft.metadata.repair.RepairList.Reason;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.retry.Backoff;

/**
 * Repairs what lost OSDs held of one volume, of its own accord, and empties OSDs that are drained
 * (P 6.8). It finds the files, puts copies of attributes and directories on other OSDs, and has
 * components written anew. It repairs several files at a time, and begins with those that may lose
 * least more. The journal has what is begun and finished, and the OSDs that nothing names any more.
 * A manager that starts finds again what is to be done, and files that are finished are not among
 * that. While an operator pauses repairs it neither searches nor begins. Running copies end.
 * Single-threaded, on the volume's thread.
 */
public final class VolumeRepairs {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeRepairs.class);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long AVOID_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** OSDs that refused workers may take something from them then. */
  private static final long TURN_NANOS = TimeUnit.SECONDS.toNanos(60);

  /**
   * After so many in a row that wait for a turn the rest of the list is not run through at once.
   */
  private static final int MAX_REFUSED = 16;

  private static final long REFUSED_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MAX_NAMED = 20;
  private static final int MISSING_AT_ONCE = 1_000;
  private static final long MIN_SCAN_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Without jitter: a volume repairs few files at a time, and asks an OSD one thing at once. */
  private static final Backoff RETRIES =
      Backoff.exact(TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(30));

  private static final Backoff SCANS = Backoff.exact(MIN_SCAN_NANOS, TimeUnit.HOURS.toNanos(1));

  private static final ObjectId NO_OBJECT = new ObjectId(0);

  private final RepairedVolume volume;
  private final int filesAtOnce;
  private final LongSupplier clockNanos;
  private final Executor home;
  private final RepairList list;
  private final Map<ObjectId, Item> underWay = new HashMap<>();
  private final Set<ObjectId> abandoning = new HashSet<>();
  private final TreeMap<OsdId, Long> avoidedUntilNanos = new TreeMap<>();
  private final AtomicLong bytesDone = new AtomicLong();
  private Optional<LossScan> scan = Optional.empty();
  private OsdsToEmpty wanted = OsdsToEmpty.NONE;
  private ObjectId missingBehind = NO_OBJECT;
  private long missingNotBeforeNanos;
  private boolean missingHadNoRoom;
  private long scanSinceNanos;
  private int scans = 1;
  private boolean doneSinceScan;
  private boolean noting;
  private Optional<RepairedVolume.OsdsThere> there = Optional.empty();
  private Optional<Long> lookedNanos = Optional.empty();
  private long filesDone;
  private long sinceNanos;
  private RepairProgress progress = RepairProgress.NONE;
  private int refusedInARow;
  private long refusedNanos;
  private boolean closed;

  /**
   * @param clockNanos a monotonic clock
   * @param home the volume's thread
   */
  public VolumeRepairs(
      RepairedVolume volume, RepairOptions options, LongSupplier clockNanos, Executor home) {
    this.volume = volume;
    this.filesAtOnce = options.filesAtOnce();
    this.list = new RepairList(options.mostListed());
    this.clockNanos = clockNanos;
    this.home = home;
    this.missingNotBeforeNanos = clockNanos.getAsLong();
  }

  /** To be called now and then, while the volume is served. */
  public void look() {
    long nowNanos = clockNanos.getAsLong();
    if (closed) {
      return;
    }
    if (!list.isFull() && !volume.isPaused()) {
      scan.ifPresent(LossScan::look);
    }
    if (lookedNanos.isPresent() && nowNanos - lookedNanos.get() < LOOK_NANOS) {
      return;
    }
    lookedNanos = Optional.of(nowNanos);
    // Clients that write it would wait, also where nothing is begun anew.
    abandonForsaken();
    if (filesAtOnce == 0) {
      noteCleared();
      return;
    }
    if (volume.isPaused()) {
      progress = current();
      return;
    }
    missingHadNoRoom |= list.isLacking();
    lookForLosses(nowNanos);
    addMissing(nowNanos);
    pump();
    noteCleared();
    progress = current();
  }

  /**
   * Adds what maps call missing, a part of it each time. It begins again after a pause where the
   * list had no room for all of it.
   */
  private void addMissing(long nowNanos) {
    boolean isEarly = missingBehind.equals(NO_OBJECT) && nowNanos - missingNotBeforeNanos < 0;
    if (list.isFull() || isEarly) {
      return;
    }
    List<ObjectId> some = volume.missing(missingBehind, MISSING_AT_ONCE);
    int looked = 0;
    for (; looked < some.size() && !list.isFull(); looked++) {
      ObjectId object = some.get(looked);
      if (!list.contains(object)) {
        add(object, 0, 0);
      }
    }
    boolean isAll = looked == some.size() && looked < MISSING_AT_ONCE;
    missingBehind = isAll ? NO_OBJECT : some.get(looked - 1);
    if (isAll && (missingHadNoRoom || list.isLacking())) {
      missingHadNoRoom = false;
      missingNotBeforeNanos = nowNanos + SCANS.exactNanos(scans);
    }
  }

  /**
   * Where all was looked at on all OSDs, and nothing is left to do, OSDs need not be looked for
   * again. What is known of OSDs that are not out any more is forgotten, also where nothing is
   * rebuilt.
   */
  private void noteCleared() {
    boolean isOver =
        scan.filter(LossScan::hasHeardAll).isPresent()
            && list.isEmpty()
            && !list.isLacking()
            && underWay.isEmpty()
            && abandoning.isEmpty()
            && volume.missing(NO_OBJECT, 1).isEmpty();
    if (noting) {
      return;
    }
    noting = true;
    SortedMap<OsdId, Long> cleared = isOver ? wanted.same(scan.get().wanted()) : new TreeMap<>();
    var unused =
        volume.noteCleared(cleared).whenCompleteAsync((nothing, failure) -> noting = false, home);
  }

  /** There is a table of the cluster, which may say the same as the one before. */
  public void clusterChanged() {
    RepairedVolume.OsdsThere now = volume.there();
    boolean same = there.filter(now::equals).isPresent();
    there = Optional.of(now);
    if (!same) {
      hope(clockNanos.getAsLong());
    }
  }

  /** What another manager, or this one before its last start, had begun is begun anew. */
  private void abandonForsaken() {
    for (Rebuild rebuild : volume.begun()) {
      if (!underWay.containsKey(rebuild.object()) && abandoning.add(rebuild.object())) {
        var unused =
            volume
                .abandon(rebuild)
                .whenCompleteAsync(
                    (nothing, failure) -> {
                      abandoning.remove(rebuild.object());
                      if (failure == null && filesAtOnce > 0) {
                        add(rebuild.object(), 0, 0);
                      }
                    },
                    home);
      }
    }
  }

  private void lookForLosses(long nowNanos) {
    OsdsToEmpty now = volume.toEmpty();
    boolean more = !now.same(wanted).keySet().containsAll(now.now());
    if (!now.equals(wanted)) {
      wanted = now;
      hope(nowNanos);
    }
    boolean again =
        list.isLacking()
            && !list.isFull()
            && scan.filter(LossScan::isOver).isPresent()
            && nowNanos - scanSinceNanos >= SCANS.exactNanos(scans);
    if (now.isEmpty()) {
      scan.ifPresent(LossScan::end);
      scan = Optional.empty();
      list.search();
    } else if (more || again) {
      if (more) {
        LOG.info(
            "what OSDs {} held goes to others: {} of them are lost for good",
            now.now(),
            now.lost());
      }
      scan.ifPresent(LossScan::end);
      list.search();
      pauseBeforeNext(more);
      scanSinceNanos = nowNanos;
      scan = Optional.of(new LossScan(volume, clockNanos, home, now, this::found));
    }
  }

  /** What could not be repaired may go on for days: it is not to keep all OSDs busy meanwhile. */
  private void pauseBeforeNext(boolean isNew) {
    scans = isNew || doneSinceScan ? 1 : scans + 1;
    doneSinceScan = false;
  }

  /** What had no room may have some now, and may be repaired as this was: it waits no longer. */
  private void progressed() {
    doneSinceScan = true;
    scans = 1;
    long soonNanos = clockNanos.getAsLong() + MIN_SCAN_NANOS;
    missingNotBeforeNanos =
        missingNotBeforeNanos - soonNanos > 0 ? soonNanos : missingNotBeforeNanos;
  }

  private void hope(long nowNanos) {
    list.hope(nowNanos);
    scans = 1;
    missingNotBeforeNanos = nowNanos;
  }

  private void found(Attributes file) {
    RebuildNeed need = RebuildNeed.of(file, wanted);
    if (!need.isEmpty()) {
      add(
          file.object(),
          RebuildNeed.redundancyLeft(file.map(), wanted.lost()),
          need.bytesToWrite(file));
    }
  }

  private void add(ObjectId object, int left, long bytes) {
    if (list.isEmpty()) {
      filesDone = 0;
      bytesDone.set(0);
      sinceNanos = clockNanos.getAsLong();
    }
    list.add(object, left, bytes);
  }

  private void pump() {
    // Others are asked for help only where there is something to do.
    boolean isIdle = list.isEmpty();
    while (!closed
        && !isIdle
        && filesAtOnce > 0
        && underWay.size() < volume.filesAtOnce()
        && mayBegin()) {
      Optional<Item> next = volume.hasTurn() ? list.takeTurn() : Optional.empty();
      next = next.isPresent() ? next : list.take(clockNanos.getAsLong());
      if (next.isEmpty()) {
        return;
      }
      repair(next.get());
    }
  }

  private boolean mayBegin() {
    boolean isTurn =
        refusedInARow < MAX_REFUSED
            || volume.hasTurn()
            || clockNanos.getAsLong() - refusedNanos >= REFUSED_NANOS;
    return isTurn && !volume.isPaused();
  }

  private void repair(Item item) {
    underWay.put(item.object(), item);
    SortedSet<OsdId> gone = wanted.lost();
    var unused =
        volume
            .begin(item.object(), gone, avoided())
            .whenCompleteAsync((file, failure) -> begun(item, gone, file, failure), home);
  }

  private Set<OsdId> avoided() {
    long nowNanos = clockNanos.getAsLong();
    avoidedUntilNanos.values().removeIf(until -> nowNanos - until >= 0);
    return Set.copyOf(avoidedUntilNanos.keySet());
  }

  private void begun(
      Item item, SortedSet<OsdId> gone, Optional<Attributes> file, Throwable failure) {
    if (failure != null) {
      notBegun(item, WeftException.of(failure));
      return;
    }
    refusedInARow = 0;
    if (file.isEmpty()) {
      ended(item);
      list.done(item);
      progressed();
      filesDone++;
      pump();
      return;
    }
    Optional<Rebuild> rebuild = volume.begun(item.object());
    if (rebuild.isEmpty()) {
      // Copies have moved, or a client writes the file by now.
      again(item, file.get(), gone);
      return;
    }
    // An OSD may have come back since it was taken: what it holds is to be read.
    write(item, rebuild.get(), file.get(), wanted.lost());
  }

  private void write(Item item, Rebuild rebuild, Attributes file, SortedSet<OsdId> gone) {
    var unused =
        volume
            .write(rebuild, file, gone, bytesDone::addAndGet)
            .thenComposeAsync(outcome -> volume.finish(rebuild, outcome), home)
            .whenCompleteAsync(
                (nothing, failure) -> {
                  if (failure == null) {
                    again(item, file, gone);
                  } else {
                    failed(item, rebuild, failure);
                  }
                },
                home);
  }

  /** There may be more of it to repair; that is decided by what the file is then. */
  private void again(Item item, Attributes file, SortedSet<OsdId> gone) {
    ended(item);
    // A step of several counts: what comes next may wait, and lose its place in the list.
    progressed();
    list.again(item, RebuildNeed.redundancyLeft(file.map(), gone) + 1, 0);
    pump();
  }

  private void ended(Item item) {
    underWay.remove(item.object());
  }

  private void notBegun(Item item, WeftException why) {
    long nowNanos = clockNanos.getAsLong();
    ended(item);
    if (NoRoom.isIn(why)) {
      refusedInARow++;
      refusedNanos = nowNanos;
      list.awaitTurn(item, nowNanos + TURN_NANOS);
      pump();
      return;
    }
    switch (why.code()) {
      case NOT_FOUND -> list.done(item);
      case BUSY -> list.putOff(item, Reason.WAITING, why.getMessage(), nowNanos + REST_NANOS);
      case TOO_MANY_LOST ->
          list.setAside(item, Reason.LOST, why.getMessage(), OptionalLong.empty());
      // Space comes without any OSD coming.
      case NO_SPACE ->
          list.setAside(
              item,
              Reason.WITHOUT_SPARE,
              why.getMessage(),
              OptionalLong.of(nowNanos + RETRIES.exactNanos(item.attempts() + 1)));
      default -> putOff(item, why);
    }
    pump();
  }

  private void putOff(Item item, WeftException why) {
    long notBeforeNanos = clockNanos.getAsLong() + RETRIES.exactNanos(item.attempts() + 1);
    list.putOff(item, Reason.FAILED, why.getMessage(), notBeforeNanos);
  }

  private void failed(Item item, Rebuild rebuild, Throwable failure) {
    WeftException why = WeftException.of(failure);
    // Nothing is known to be wrong with the file or its OSDs: it is the primary's turn.
    boolean isManagers = NoRoom.isIn(failure) || WorkerLost.isIn(failure);
    if (!NoRoom.isIn(failure)) {
      LOG.info("object {} is not rebuilt yet: {}", item.object(), why.getMessage());
    }
    boolean isTargets =
        !isManagers
            && (why.code() == ErrorCode.NO_SPACE
                || OsdTrouble.osdIn(failure).filter(rebuild.target()::equals).isPresent());
    if (isTargets) {
      avoidedUntilNanos.put(rebuild.target(), clockNanos.getAsLong() + AVOID_NANOS);
    }
    var unused =
        volume
            .abandon(rebuild)
            .whenCompleteAsync(
                (nothing, second) -> {
                  ended(item);
                  if ((isManagers || isTargets) && second == null) {
                    list.putBack(item);
                  } else {
                    putOff(item, why);
                  }
                  pump();
                },
                home);
  }

  /** How far it was when it was looked at last. */
  public RepairProgress progress() {
    return progress;
  }

  /** Files that have lost more than their code bears, as far as they have been found. */
  public LostFiles lostFiles() {
    return new LostFiles(new TreeSet<>(list.objects(Reason.LOST)), wanted.lost());
  }

  private RepairProgress current() {
    boolean hasScan = scan.isPresent() && !scan.get().isOver();
    // Files that had no room are found when every OSD is asked again.
    boolean isLacking = scan.isPresent() && list.isLacking();
    if (list.isEmpty() && !hasScan && !isLacking) {
      return RepairProgress.NONE;
    }
    long seconds = Math.max(1, TimeUnit.NANOSECONDS.toSeconds(clockNanos.getAsLong() - sinceNanos));
    List<String> words = new ArrayList<>();
    if (hasScan) {
      words.addAll(scan.get().troubles());
    }
    for (Reason reason :
        List.of(Reason.LOST, Reason.WITHOUT_SPARE, Reason.FAILED, Reason.WAITING)) {
      words.addAll(list.words(reason, MAX_NAMED));
    }
    return new RepairProgress(
        wanted.lost(),
        wanted.leaving(),
        unheard(hasScan, isLacking),
        list.size(),
        list.endangered(),
        list.bytes(),
        filesDone,
        bytesDone.get(),
        bytesDone.get() / seconds,
        list.count(Reason.WAITING),
        list.count(Reason.FAILED) + list.count(Reason.WITHOUT_SPARE),
        list.count(Reason.WITHOUT_SPARE),
        list.count(Reason.LOST),
        volume.managers(),
        words);
  }

  private SortedSet<OsdId> unheard(boolean hasScan, boolean isLacking) {
    if (isLacking) {
      return volume.expected();
    }
    return hasScan ? scan.get().awaited() : new TreeSet<>();
  }

  /** Begins nothing more. */
  public void close() {
    closed = true;
    scan.ifPresent(LossScan::end);
  }
}
