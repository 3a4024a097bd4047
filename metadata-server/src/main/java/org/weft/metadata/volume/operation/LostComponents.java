package org.weft.metadata.volume.operation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.metadata.volume.execution.Execution;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/**
 * Marks components missing, in the draft of one execution (P 5.8). It makes the next generation of
 * the map, and an entry of the repair queue for each. What is left of a component on its OSD is
 * neither read nor kept, whenever that OSD comes back. The attributes of the file that lie beside
 * it are out of date from now on, for nothing is flushed to a missing component. Grants that are no
 * longer written under move to the new map.
 */
public final class LostComponents {
  private final Execution on;

  public LostComponents(Execution on) {
    this.on = on;
  }

  /**
   * The file without these components, which its map calls present.
   *
   * @throws WeftException TOO_MANY_LOST if the code does not bear it, UNAVAILABLE if none of the
   *     copies of the file's attributes that stay is up to date. Then nothing is drafted
   */
  public Attributes mark(Attributes file, Collection<Integer> components) throws WeftException {
    TreeSet<Integer> missing = new TreeSet<>(file.map().missing());
    missing.addAll(components);
    requireBearable(file, missing);
    requireAttributes(file, missing);
    return markAnyway(file, components, file.map().attributeOsds());
  }

  /**
   * A copy that lags is caught up from the others. With the last copy that does not lag the
   * attributes would be gone, however many copies are left.
   */
  private void requireAttributes(Attributes file, TreeSet<Integer> missing) throws WeftException {
    SortedSet<OsdId> lagging = on.view().laggingOn(file.object());
    SortedSet<OsdId> left = attributeHolders(file.map(), missing);
    if (!left.isEmpty() && lagging.containsAll(left)) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "the attributes of object "
              + file.object()
              + " are out of date on OSDs "
              + left
              + ", and would be nowhere else; bring one of these back, then it goes on by itself");
    }
  }

  private SortedSet<OsdId> attributeHolders(StorageMap map, Set<Integer> missing) {
    SortedSet<OsdId> holders = new TreeSet<>(map.attributeOsds());
    for (int at = 0; at < map.attributeComponents(on.settings().metaCopies()); at++) {
      if (!missing.contains(at)) {
        holders.add(map.osdOf(at));
      }
    }
    return holders;
  }

  /**
   * As the other one, of components of which nothing is left: no matter what the code bears. What
   * cannot be rebuilt does not wait for it. One object with the file's attributes stays in any
   * case, since else the file could not even be removed. Of the file's bytes nothing is read there.
   */
  public Attributes markGone(Attributes file, Collection<Integer> components) {
    StorageMap map = file.map();
    TreeSet<Integer> missing = new TreeSet<>(map.missing());
    missing.addAll(components);
    List<OsdId> attributeOsds = new ArrayList<>(map.attributeOsds());
    if (attributeHolders(map, missing).isEmpty()) {
      attributeOsds.add(keeper(file, new TreeSet<>(components)));
    }
    return markAnyway(file, components, attributeOsds);
  }

  /** One whose copy of the attributes does not lag, if there is one. */
  private OsdId keeper(Attributes file, SortedSet<Integer> gone) {
    SortedSet<OsdId> lagging = on.view().laggingOn(file.object());
    List<OsdId> holders =
        gone.headSet(file.map().attributeComponents(on.settings().metaCopies())).stream()
            .map(file.map()::osdOf)
            .toList();
    return holders.stream()
        .filter(osd -> !lagging.contains(osd))
        .findFirst()
        .orElseGet(() -> holders.get(0));
  }

  private Attributes markAnyway(
      Attributes file, Collection<Integer> components, List<OsdId> attributeOsds) {
    StorageMap map = file.map();
    TreeSet<Integer> missing = new TreeSet<>(map.missing());
    missing.addAll(components);
    StorageMap next =
        new StorageMap(
            map.layout(), map.components(), map.generation() + 1, missing, attributeOsds);
    for (int component : new TreeSet<>(components)) {
      OsdId osd = map.osdOf(component);
      if (map.bearsInGroupOf(component, missing)) {
        on.draft().add(new LiveEffect.RepairAdded(file.object(), osd, component));
      }
      if (!next.keepsAttributes(component)) {
        on.draft()
            .add(
                new LiveEffect.LaggingAdded(
                    osd, file.object(), LaggingKind.REMOVE, on.draft().lsn()));
      }
    }
    for (WriteGrant grant : on.grants().of(file.object())) {
      if (grant.state() != WriteGrant.State.HELD) {
        on.draft().add(new LiveEffect.GrantMoved(grant.number(), file.object(), next));
      }
    }
    return on.draft().put(file.edit().map(next).build());
  }

  private static void requireBearable(Attributes file, TreeSet<Integer> missing)
      throws WeftException {
    Layout layout = file.map().layout();
    for (int group = 0; group < layout.groups(); group++) {
      int first = group * layout.width();
      List<OsdId> lost = new ArrayList<>();
      for (int component : missing.subSet(first, first + layout.width())) {
        lost.add(file.map().osdOf(component));
      }
      if (lost.size() > layout.parityUnits()) {
        throw new WeftException(
            ErrorCode.TOO_MANY_LOST,
            "object "
                + file.object()
                + " would miss the components on OSDs "
                + lost
                + ", more than its parity units ("
                + layout.parityUnits()
                + "); bring OSDs back before it is written again");
      }
    }
  }
}
