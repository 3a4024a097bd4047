package org.weft.metadata.repair;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.help.NoRoom;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.recovery.rebuild.RebuildOutcome;

/** A volume whose OSDs tell what a test says, and where nothing can be rebuilt. */
final class ScriptedVolume implements RepairedVolume {
  final SortedMap<OsdId, Long> up = new TreeMap<>();
  int filesAtOnce = 4;
  boolean hasTurn;
  boolean paused;
  CompletableFuture<Void> flushed = CompletableFuture.completedFuture(null);
  final SortedSet<OsdId> down = new TreeSet<>();
  final SortedSet<OsdId> lost = new TreeSet<>();
  final SortedSet<OsdId> leaving = new TreeSet<>();

  /** Numbers of drains. */
  final SortedMap<OsdId, Long> drains = new TreeMap<>();

  /** OSDs that are down for so long that nothing waits for them. */
  final SortedSet<OsdId> awayForLong = new TreeSet<>();

  final List<ObjectId> missing = new ArrayList<>();

  /** OSDs of which it was noted that nothing names them. */
  final SortedSet<OsdId> noted = new TreeSet<>();

  /** Of which drain that was noted last. */
  final SortedMap<OsdId, Long> notedDrains = new TreeMap<>();

  /** How often anything was to be noted or forgotten. */
  int notes;

  /** Files that nothing is left to be done for, whatever was found. */
  final List<ObjectId> whole = new ArrayList<>();

  /** Files that have lost more than their code bears. */
  final List<ObjectId> hopeless = new ArrayList<>();

  /** Files that can be begun with, as they are. */
  final Map<ObjectId, Attributes> begins = new TreeMap<>();

  /** Files that the primary alone may copy, and has no turn for, the first time. */
  final List<ObjectId> unroomed = new ArrayList<>();

  /** Files that are being written. */
  final List<ObjectId> busy = new ArrayList<>();

  /** Files of which an OSD is silent. */
  final List<ObjectId> silent = new ArrayList<>();

  /** Whatever is to begin waits for it. */
  CompletableFuture<Void> beginning = CompletableFuture.completedFuture(null);

  /** So many times more nothing can be removed from where it was written. */
  int failingAbandons;

  /** So many times more nothing can be noted. */
  int failingNotes;

  /** OSDs that were avoided when something was begun last. */
  Set<OsdId> avoided = Set.of();

  /** Lost OSDs as they were when a file's component began to be written. */
  final Map<ObjectId, SortedSet<OsdId>> writtenWithout = new TreeMap<>();

  /** What has been begun and is not over. */
  final Map<ObjectId, Rebuild> begun = new TreeMap<>();

  /** Copies under way, which a test ends. */
  final Map<ObjectId, CompletableFuture<RebuildOutcome>> copying = new TreeMap<>();

  final List<ObjectId> tried = new ArrayList<>();

  /** Answers to {@link #list}, in order; empty: the OSD does not answer. */
  final Deque<Optional<Page>> pages = new ArrayDeque<>();

  /** Answers that come when a test says so, before those. */
  final Deque<CompletableFuture<Page>> gates = new ArrayDeque<>();

  /** Behind which objects was asked. */
  final List<ObjectId> askedBehind = new ArrayList<>();

  @Override
  public OsdsToEmpty toEmpty() {
    return new OsdsToEmpty(lost, leaving, drains);
  }

  @Override
  public CompletableFuture<Void> noteCleared(SortedMap<OsdId, Long> cleared) {
    notes++;
    if (failingNotes > 0) {
      failingNotes--;
      return CompletableFuture.failedFuture(isSilent());
    }
    noted.addAll(cleared.keySet());
    notedDrains.putAll(cleared);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public boolean isPaused() {
    return paused;
  }

  @Override
  public SortedSet<OsdId> serving() {
    return new TreeSet<>(up.keySet());
  }

  @Override
  public SortedSet<OsdId> expected() {
    return new TreeSet<>(up.keySet());
  }

  @Override
  public SortedSet<OsdId> remaining() {
    SortedSet<OsdId> remaining = new TreeSet<>(up.keySet());
    remaining.addAll(awayForLong);
    return remaining;
  }

  @Override
  public OsdsThere there() {
    return new OsdsThere(up, down, new TreeSet<>());
  }

  @Override
  public List<ObjectId> missing(ObjectId after, int max) {
    return missing.stream().filter(each -> each.compareTo(after) > 0).limit(max).toList();
  }

  @Override
  public int filesAtOnce() {
    return filesAtOnce;
  }

  @Override
  public boolean hasTurn() {
    return hasTurn;
  }

  @Override
  public int managers() {
    return 1;
  }

  @Override
  public List<Rebuild> begun() {
    return List.copyOf(begun.values());
  }

  @Override
  public Optional<Rebuild> begun(ObjectId object) {
    return Optional.ofNullable(begun.get(object));
  }

  @Override
  public CompletableFuture<Optional<Attributes>> begin(
      ObjectId object, SortedSet<OsdId> lost, Set<OsdId> shunned) {
    tried.add(object);
    avoided = shunned;
    return beginning.thenCompose(nothing -> begin(object));
  }

  private CompletableFuture<Optional<Attributes>> begin(ObjectId object) {
    if (busy.contains(object)) {
      return CompletableFuture.failedFuture(
          new WeftException(ErrorCode.BUSY, "it is being written"));
    }
    if (silent.contains(object)) {
      return CompletableFuture.failedFuture(isSilent());
    }
    if (unroomed.remove(object)) {
      return CompletableFuture.failedFuture(NoRoom.failure());
    }
    if (whole.contains(object)) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    if (begins.containsKey(object)) {
      begun.put(
          object, new Rebuild(object, 0, new OsdId(9), new Lsn(100), 1, false, 1, false, false));
      return CompletableFuture.completedFuture(Optional.of(begins.get(object)));
    }
    if (hopeless.contains(object)) {
      return CompletableFuture.failedFuture(
          new WeftException(ErrorCode.TOO_MANY_LOST, "it has lost too much"));
    }
    return CompletableFuture.failedFuture(new WeftException(ErrorCode.NO_SPACE, "no OSD takes it"));
  }

  @Override
  public CompletableFuture<RebuildOutcome> write(
      Rebuild rebuild, Attributes file, SortedSet<OsdId> lost, LongConsumer written) {
    CompletableFuture<RebuildOutcome> outcome = new CompletableFuture<>();
    copying.put(rebuild.object(), outcome);
    writtenWithout.put(rebuild.object(), lost);
    return outcome;
  }

  @Override
  public CompletableFuture<Void> finish(Rebuild rebuild, RebuildOutcome outcome) {
    begun.remove(rebuild.object());
    whole.add(rebuild.object());
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Void> abandon(Rebuild rebuild) {
    if (failingAbandons > 0) {
      failingAbandons--;
      return CompletableFuture.failedFuture(isSilent());
    }
    begun.remove(rebuild.object());
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<Void> flushed() {
    return flushed;
  }

  @Override
  public CompletionStage<Page> list(OsdId osd, ObjectId after, OsdsToEmpty wanted) {
    askedBehind.add(after);
    if (!gates.isEmpty()) {
      return gates.removeFirst();
    }
    return pages
        .removeFirst()
        .map(CompletableFuture::completedFuture)
        .orElseGet(() -> CompletableFuture.failedFuture(isSilent()));
  }

  private static WeftException isSilent() {
    return new WeftException(ErrorCode.UNAVAILABLE, "it is silent");
  }
}
