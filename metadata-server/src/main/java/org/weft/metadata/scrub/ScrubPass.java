package org.weft.metadata.scrub;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.check.CheckedVolume;
import org.weft.metadata.check.ObjectWindow;
import org.weft.metadata.check.Steps;
import org.weft.metadata.check.Stores;
import org.weft.metadata.journal.ScrubEffect;
import org.weft.metadata.journal.ScrubEffect.Pass;
import org.weft.metadata.journal.ScrubEffect.Reached;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * The order of files in a scrub. First come all files of a volume in the order of their objects, a
 * window at a time as OSDs list them. Then come those that were not at rest. On the volume's
 * thread.
 */
final class ScrubPass {
  private static final int OBJECTS_AT_ONCE = 256;
  private static final int MAX_ROUNDS = 10;

  /** Two hours, as a scrub waits. */
  private static final int MAX_WAITS = 240;

  /** Half a minute lies between them. */
  private static final int MAX_LIST_FAILURES = 4;

  private static final long SILENT_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final CheckedVolume volume;
  private final Steps steps;
  private final Deque<FileScrub> window = new ArrayDeque<>();

  /** Files that were not at rest, each with the stripe that comes next. */
  private final Map<ObjectId, Long> later = new LinkedHashMap<>();

  private final Map<OsdId, Integer> listFailures = new TreeMap<>();

  /** OSDs that are not asked for lists until then, by the monotonic clock. */
  private final SortedMap<OsdId, Long> silentUntilNanos = new TreeMap<>();

  private long passes;
  private Pass last;
  private long begunMillis;
  private long objects;
  private long files;
  private long bytes;
  private long left;

  /** The pass has done without lists of some OSDs. */
  private boolean unlisted;

  /** What the next window begins with, and what it begins in the middle of. */
  private ObjectId next;

  private long stripe;
  private boolean listed;
  private int rounds;
  private int waits;

  /**
   * @param from where it goes on
   */
  ScrubPass(CheckedVolume volume, Steps steps, Reached from) {
    this.volume = volume;
    this.steps = steps;
    this.passes = from.passes();
    this.last = from.last();
    this.begunMillis = from.now().begunMillis();
    this.objects = from.now().objects();
    this.files = from.now().files();
    this.bytes = from.now().bytes();
    this.left = from.now().left();
    this.unlisted = from.now().unlisted();
    this.next = from.object();
    this.stripe = from.stripe();
    this.rounds = from.rounds();
    this.waits = from.waits();
    from.later().forEach(object -> later.put(object, from.laterStripes().getOrDefault(object, 0L)));
  }

  boolean isUnderWay() {
    return begunMillis != 0;
  }

  /** When the newest that has ended had begun, since 1970; 0: none has. */
  long lastBegunMillis() {
    return last.begunMillis();
  }

  /** Begins another one. */
  void begin(long nowMillis) {
    begunMillis = nowMillis;
    objects = 0;
    files = 0;
    bytes = 0;
    left = 0;
    unlisted = false;
    next = new ObjectId(0);
    stripe = 0;
    listed = false;
    rounds = 0;
    waits = 0;
    window.clear();
    later.clear();
  }

  /** All has been looked at, or has been left. */
  void end(long nowMillis) {
    left += later.size();
    last = new Pass(begunMillis, nowMillis, objects, files, bytes, left, unlisted);
    passes++;
    begin(0);
  }

  /** The next file that is at hand. */
  Optional<FileScrub> poll() {
    return Optional.ofNullable(window.poll());
  }

  /** All objects have been listed. */
  boolean isListed() {
    return listed;
  }

  /** Files wait that were not at rest, and it is worth looking at them again. */
  boolean hasLater() {
    return !later.isEmpty() && rounds < MAX_ROUNDS;
  }

  /** How many wait. */
  int later() {
    return later.size() + (int) window.stream().filter(ScrubPass::isLate).count();
  }

  /**
   * A file is not whole, or an OSD does not answer: whether that is worth waiting for. A pass does
   * not wait for each file of an OSD that stays away.
   */
  boolean mayWait() {
    waits++;
    return waits <= MAX_WAITS;
  }

  /** Those that wait come next. */
  void takeLater() {
    rounds++;
    later.forEach(
        (object, from) ->
            window.add(new FileScrub(object, FileScrub.Cause.LATE, from, Optional.empty())));
    later.clear();
  }

  /**
   * It was not at rest. What was compared of it stays compared: a pass looks at each stripe once.
   *
   * @param from the stripe that comes next
   */
  void later(ObjectId object, long from) {
    if (later() < ScrubEffect.MAX_LATER) {
      later.put(object, from);
    } else {
      left++;
    }
  }

  /** Notes the bytes that were read of a file, or of directories. */
  void read(long read) {
    bytes += read;
  }

  /** All of a file was compared. */
  void compared() {
    files++;
  }

