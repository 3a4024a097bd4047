package org.weft.metadata.repair;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.repair.BadItem.State;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.retry.Backoff;
import org.weft.recovery.rebuild.BlockRepairOutcome;

/**
 * Has bad blocks of a volume written anew where they are (P 6.8b): asks all OSDs now and then which
 * they know of, and repairs them object by object, those first that are damaged on most OSDs. It
 * keeps nothing: the OSDs tell of a block until it is well, so that nothing is lost with an answer
 * or with the manager. What cannot be written anew is named, and tried again now and then.
 * Single-threaded, on the volume's thread.
 */
public final class BlockRepairs {
  private static final Logger LOG = LoggerFactory.getLogger(BlockRepairs.class);
  private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long SETTLE_NANOS = 3 * ROUND_NANOS;
  private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Without jitter: a volume has repair.files-at-once files written at a time. */
  private static final Backoff RETRIES = Backoff.exact(2 * REST_NANOS, 32 * REST_NANOS);

  private static final int MAX_NAMED = 20;
  private static final int TRIES_BEFORE_WORDS = 3;

  private final DamagedVolume volume;
  private final int filesAtOnce;
  private final LongSupplier clockNanos;
  private final Executor home;
  private final TreeMap<ObjectId, TreeMap<OsdId, BadItem>> items = new TreeMap<>();
  private final Set<ObjectId> underWay = new HashSet<>();
  private final Set<ObjectId> ending = new HashSet<>();
  private final SortedMap<OsdId, Long> askedNanos = new TreeMap<>();
  private final Set<OsdId> asking = new HashSet<>();
  private long found;
  private long repaired;
  private boolean closed;

  /**
   * @param clockNanos a monotonic clock
   * @param home the volume's thread
   */
  public BlockRepairs(
      DamagedVolume volume, RepairOptions options, LongSupplier clockNanos, Executor home) {
    this.volume = volume;
    this.filesAtOnce = options.filesAtOnce();
    this.clockNanos = clockNanos;
    this.home = home;
  }

  /** To be called now and then, while the volume is served. */
  public void look() {
    if (closed) {
      return;
    }
    long nowNanos = clockNanos.getAsLong();
    SortedSet<OsdId> serving = volume.serving();
    askedNanos.keySet().retainAll(serving);
    for (OsdId osd : serving) {
      Long asked = askedNanos.get(osd);
      if ((asked == null || nowNanos - asked >= ROUND_NANOS) && asking.add(osd)) {
        askedNanos.put(osd, nowNanos);
        ask(osd);
      }
    }
    endForsaken();
    pump();
  }

  /** OSDs came or went. */
  public void clusterChanged() {
    items.values().forEach(each -> each.values().forEach(BadItem::hope));
  }

  private void ask(OsdId osd) {
    var unused =
        volume
            .badBlocks(osd)
            .whenCompleteAsync(
                (blocks, failure) -> {
                  asking.remove(osd);
                  if (failure == null && !closed) {
                    heard(osd, blocks);
                    pump();
                  }
                },
                home);
  }

  private void heard(OsdId osd, List<DamagedVolume.Block> blocks) {
    SortedMap<ObjectId, SortedSet<Long>> told = new TreeMap<>();
    for (DamagedVolume.Block block : blocks) {
      told.computeIfAbsent(block.object(), object -> new TreeSet<>()).add(block.number());
    }
    told.forEach(
        (object, numbers) -> {
          BadItem item =
              items
                  .computeIfAbsent(object, each -> new TreeMap<>())
                  .computeIfAbsent(osd, each -> new BadItem(object, osd));
          found += item.heard(numbers);
        });
    for (ObjectId object : List.copyOf(items.keySet())) {
      BadItem item = items.get(object).get(osd);
      if (item != null && !told.containsKey(object)) {
        if (item.state() == State.REFRESHED) {
          repaired += item.blocks().size();
        }
        items.get(object).remove(osd);
        if (items.get(object).isEmpty()) {
          items.remove(object);
        }
      }
    }
  }

  /** What a manager before, or this one before its last start, had begun is begun anew. */
  private void endForsaken() {
    for (Rebuild forsaken : volume.begun()) {
      if (!underWay.contains(forsaken.object()) && ending.add(forsaken.object())) {
        var unused =
            volume
                .end(forsaken)
                .whenCompleteAsync((nothing, failure) -> ending.remove(forsaken.object()), home);
      }
    }
  }

  private void pump() {
    while (!closed && underWay.size() < filesAtOnce) {
      Optional<BadItem> next = next(clockNanos.getAsLong());
      if (next.isEmpty()) {
        return;
      }
      repair(next.get());
    }
  }

  private Optional<BadItem> next(long nowNanos) {
    BadItem best = null;
    int most = 0;
    for (Map.Entry<ObjectId, TreeMap<OsdId, BadItem>> each : items.entrySet()) {
      if (each.getValue().size() > most && !underWay.contains(each.getKey())) {
        Optional<BadItem> due =
            each.getValue().values().stream().filter(item -> item.isDue(nowNanos)).findFirst();
        if (due.isPresent()) {
          best = due.get();
          most = each.getValue().size();
        }
      }
    }
    return Optional.ofNullable(best);
  }

  private void repair(BadItem item) {
    underWay.add(item.object());
    item.tried();
    Set<OsdId> others = new TreeSet<>(items.get(item.object()).keySet());
    others.remove(item.osd());
    var unused =
        volume
            .begin(item.object(), item.osd(), others)
            .whenCompleteAsync((file, failure) -> begun(item, file, failure), home);
  }

