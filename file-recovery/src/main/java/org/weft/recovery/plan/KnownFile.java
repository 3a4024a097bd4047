package org.weft.recovery.plan;

import java.util.Collections;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/**
 * What is known of a file whose writers have been shut out. It is what the manager published, and
 * what the components say that its map calls present.
 *
 * @param states of all components that exist; a component that is neither in it nor missing has
 *     been asked and does not exist
 * @param oldestGrant of those to be resolved: everything of older ones is complete
 * @param publishedBytes length that was published, 0 if none
 * @param publishedTruncation how often the file had been cut by then
 * @param suspects components whose OSD lost its power while the file was written. There are more of
 *     them than the code bears, so they are taken as present (P 5.9)
 */
public record KnownFile(
    StorageMap map,
    SortedMap<Integer, ComponentState> states,
    long oldestGrant,
    long publishedBytes,
    int publishedTruncation,
    SortedSet<Integer> suspects) {
  public KnownFile {
    Objects.requireNonNull(map, "map");
    states = Collections.unmodifiableSortedMap(new TreeMap<>(states));
    suspects = Collections.unmodifiableSortedSet(new TreeSet<>(suspects));
  }

  /** Without suspects. */
  public KnownFile(
      StorageMap map,
      SortedMap<Integer, ComponentState> states,
      long oldestGrant,
      long publishedBytes,
      int publishedTruncation) {
    this(
        map,
        states,
        oldestGrant,
        publishedBytes,
        publishedTruncation,
        Collections.emptySortedSet());
  }

  public Layout layout() {
    return map.layout();
  }

  boolean isMissing(int component) {
    return map.isMissing(component);
  }

  /** Called present by the map, of an OSD that may have lost what it took last. */
  boolean isSuspect(int component) {
    return !isMissing(component) && suspects.contains(component);
  }

  /**
   * Absent, or there without ever having heard of the file, which is the same to a reader. A
   * manager makes such a component for attributes alone, or to shut a writer out.
   */
  boolean isNothing(int component) {
    ComponentState state = states.get(component);
    return state == null || state.isBlank();
  }

  /** Everything of smaller grants is complete: as the manager says, or any component. */
  long completeBelow() {
    return states.values().stream()
        .map(ComponentState::resolvedBelow)
        .reduce(oldestGrant, (a, b) -> Long.compareUnsigned(a, b) >= 0 ? a : b);
  }

  /** The newest truncation that the manager or any component has heard of. */
  public int truncationNumber() {
    return states.values().stream()
        .mapToInt(ComponentState::truncationNumber)
        .reduce(publishedTruncation, Math::max);
  }

  /**
   * Length of the file: the largest that was published or that any component knows since the newest
   * truncation (P 4.3).
   */
  public long eofBytes() {
    return eofBytes(truncationNumber());
  }

  /** The same as it was known since a truncation, which may not be the newest. */
  public long eofBytes(int truncation) {
    return states.values().stream()
        .filter(state -> state.truncationNumber() == truncation)
        .mapToLong(ComponentState::eofBytes)
        .reduce(truncation < publishedTruncation ? 0 : publishedBytes, Math::max);
  }

  /**
   * The newest truncation that every component must have made. It is over, or a component knows of
   * it, for it hears of that only once the file is as it must be (P 4.3).
   *
   * @param trimming the newest that was published is not over
   */
  public int cutsMade(boolean trimming) {
    return states.values().stream()
        .mapToInt(ComponentState::truncationNumber)
        .reduce(trimming ? 0 : publishedTruncation, Math::max);
  }

  /**
   * True if nothing was ever acknowledged behind the first unit, or nothing of it is left. A
   * component that knew of it would say so, and m + 1 components did know. Then all units but the
   * first are zeros (P 4.2).
   */
  public boolean isSmall() {
    return layout().isSmall(publishedBytes)
        && states.values().stream().allMatch(state -> layout().isSmall(state.eofBytes()));
  }

  /** True if all that the component has is known to be zeros, whether it exists or not. */
  public boolean isZeros(int component) {
    return !isMissing(component) && isNothing(component)
        || component > layout().parityUnits() && isSmall();
  }

  /** True if a file of that length has the component (P 4.2). */
  public boolean mustExist(int component, long fileBytes) {
    if (layout().isSmall(fileBytes)) {
      return fileBytes > 0 && component <= layout().parityUnits();
    }
    return component < layout().groupsTouched(fileBytes) * layout().width();
  }
}
