package org.weft.metadata.objects.cache;

import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.weft.metadata.journal.LiveEffect.LaggingAdded;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.metadata.objects.CopyWrite;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * One object's part in a flush: what each of its copies gets, and how far that is. Single-threaded.
 */
public final class FlushItem {
  /** In the order in which the kinds leave (P 6.3). */
  public enum Phase {
    ATTRIBUTES,
    DIRECTORIES,
    REMOVALS
  }

  private final Phase phase;
  private final ObjectId object;
  private final Lsn removalLsn;
  private final SortedMap<OsdId, CopyWrite> writes;
  private final SortedMap<OsdId, Long> pendingCheckpoints = new TreeMap<>();
  private final SortedSet<OsdId> left;
  private final List<OsdId> mustLag;

  /**
   * @param removalLsn {@link Lsn#ZERO} if it is no removal
   * @param mustLag copies that get nothing now and must be said to lag
   */
  FlushItem(
      Phase phase,
      ObjectId object,
      Lsn removalLsn,
      SortedMap<OsdId, CopyWrite> writes,
      List<OsdId> mustLag) {
    this.phase = phase;
    this.object = object;
    this.removalLsn = removalLsn;
    this.writes = writes;
    this.left = new TreeSet<>(writes.keySet());
    this.mustLag = List.copyOf(mustLag);
  }

  /** When it leaves. */
  public Phase phase() {
    return phase;
  }

  /** Whose copies these are. */
  public ObjectId object() {
    return object;
  }

  /** OSDs that are given something. */
  public SortedSet<OsdId> targets() {
    return new TreeSet<>(writes.keySet());
  }

  /** Copies that get nothing now and must be said to lag. */
  public List<OsdId> mustLag() {
    return mustLag;
  }

  /** What the OSD is given; null if it is none of the {@link #targets}. */
  public CopyWrite writeFor(OsdId osd) {
    return writes.get(osd);
  }

  /**
   * The copy took it.
   *
   * @param pendingCheckpoint of its OSD, which makes it durable there
   */
  public void taken(OsdId osd, long pendingCheckpoint) {
    left.remove(osd);
    pendingCheckpoints.put(osd, pendingCheckpoint);
  }

  /** The copy lags: nothing is expected of it any more. */
  public void givenUp(OsdId osd) {
    left.remove(osd);
    pendingCheckpoints.remove(osd);
  }

  /** The copy took it, and may still lose it: the checkpoint that it waits for. */
  public SortedMap<OsdId, Long> pendingCheckpoints() {
    return pendingCheckpoints;
  }

  /**
   * Some other copy that can be relied on has taken it, so that this one may be left behind: one at
   * least must not lag. Removals need none.
   */
  public boolean mayLag(OsdId osd, Predicate<OsdId> isReliable) {
    return phase == Phase.REMOVALS
        || pendingCheckpoints.keySet().stream()
            .anyMatch(other -> !other.equals(osd) && isReliable.test(other));
  }

  /** What a record says of a copy that is left behind. */
  public LaggingAdded laggingOn(OsdId osd) {
    LaggingKind kind = phase == Phase.REMOVALS ? LaggingKind.REMOVE : LaggingKind.REFRESH;
    return new LaggingAdded(osd, object, kind, removalLsn);
  }
}
