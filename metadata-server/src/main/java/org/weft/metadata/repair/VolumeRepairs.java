package org.weft.metadata.repair;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
import org.weft.metadata.repair.RepairList.Item;
import org.weft.metadata.repair.RepairList.Reason;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Repairs what lost OSDs held of one volume, without anybody asking (P 6.8): finds the files, puts
 * copies of attributes and directories on other OSDs, has components written anew, several files at
 * a time, those first that may lose least more. What is begun and finished is in the journal; what
 * is to be done is found again by a manager that starts, and files that are finished are not among
 * that. Single-threaded, on the volume's thread.
 */
public final class VolumeRepairs {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeRepairs.class);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MOST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long AVOID_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final int MOST_NAMED = 20;

  private final RepairedVolume volume;
  private final int filesAtOnce;
  private final LongSupplier clockNanos;
  private final Executor home;
  private final RepairList list = new RepairList();
  private final Map<ObjectId, Item> underWay = new HashMap<>();
  private final Set<ObjectId> abandoning = new HashSet<>();
  private final TreeMap<OsdId, Long> avoidedUntilNanos = new TreeMap<>();
  private final AtomicLong bytesDone = new AtomicLong();
  private Optional<LossScan> scan = Optional.empty();
  private SortedSet<OsdId> lost = new TreeSet<>();
  private Optional<RepairedVolume.OsdsThere> there = Optional.empty();
  private Optional<Long> lookedNanos = Optional.empty();
  private long filesDone;
  private long sinceNanos;
  private RepairProgress progress = RepairProgress.NONE;
  private boolean closed;

  /**
   * @param filesAtOnce that are repaired at a time; 0: nothing is
   * @param clockNanos a monotonic clock
   * @param home the volume's thread
   */
  public VolumeRepairs(
      RepairedVolume volume, int filesAtOnce, LongSupplier clockNanos, Executor home) {
    this.volume = volume;
    this.filesAtOnce = filesAtOnce;
    this.clockNanos = clockNanos;
    this.home = home;
  }

  /** To be called now and then, while the volume is served. */
  public void look() {
    long nowNanos = clockNanos.getAsLong();
    boolean isDue = lookedNanos.isEmpty() || nowNanos - lookedNanos.get() >= LOOK_NANOS;
    if (filesAtOnce == 0 || closed || !isDue) {
      return;
    }
    lookedNanos = Optional.of(nowNanos);
    abandonForsaken();
    lookForLosses(nowNanos);
    for (ObjectId object : volume.missing()) {
      if (!list.contains(object)) {
        add(object, 0, 0);
      }
    }
    scan.ifPresent(each -> each.look(nowNanos));
    pump();
    progress = current();
  }

  /** There is a table of the cluster, which may say the same as the one before. */
  public void clusterChanged() {
    RepairedVolume.OsdsThere now = volume.there();
    boolean same = there.filter(now::equals).isPresent();
    there = Optional.of(now);
    if (!same) {
      list.hope(clockNanos.getAsLong());
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
                      if (failure == null) {
                        add(rebuild.object(), 0, 0);
                      }
                    },
                    home);
      }
    }
  }

  private void lookForLosses(long nowNanos) {
    SortedSet<OsdId> now = volume.lost();
    if (now.equals(lost)) {
      return;
    }
    boolean more = !lost.containsAll(now);
    lost = new TreeSet<>(now);
    list.hope(nowNanos);
    if (now.isEmpty()) {
      scan.ifPresent(LossScan::end);
      scan = Optional.empty();
    } else if (more) {
      LOG.info("OSDs {} are lost for good: what they held is rebuilt elsewhere", now);
      scan.ifPresent(LossScan::end);
      scan = Optional.of(new LossScan(volume, home, now, this::found));
    }
  }

  private void found(Attributes file) {
    RebuildNeed need = RebuildNeed.of(file, lost);
    if (!need.isEmpty()) {
      add(file.object(), RebuildNeed.redundancyLeft(file.map(), lost), need.bytesToWrite(file));
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
    while (!closed && underWay.size() < filesAtOnce) {
      Optional<Item> next = list.take(clockNanos.getAsLong());
      if (next.isEmpty()) {
        return;
      }
      repair(next.get());
    }
  }

  private void repair(Item item) {
    underWay.put(item.object(), item);
    SortedSet<OsdId> gone = lost;
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
      notBegun(item, RpcException.of(failure));
      return;
    }
    if (file.isEmpty()) {
      ended(item);
      list.done(item);
      filesDone++;
      pump();
      return;
    }
    Optional<Rebuild> rebuild = volume.begun(item.object());
    if (rebuild.isEmpty()) {
      // Copies have moved, or somebody writes the file by now.
      again(item, file.get(), gone);
      return;
    }
    write(item, rebuild.get(), file.get(), gone);
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
    list.again(item, RebuildNeed.redundancyLeft(file.map(), gone) + 1, 0);
    pump();
  }

  private void ended(Item item) {
    underWay.remove(item.object());
  }

  private void notBegun(Item item, RpcException why) {
    long nowNanos = clockNanos.getAsLong();
    ended(item);
    switch (why.code()) {
      case NOT_FOUND -> list.done(item);
      case BUSY -> list.putOff(item, Reason.WAITING, why.getMessage(), nowNanos + REST_NANOS);
      case TOO_MANY_LOST ->
          list.putOff(item, Reason.LOST, why.getMessage(), nowNanos + MOST_RETRY_NANOS);
      default -> putOff(item, why);
    }
    pump();
  }

  private void putOff(Item item, RpcException why) {
    long pause = Math.min(MOST_RETRY_NANOS, FIRST_RETRY_NANOS << Math.min(item.attempts(), 5));
    list.putOff(item, Reason.FAILED, why.getMessage(), clockNanos.getAsLong() + pause);
  }

  private void failed(Item item, Rebuild rebuild, Throwable failure) {
    RpcException why = RpcException.of(failure);
    LOG.info("object {} is not rebuilt yet: {}", item.object(), why.getMessage());
    boolean isTargets =
        why.code() == ErrorCode.NO_SPACE
            || OsdTrouble.osdIn(failure).filter(rebuild.target()::equals).isPresent();
    if (isTargets) {
      avoidedUntilNanos.put(rebuild.target(), clockNanos.getAsLong() + AVOID_NANOS);
    }
    var unused =
        volume
            .abandon(rebuild)
            .whenCompleteAsync(
                (nothing, second) -> {
                  ended(item);
                  if (isTargets && second == null) {
                    list.again(item, 0, item.bytes());
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

  private RepairProgress current() {
    boolean hasScan = scan.isPresent() && !scan.get().isOver();
    if (list.isEmpty() && !hasScan) {
      return RepairProgress.NONE;
    }
    long seconds = Math.max(1, TimeUnit.NANOSECONDS.toSeconds(clockNanos.getAsLong() - sinceNanos));
    List<String> words = new ArrayList<>();
    if (hasScan) {
      words.addAll(scan.get().troubles());
    }
    for (Reason reason : List.of(Reason.LOST, Reason.FAILED, Reason.WAITING)) {
      words.addAll(list.words(reason, MOST_NAMED));
    }
    return new RepairProgress(
        lost,
        hasScan ? scan.get().awaited() : new TreeSet<>(),
        list.size(),
        list.bytes(),
        filesDone,
        bytesDone.get(),
        bytesDone.get() / seconds,
        list.count(Reason.WAITING),
        list.count(Reason.FAILED),
        list.count(Reason.LOST),
        words);
  }

  /** Begins nothing more. */
  public void close() {
    closed = true;
    scan.ifPresent(LossScan::end);
  }
}
