package org.weft.metadata.repair;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.attributes.Attributes;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Looks through all objects of the volume on all OSDs that are left, for those that have something
 * on lost ones (P 6.8). First what is journalled is brought to the OSDs. What they hold then shows
 * every file that may have anything on an OSD that was lost before, since nothing new is placed
 * there. It is over only when each OSD that is expected to be there has answered. One that comes
 * back later is asked then, and the result is noted for good only after that. An OSD that could not
 * tell of some object does not count as having answered. What follows is looked at, and then it is
 * asked again from there on. After each part an OSD is left alone for as long as that part took, so
 * that clients have half of its time. Single-threaded.
 */
final class LossScan {
  private static final Logger LOG = LoggerFactory.getLogger(LossScan.class);
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long TROUBLE_RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** What cannot be brought to OSDs for so long is not waited for. */
  private static final long FLUSH_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final ObjectId NO_OBJECT = new ObjectId(0);

  private final RepairedVolume volume;
  private final Executor home;
  private final LongSupplier clockNanos;
  private final OsdsToEmpty wanted;
  private final Consumer<Attributes> found;
  private final SortedMap<OsdId, ObjectId> reached = new TreeMap<>();
  private final SortedMap<OsdId, ObjectId> againFrom = new TreeMap<>();
  private final SortedMap<OsdId, String> troubles = new TreeMap<>();
  private final SortedSet<OsdId> heard = new TreeSet<>();
  private final SortedSet<OsdId> busy = new TreeSet<>();
  private final SortedMap<OsdId, Long> notBeforeNanos = new TreeMap<>();

  /** Counts how often everything is looked at anew: a page belongs to the round it was asked in. */
  private int round;

  private boolean flushing;
  private boolean flushed;
  private boolean impatient;
  private boolean ended;
  private final long begunNanos;

  /**
   * @param clockNanos a monotonic clock
   * @param wanted OSDs that are looked for
   * @param found gets the attributes of objects with something to repair, some of them several
   *     times
   */
  LossScan(
      RepairedVolume volume,
      LongSupplier clockNanos,
      Executor home,
      OsdsToEmpty wanted,
      Consumer<Attributes> found) {
    this.volume = volume;
    this.clockNanos = clockNanos;
    this.home = home;
    this.wanted = wanted;
    this.found = found;
    this.begunNanos = clockNanos.getAsLong();
  }

  /** The OSDs that are looked for. */
  OsdsToEmpty wanted() {
    return wanted;
  }

  /** To be called now and then. */
  void look() {
    long nowNanos = clockNanos.getAsLong();
    if (!flushed) {
      flush();
      impatient |= nowNanos - begunNanos >= FLUSH_PATIENCE_NANOS;
      if (!impatient) {
        return;
      }
    }
    for (OsdId osd : volume.serving()) {
      boolean isDue = nowNanos - notBeforeNanos.getOrDefault(osd, nowNanos) >= 0;
      if (!heard.contains(osd) && isDue && busy.add(osd)) {
        next(osd);
      }
    }
  }

  private void flush() {
    if (flushing) {
      return;
    }
    flushing = true;
    var unused =
        volume
            .flushed()
            .whenCompleteAsync(
                (nothing, failure) -> {
                  flushing = false;
                  if (failure == null) {
                    isFlushed();
                  }
                },
                home);
  }

  /** What was looked at before may lack what was flushed only now: it is looked at once more. */
  private void isFlushed() {
    flushed = true;
    if (impatient) {
      round++;
      heard.clear();
      reached.clear();
      againFrom.clear();
      busy.clear();
    }
  }

  private void next(OsdId osd) {
    ObjectId after = reached.getOrDefault(osd, NO_OBJECT);
    long askedNanos = clockNanos.getAsLong();
    int askedIn = round;
    CompletionStage<RepairedVolume.Page> page = volume.list(osd, after, wanted);
    var unused =
        page.whenCompleteAsync(
            (answer, failure) -> {
              if (ended) {
                return;
              }
              if (askedIn != round) {
                // It may lack what was flushed since: it counts for nothing but what it has found.
                Optional.ofNullable(answer).ifPresent(old -> old.found().forEach(found));
                return;
              }
              if (failure != null) {
                trouble(osd, WeftException.of(failure).getMessage());
                busy.remove(osd);
                notBeforeNanos.put(osd, clockNanos.getAsLong() + RETRY_NANOS);
                return;
              }
              answer.found().forEach(found);
              reached.put(osd, answer.last());
              answer
                  .trouble()
                  .ifPresent(
                      why -> {
                        againFrom.putIfAbsent(osd, after);
                        trouble(osd, why);
                      });
              busy.remove(osd);
              if (answer.more()) {
                long nowNanos = clockNanos.getAsLong();
                notBeforeNanos.put(osd, 2 * nowNanos - askedNanos);
              } else {
                passed(osd);
              }
            },
            home);
  }

  /** All that it has was asked for. */
  private void passed(OsdId osd) {
    ObjectId again = againFrom.remove(osd);
    if (again == null) {
      troubles.remove(osd);
      heard.add(osd);
    } else {
      reached.put(osd, again);
      notBeforeNanos.put(osd, clockNanos.getAsLong() + TROUBLE_RETRY_NANOS);
    }
  }

  private void trouble(OsdId osd, String why) {
    if (!why.equals(troubles.put(osd, why))) {
      LOG.warn("OSD {} has not told all that it knows of files to rebuild: {}", osd, why);
    }
  }

  /** Sentences on why some of the asked OSDs have not answered completely. */
  List<String> troubles() {
    List<String> words = new ArrayList<>();
    for (OsdId osd : awaited()) {
      if (troubles.containsKey(osd)) {
        words.add(
            "osd-%s has not told all that it knows of files to rebuild, and is asked again: %s"
                .formatted(osd, troubles.get(osd)));
      }
    }
    return words;
  }

  /** Nothing more is found. */
  void end() {
    ended = true;
  }

  /** OSDs that have not answered completely. */
  SortedSet<OsdId> awaited() {
    SortedSet<OsdId> awaited = new TreeSet<>(volume.expected());
    awaited.removeAll(heard);
    return awaited;
  }

  /**
   * All OSDs that are not lost have answered completely. What could not be brought to OSDs before,
   * because all that hold it are away, is looked for when it has been.
   */
  boolean isOver() {
    return (flushed || impatient) && awaited().isEmpty();
  }

  /**
   * All OSDs have answered, including those that are down for so long that nothing waits for them.
   * A manager that no longer looks could not find again what they alone know of.
   */
  boolean hasHeardAll() {
    return flushed && isOver() && heard.containsAll(volume.remaining());
  }
}
