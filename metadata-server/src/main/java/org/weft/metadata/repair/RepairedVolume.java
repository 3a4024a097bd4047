package org.weft.metadata.repair;

import java.util.Collections;
import java.util.List;
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
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.recovery.rebuild.RebuildOutcome;

/**
 * What repair asks of its volume. Called on the volume's thread, where everything completes, with
 * an {@link org.weft.protocol.error.WeftException} if it fails.
 */
public interface RepairedVolume {
  /** OSDs that count as lost for good now, or are drained, and may have something of the volume. */
  OsdsToEmpty toEmpty();

  /**
   * Notes durably that no map names these OSDs, as far as they are removed or drained still, and
   * forgets what it knows of OSDs that needs no remembering. Completes once durable.
   *
   * @param cleared each with the number of the drain of which that was found, or {@link
   *     OsdsToEmpty#NO_DRAIN}; of another drain nothing is noted
   */
  CompletableFuture<Void> noteCleared(SortedMap<OsdId, Long> cleared);

  /** An operator wants nothing to be begun now; what is under way may end. */
  boolean isPaused();

  /** OSDs that answer managers now. */
  SortedSet<OsdId> serving();

  /** OSDs of the volume's BladeSet that are neither lost nor removed, whatever their state. */
  SortedSet<OsdId> expected();

  /** OSDs of the volume's BladeSet that are not removed: also those that are down for long. */
  SortedSet<OsdId> remaining();

  /** Which OSDs can be used, as the newest table has it. */
  OsdsThere there();

  /**
   * OSDs of the volume's BladeSet.
   *
   * @param up serve clients, each in that start
   * @param down were given up by SysMgr
   * @param removed from the cluster, of any BladeSet
   */
  record OsdsThere(SortedMap<OsdId, Long> up, SortedSet<OsdId> down, SortedSet<OsdId> removed) {
    public OsdsThere {
      up = Collections.unmodifiableSortedMap(new TreeMap<>(up));
      down = Collections.unmodifiableSortedSet(new TreeSet<>(down));
      removed = Collections.unmodifiableSortedSet(new TreeSet<>(removed));
    }
  }

  /**
   * Files with components that the map calls missing and that can be rebuilt, in the order of
   * objects.
   *
   * @param after behind this one
   * @param max at most so many
   */
  List<ObjectId> missing(ObjectId after, int max);

  /**
   * How many files may be written anew at a time now: more than one manager does, where others
   * help.
   */
  int filesAtOnce();

  /** True if the manager itself may write one more anew. */
  boolean hasTurn();

  /** Managers that write components of the volume anew now, its primary included. */
  int managers();

  /** What the journal says is being written anew. */
  List<Rebuild> begun();

  /** The same of one file. */
  Optional<Rebuild> begun(ObjectId object);

  /**
   * Moves copies, or begins with one component: then it is among what {@link #begun(ObjectId) has
   * begun}. Completes once durable, with the file as it is then; empty if there is nothing to do.
   * Fails with {@link org.weft.metadata.help.NoRoom} if this manager alone may write it, and has no
   * {@linkplain #hasTurn turn}.
   */
  CompletableFuture<Optional<Attributes>> begin(
      ObjectId object, SortedSet<OsdId> lost, Set<OsdId> avoided);

  /**
   * Writes the component; durable on its OSD when it completes.
   *
   * @param written hears of bytes that were written, on any thread
   */
  CompletableFuture<RebuildOutcome> write(
      Rebuild rebuild, Attributes file, SortedSet<OsdId> lost, LongConsumer written);

  /** The component is in the map from now on; completes once durable. */
  CompletableFuture<Void> finish(Rebuild rebuild, RebuildOutcome outcome);

  /** The component is removed where it was written; completes once durable. */
  CompletableFuture<Void> abandon(Rebuild rebuild);

  /** Completes when all attributes that are journalled now are on OSDs. */
  CompletionStage<Void> flushed();

  /**
   * Files that one OSD knows of with something to repair, behind an object. Fails if the OSD does
   * not answer.
   *
   * @param wanted OSDs that are looked for
   */
  CompletionStage<Page> list(OsdId osd, ObjectId after, OsdsToEmpty wanted);

  /**
   * A part of what an OSD has.
   *
   * @param found with something to repair
   * @param last object that was looked at
   * @param more objects follow
   * @param trouble why some objects up to there could not be looked at, so that this is to be asked
   *     for again; empty: all were
   */
  record Page(List<Attributes> found, ObjectId last, boolean more, Optional<String> trouble) {
    public Page {
      found = List.copyOf(found);
    }
  }
}
