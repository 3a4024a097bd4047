package org.weft.metadata.objects.cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.journal.ObjectEffect.CreateDirectory;
import org.weft.metadata.journal.ObjectEffect.PutAttributes;
import org.weft.metadata.journal.ObjectEffect.RemoveObject;
import org.weft.metadata.objects.Loadable;
import org.weft.metadata.objects.Missing;
import org.weft.metadata.objects.Missing.MissingBlocks;
import org.weft.metadata.objects.Missing.Source;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.StorageMap;

/**
 * Redo of a journal's tail into an empty cache (P 6.3). It starts each directory from the replica
 * with the lowest LSN, and leaves alone what the tail itself removes later. The lagging copies are
 * as of the tail's end from the beginning. A copy that lags in the end may lack records that are
 * not in the tail, and one that does not has caught up. So are the maps of directories. A copy that
 * has moved since is gone, and the one that took its place may be the only one that does not lag.
 * Single-threaded.
 *
 * <pre>
 *   TailReplay replay = new TailReplay(cache, contents);
 *   Answer&lt;Boolean&gt; step = replay.run();     // Need: load, cache.loaded(...), run() again
 * </pre>
 */
public final class TailReplay {
  /** How often the same blocks may be missing before another replica is tried. */
  private static final int PATIENCE = 20;

  /** How many records are scanned ahead for objects that they will miss. */
  private static final int RECORDS_AHEAD = 4096;

  /** So much is loaded at once; a small cache keeps less. */
  private static final int MAX_AT_ONCE = 256;

  /**
   * What was not found together is looked for alone, and so is what the next records miss: twice as
   * many each time.
   */
  private static final int RECORDS_ALONE = 64;

  /** A record whose blocks push each other out of a small cache looks for them alone, too. */
  private static final int MAX_LOADS_OF_A_RECORD = 8;

  private final MetadataCache cache;
  private final List<JournalRecord> records;
  private final Map<ObjectId, Lsn> removals = new HashMap<>();
  private final Map<ObjectId, Integer> madeAt = new HashMap<>();
  private final Map<ObjectId, StorageMap> lastMaps = new HashMap<>();
  private final SortedMap<ObjectId, Integer> behind = new TreeMap<>();
  private List<Missing> lastMissing = List.of();
  private int attempts;
  private int next;
  private int aloneUntil;
  private int recordsAlone = RECORDS_ALONE;
  private int loadsOfRecord;
  private boolean ended;

  public TailReplay(MetadataCache cache, JournalContents contents) {
    this.cache = cache;
    this.records = contents.records();
    List<LiveEffect> live = new ArrayList<>(contents.liveState());
    for (int at = 0; at < records.size(); at++) {
      JournalRecord record = records.get(at);
      for (Effect effect : record.effects()) {
        if (effect instanceof LiveEffect one) {
          live.add(one);
        } else if (effect instanceof CreateDirectory made) {
          madeAt.put(made.object(), at);
        } else if (effect instanceof RemoveObject removal) {
          removals.put(removal.object(), record.lsn());
        } else if (effect instanceof PutAttributes put && isDirectory(put)) {
          lastMaps.put(put.object(), put.attributes().map());
        }
      }
    }
    cache.beginReplay(live);
  }

  /**
   * Goes on from where it stopped. Ready(true): the whole tail is applied. Ready(false): too much
   * waits to be flushed, go on a little later. Need: load, then go on, also if loading failed.
   */
  public Loadable<Boolean> run() {
    while (next < records.size() || !behind.isEmpty()) {
      if (!cache.directoriesHaveRoom()) {
        return Loadable.ready(false);
      }
      Loadable<Lsn> applied = behind.isEmpty() ? redoNext() : redoBehind();
      if (!applied.isReady() && !startOver(applied.missing())) {
        return Loadable.need(withForeseen(applied.missing()));
      }
    }
    if (!ended) {
      ended = true;
      cache.endReplay();
    }
    return Loadable.ready(true);
  }

  /** INTERNAL: what {@link #run} threw says that the tail was written over other objects. */
  public static WeftException unfit(RuntimeException thrown) {
    return new WeftException(
        ErrorCode.INTERNAL,
        "the journal's tail does not fit what the OSDs hold: " + thrown,
        thrown);
  }

  private Loadable<Lsn> redoNext() {
    JournalRecord record = records.get(next);
    return cache
        .apply(stillNeeded(record))
        .map(
            lsn -> {
              cache.replayed(lsn);
              next++;
              loadsOfRecord = 0;
              return lsn;
            });
  }

