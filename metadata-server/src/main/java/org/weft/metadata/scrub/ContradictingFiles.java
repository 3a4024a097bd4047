package org.weft.metadata.scrub;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.check.CheckedVolume;
import org.weft.metadata.check.NodeState;
import org.weft.metadata.journal.LiveEffect.FileDamaged;
import org.weft.metadata.journal.ScrubEffect.Contradicted;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;

/**
 * Files whose parity and data contradict each other (P 6.8f). The journal names them. They are
 * looked at again once they have changed, so that a file that was written anew is named no longer.
 * On the volume's thread.
 */
final class ContradictingFiles {
  private static final Logger LOG = LoggerFactory.getLogger(ContradictingFiles.class);
  private static final int MAX_NAMED = 1_000;
  private static final int MAX_LOOKED_AT = 200;
  private static final int MAX_WORDS = 20;
  private static final int MAX_PLACES = 3;

  private final CheckedVolume volume;
  private final ScrubJournal journal;
  private final LongSupplier clockMillis;
  private final Map<ObjectId, Lsn> seen = new HashMap<>();
  private final Deque<ObjectId> changed = new ArrayDeque<>();
  private ObjectId lookedUpTo = new ObjectId(0);

  ContradictingFiles(CheckedVolume volume, ScrubJournal journal, LongSupplier clockMillis) {
    this.volume = volume;
    this.journal = journal;
    this.clockMillis = clockMillis;
  }

  /** Finds out which have changed since they were looked at: some, and the others the next time. */
  CompletionStage<Void> findChanged() {
    List<ObjectId> some = new ArrayList<>();
    for (ObjectId object : journal.contradicted().tailMap(lookedUpTo).keySet()) {
      if (some.size() < MAX_LOOKED_AT && !object.equals(lookedUpTo)) {
        some.add(object);
      }
    }
    lookedUpTo = some.isEmpty() ? new ObjectId(0) : some.get(some.size() - 1);
    seen.keySet().retainAll(journal.contradicted().keySet());
    return some.isEmpty()
        ? CompletableFuture.completedStage(null)
        : volume
            .nodes(some, Map.of())
            .thenAccept(states -> states.values().forEach(this::findChanged));
  }

  private void findChanged(NodeState state) {
    boolean hasChanged =
        state
            .attributes()
            .filter(file -> !file.changeLsn().equals(seen.get(state.object())))
            .isPresent();
    if (hasChanged && !state.live().busy() && !changed.contains(state.object())) {
      changed.add(state.object());
    }
  }

  /** The next one that has changed. */
  Optional<FileScrub> poll() {
    ObjectId object = changed.poll();
    return object == null
        ? Optional.empty()
        : Optional.of(new FileScrub(object, FileScrub.Cause.NAMED, 0, Optional.empty()));
  }

  /** It has nothing any more that could contradict itself. */
  CompletionStage<Void> nothingToCompare(FileScrub file) {
    return journal.contradicted().containsKey(file.object())
        ? over(file.object())
        : CompletableFuture.completedStage(null);
  }

  private CompletionStage<Void> over(ObjectId object) {
    LOG.info("parity and data of object {} do not contradict each other any more", object);
    return journal.record(List.of(Contradicted.over(object)));
  }

  /**
   * How far a file was scrubbed.
   *
   * <p>{@code PIECE}: more of it comes next. {@code LEFT}: the rest comes another time. Findings
   * are forgotten if they are not noted now. {@code END}: that was the last of it.
   */
  enum Reach {
    PIECE,
    LEFT,
    END
  }

  /** Names it, or does not any longer. */
  CompletionStage<Void> note(FileScrub file, Reach reach) {
    Contradicted known = journal.contradicted().get(file.object());
    boolean isAll = reach == Reach.END && file.isFromTheBeginning();
    if (file.units() == 0) {
      return known != null && isAll ? over(file.object()) : same();
    }
    if (known == null || isAll) {
      seen.put(file.object(), file.seen());
    }
    if (known == null && journal.contradicted().size() >= MAX_NAMED) {
      LOG.warn(
          "parity and data of object {} contradict each other, too; it is named when others are in order",
          file.object());
      return same();
    }
    // What was named before stands until all of it was looked at again.
    boolean isNews =
        known == null
            || reach != Reach.PIECE
                && (known.units() != file.units() || !known.inDoubt().equals(file.inDoubt()));
    return isNews ? name(file, isAll, Optional.ofNullable(known)) : same();
  }

  private static CompletionStage<Void> same() {
    return CompletableFuture.completedStage(null);
  }

  private CompletionStage<Void> name(FileScrub file, boolean isAll, Optional<Contradicted> known) {
    boolean replaces = isAll || known.isEmpty();
    long units = replaces ? file.units() : joined(known.get(), file);
    ByteRanges inDoubt = replaces ? file.inDoubt() : joined(known.get().inDoubt(), file.inDoubt());
    boolean isSame =
        known.isPresent() && units == known.get().units() && inDoubt.equals(known.get().inDoubt());
    if (isSame) {
      return same();
    }
    long since = known.map(Contradicted::sinceMillis).orElseGet(clockMillis::getAsLong);
    return volume
        .path(file.object())
        .exceptionally(failure -> "")
        .thenCompose(
            path -> {
              String what = words(path.isEmpty() ? file.name() : path, file, units, inDoubt);
              LOG.warn("{}", what);
              return journal.record(
                  List.of(new Contradicted(file.object(), since, units, inDoubt, what)));
            });
  }

  /** Units of other stripes come on top; of the same ones they may be the same. */
  private static long joined(Contradicted known, FileScrub file) {
    boolean isOfOthers =
        known.inDoubt().list().stream()
            .allMatch(
                one ->
                    file.inDoubt().list().stream()
                        .allMatch(other -> one.to() <= other.from() || other.to() <= one.from()));
    return isOfOthers ? known.units() + file.units() : Math.max(known.units(), file.units());
  }

  private static ByteRanges joined(ByteRanges one, ByteRanges other) {
    ByteRanges both = one.plus(other);
    return both.size() > FileDamaged.MAX_GONE ? other : both;
  }

  private static String words(String path, FileScrub file, long units, ByteRanges inDoubt) {
    StringBuilder places = new StringBuilder();
    for (ByteRange range : inDoubt.list().stream().limit(MAX_PLACES).toList()) {
      places.append(places.length() == 0 ? "" : ", ");
      places.append("%,d up to %,d".formatted(range.from(), range.to()));
    }
    int more = inDoubt.size() - MAX_PLACES;
    return "%s, object %s: parity and data contradict each other in %,d units, though all can be read, in bytes %s%s; nothing says which are wrong: compare the file with a copy, and write it anew"
        .formatted(path, file.object(), units, places, more > 0 ? " and " + more + " places" : "");
  }

  /** Sentences on some of them. */
  List<String> words() {
    return journal.contradicted().values().stream()
        .limit(MAX_WORDS)
        .map(Contradicted::what)
        .toList();
  }
}