  private void begun(BadItem item, Optional<Attributes> file, Throwable failure) {
    long nowNanos = clockNanos.getAsLong();
    if (failure != null) {
      failed(item, WeftException.of(failure));
    } else if (file.isEmpty()) {
      item.becomes(State.FOREIGN, "", nowNanos + LONG_NANOS);
    } else if (file.get().isDirectory()) {
      item.becomes(State.REFRESHED, "", nowNanos + LONG_NANOS);
    } else {
      Optional<Rebuild> begun = volume.begun(item.object());
      if (begun.isPresent()) {
        write(item, begun.get(), file.get());
        return;
      }
      item.becomes(State.WAITING, "it is being written", nowNanos + REST_NANOS);
    }
    over(item);
  }

  private void write(BadItem item, Rebuild begun, Attributes file) {
    var unused =
        volume
            .write(begun, file, item.blocks())
            .whenCompleteAsync(
                (outcome, failure) -> {
                  if (failure == null) {
                    written(item, begun, file, outcome);
                  } else {
                    failed(item, WeftException.of(failure));
                  }
                },
                home)
            .handleAsync((outcome, failure) -> begun, home)
            .thenCompose(volume::end)
            .whenCompleteAsync((nothing, failure) -> over(item), home);
  }

  private void over(BadItem item) {
    underWay.remove(item.object());
    pump();
  }

  private void written(BadItem item, Rebuild begun, Attributes file, BlockRepairOutcome outcome) {
    long nowNanos = clockNanos.getAsLong();
    repaired += outcome.repaired();
    if (outcome.repaired() > 0) {
      LOG.info(
          "{} damaged blocks of object {} on OSD {} were written anew",
          outcome.repaired(),
          item.object(),
          item.osd());
    }
    if (outcome.lost().isEmpty() && outcome.contradicted().isEmpty()) {
      item.becomes(State.DONE, "", nowNanos + SETTLE_NANOS);
      return;
    }
    List<Long> all = new ArrayList<>(outcome.lost());
    all.addAll(outcome.contradicted());
    Collections.sort(all);
    Layout layout = file.map().layout();
    ByteRanges gone = GoneBytes.ofBlocks(layout, file.sizeBytes(), begun.component(), all);
    String words =
        "%s, object %s, has %d damaged blocks of 4 KiB in component %d on OSD %s that cannot be written anew: %s"
            .formatted(
                file.parent().name(),
                item.object(),
                all.size(),
                begun.component(),
                item.osd(),
                reason(outcome));
    LOG.warn("{}", words);
    item.hopeless(words, all.size(), gone, nowNanos + pause(item));
  }

  private static String reason(BlockRepairOutcome outcome) {
    List<String> reasons = new ArrayList<>();
    if (!outcome.lost().isEmpty()) {
      reasons.add(
          "in %d stripes too many of the others are damaged or missing"
              .formatted(outcome.lost().size()));
    }
    if (!outcome.contradicted().isEmpty()) {
      reasons.add(
          "in %d stripes the other units contradict each other"
              .formatted(outcome.contradicted().size()));
    }
    return String.join(", ", reasons) + "; write the file anew, or remove it";
  }

  private void failed(BadItem item, WeftException why) {
    long nowNanos = clockNanos.getAsLong();
    switch (why.code()) {
      case NOT_FOUND -> item.becomes(State.FOREIGN, "", nowNanos + LONG_NANOS);
      // Of a repair alone: a writer has the file, or had it meanwhile.
      case BUSY, GRANT_REVOKED ->
          item.becomes(State.WAITING, why.getMessage(), nowNanos + REST_NANOS);
      case TOO_MANY_LOST ->
          item.hopeless(
              why.getMessage(),
              item.blocks().size(),
              new ByteRanges(List.of()),
              nowNanos + pause(item));
      default -> item.becomes(State.FAILED, why.getMessage(), nowNanos + pause(item));
    }
  }

  private static long pause(BadItem item) {
    return RETRIES.exactNanos(item.attempts());
  }

  /** How far it is. */
  public DamageProgress progress() {
    long waiting = 0;
    long hopeless = 0;
    List<String> words = new ArrayList<>();
    for (TreeMap<OsdId, BadItem> each : items.values()) {
      for (BadItem item : each.values()) {
        waiting += item.waitingBlocks();
        hopeless += item.hopelessBlocks();
        if (words.size() < MAX_NAMED) {
          words(item).ifPresent(words::add);
        }
      }
    }
    if (filesAtOnce == 0 && waiting > 0) {
      words.add(
          waiting
              + " damaged blocks are not repaired: repair.files-at-once is 0; set it to more on all"
              + " managers and start them again");
    }
    return found == 0
        ? DamageProgress.NONE
        : new DamageProgress(found, repaired, waiting, hopeless, words);
  }

  private static Optional<String> words(BadItem item) {
    if (item.state() == State.HOPELESS) {
      return Optional.of(item.why());
    }
    boolean isLate = item.waitingBlocks() > 0 && item.attempts() >= TRIES_BEFORE_WORDS;
    return isLate
        ? Optional.of(
            "%d damaged blocks of object %s on OSD %s wait to be repaired: %s"
                .formatted(item.blocks().size(), item.object(), item.osd(), item.why()))
        : Optional.empty();
  }

  /** Files with blocks that cannot be written anew, as far as that is known. */
  public SortedMap<ObjectId, BadFile> damagedFiles() {
    SortedMap<ObjectId, BadFile> damaged = new TreeMap<>();
    items.forEach(
        (object, each) -> {
          for (BadItem item : each.values()) {
            if (item.state() == State.HOPELESS) {
              damaged.merge(
                  object,
                  new BadFile(item.why(), item.gone()),
                  (one, other) -> new BadFile(one.what(), one.gone().plus(other.gone())));
            }
          }
        });
    return Collections.unmodifiableSortedMap(damaged);
  }

  /** Begins nothing more. */
  public void close() {
    closed = true;
  }
}