  /** One more record for a directory that has started over. */
  private Loadable<Lsn> redoBehind() {
    ObjectId directory = behind.firstKey();
    int at = behind.get(directory);
    if (at == next) {
      behind.remove(directory);
      cache.caughtUp(directory);
      return Loadable.ready(Lsn.ZERO);
    }
    List<Effect> own = new ArrayList<>();
    for (Effect effect : stillNeeded(records.get(at)).effects()) {
      if (effect instanceof ObjectEffect object
          && object.object().equals(directory)
          && !(effect instanceof PutAttributes)
          && !(effect instanceof RemoveObject)) {
        own.add(effect);
      }
    }
    return cache
        .apply(new JournalRecord(records.get(at).lsn(), own))
        .map(
            lsn -> {
              behind.put(directory, at + 1);
              return lsn;
            });
  }

  /**
   * True if a directory must start over, from another replica. Then the replicas that its redo
   * started from lag now, or have not given their blocks for too long.
   */
  private boolean startOver(List<Missing> missing) {
    attempts = missing.equals(lastMissing) ? attempts + 1 : 0;
    lastMissing = missing;
    // A directory may be missed more than once, and a second start would take back the first.
    SortedSet<ObjectId> anew = new TreeSet<>();
    for (Missing each : missing) {
      if (each instanceof MissingBlocks blocks
          && blocks.source() == Source.ANY
          && (blocks.replicas().isEmpty() || attempts >= PATIENCE)) {
        anew.add(blocks.object());
      }
    }
    for (ObjectId directory : anew) {
      cache.startOver(directory);
      behind.put(directory, 0);
    }
    return !anew.isEmpty();
  }

  /**
   * Also what the records behind will miss: one load for many. It may be what cannot be loaded now,
   * and must not keep back what is needed first.
   */
  private List<Missing> withForeseen(List<Missing> missing) {
    loadsOfRecord++;
    if ((attempts > 0 || loadsOfRecord > MAX_LOADS_OF_A_RECORD) && next >= aloneUntil) {
      aloneUntil = next + recordsAlone;
      recordsAlone = Math.min(RECORDS_AHEAD, 2 * recordsAlone);
    }
    if (next < aloneUntil || !behind.isEmpty()) {
      return missing;
    }
    MissingTogether together = new MissingTogether(missing);
    int most = Math.min(MAX_AT_ONCE, cache.blocksAtOnce());
    int end = Math.min(records.size(), next + RECORDS_AHEAD);
    for (int at = next + 1; at < end && together.size() < most; at++) {
      together.addLater(cache.foreseen(ofWhatIsThere(stillNeeded(records.get(at)))));
    }
    return together.all();
  }

  /** Leaves out effects on a directory that redo has yet to make: no OSD may know it. */
  private List<Effect> ofWhatIsThere(JournalRecord record) {
    List<Effect> effects = new ArrayList<>();
    for (Effect effect : record.effects()) {
      boolean isToBeMade =
          effect instanceof ObjectEffect object && madeAt.getOrDefault(object.object(), -1) >= next;
      if (!isToBeMade) {
        effects.add(effect);
      }
    }
    return effects;
  }

  private JournalRecord stillNeeded(JournalRecord record) {
    List<Effect> needed = new ArrayList<>();
    for (Effect effect : record.effects()) {
      boolean lags =
          effect instanceof LiveEffect.LaggingAdded || effect instanceof LiveEffect.LaggingCleared;
      if (!lags && !isRemovedLater(effect)) {
        needed.add(effect instanceof PutAttributes put ? withLastMap(put) : effect);
      }
    }
    return new JournalRecord(record.lsn(), needed);
  }

  /**
   * A directory is read from, and flushed to, where it is in the end. Copies that do not lag there
   * have all that is not in the tail. A file's blocks are not read, and its map may stay as it was.
   */
  private PutAttributes withLastMap(PutAttributes put) {
    StorageMap last = lastMaps.get(put.object());
    return last == null || last.equals(put.attributes().map())
        ? put
        : new PutAttributes(put.attributes().edit().map(last).build());
  }

  private static boolean isDirectory(PutAttributes put) {
    return put.attributes().kind() == NodeKind.DIRECTORY;
  }

  private boolean isRemovedLater(Effect effect) {
    return effect instanceof ObjectEffect object
        && !(effect instanceof RemoveObject)
        && removals.containsKey(object.object());
  }
}