  /**
   * Has the next objects listed; fails if an OSD that serves does not answer. An OSD that does not
   * answer again and again is left out for a while, if as many others list. That holds only while
   * fewer OSDs are left out or away than hold each file. So each file is in the list of another
   * one.
   *
   * @param nowNanos of the monotonic clock
   */
  CompletionStage<Void> list(long nowNanos) {
    silentUntilNanos.values().removeIf(until -> nowNanos - until >= 0);
    SortedSet<OsdId> asked = new TreeSet<>(volume.serving());
    silentUntilNanos.keySet().retainAll(asked);
    int mostSilent = mostSilent(asked.size());
    if (silentUntilNanos.size() > mostSilent) {
      silentUntilNanos.clear();
    }
    asked.removeAll(silentUntilNanos.keySet());
    if (asked.isEmpty()) {
      return CompletableFuture.failedStage(
          new WeftException(ErrorCode.UNAVAILABLE, "no OSD lists what it has"));
    }
    ObjectId after = new ObjectId(Math.max(0, next.value() - 1));
    return ObjectWindow.list(
            volume, asked, after, OBJECTS_AT_ONCE, osd -> unheard(osd, mostSilent, nowNanos))
        .thenCompose(
            found -> {
              listFailures.keySet().removeAll(asked);
              unlisted |= !silentUntilNanos.isEmpty();
              return Stores.ask(volume, steps, found.byOsd())
                  .thenAccept(stores -> take(found, stores));
            });
  }

  /** How many of the serving OSDs may be left out. */
  private int mostSilent(int serving) {
    SortedSet<OsdId> away = new TreeSet<>(volume.all());
    away.removeAll(volume.serving());
    return Math.min(serving / 2, volume.leastHolders() - 1 - away.size());
  }

  /** Were more left out some file would not be found, and the pass seem to be over. */
  private void unheard(OsdId osd, int mostSilent, long nowNanos) {
    int failures = listFailures.merge(osd, 1, Integer::sum);
    boolean isLeft = failures >= MAX_LIST_FAILURES && silentUntilNanos.size() < mostSilent;
    if (isLeft) {
      listFailures.remove(osd);
      silentUntilNanos.put(osd, nowNanos + SILENT_NANOS);
    }
  }

  /** A sentence on OSDs whose lists the pass does without; empty: it has all. */
  String without() {
    if (silentUntilNanos.isEmpty()) {
      return last.unlisted()
          ? "lists of some OSDs were missing in the last pass: files whose other copies are lost may have been left out"
          : "";
    }
    return "OSDs %s do not list what they have; the pass goes on by the lists of the others"
        .formatted(silentUntilNanos.keySet());
  }

  private void take(ObjectWindow found, Stores stores) {
    for (ObjectId object : found.objects()) {
      objects++;
      Optional<Attributes> node = stores.newest(object).map(page -> page.attributes());
      if (node.isEmpty()) {
        // OSDs with its attributes did not tell of them.
        later(object, 0);
      } else if (node.get().kind() == NodeKind.FILE) {
        window.add(turn(object, node.get()));
      }
    }
    next = new ObjectId(found.last().value() + 1);
    stripe = 0;
    listed = !found.more();
  }

  private FileScrub turn(ObjectId object, Attributes file) {
    long from = object.equals(next) ? stripe : 0;
    return new FileScrub(object, FileScrub.Cause.TURN, from, Optional.of(file));
  }

  private static boolean isLate(FileScrub file) {
    return file.cause() == FileScrub.Cause.LATE;
  }

  /**
   * How far it is.
   *
   * @param under the file that is being looked at, if one is
   */
  Reached reached(Optional<FileScrub> under) {
    if (!isUnderWay()) {
      return new Reached(passes, last, Pass.NONE, new ObjectId(0), 0, List.of());
    }
    ObjectId object = next;
    long from = stripe;
    Map<ObjectId, Long> waiting = new LinkedHashMap<>(later);
    Deque<FileScrub> ahead = new ArrayDeque<>(window);
    under.ifPresent(ahead::addFirst);
    for (FileScrub file : ahead) {
      if (isLate(file)) {
        waiting.put(file.object(), file.stripe());
      } else if (file.cause() == FileScrub.Cause.TURN && file.object().compareTo(object) < 0) {
        object = file.object();
        from = file.stripe();
      }
    }
    List<ObjectId> some = waiting.keySet().stream().limit(ScrubEffect.MAX_LATER).toList();
    Map<ObjectId, Long> begun = new TreeMap<>(waiting);
    begun.keySet().retainAll(some);
    begun.values().removeIf(stripe -> stripe == 0);
    return new Reached(
        passes,
        last,
        new Pass(begunMillis, 0, objects, files, bytes, left, unlisted),
        object,
        from,
        some,
        begun,
        rounds,
        waits);
  }
}
