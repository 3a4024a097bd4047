package org.weft.protocol.layout;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.ComponentTag;
import org.weft.protocol.wire.StorageMapMessage;

/**
 * The ordered list of OSDs of a file's components, and which of them are missing. It is the only
 * description of where a file lives.
 *
 * @param components the OSD of each component, group after group
 * @param generation grows with every change of the map
 * @param missing components that must not be read until they are readmitted or rebuilt (P 5.8)
 * @param attributeOsds OSDs of attribute-only objects, where there are fewer components than
 *     metaCopies; none of them holds a component. Beside these one whose component is missing, if
 *     it has to keep the attributes because no other OSD has any. Of a directory: an OSD that gets
 *     a copy in the place of one that is about to leave
 */
public record StorageMap(
    Layout layout,
    List<OsdId> components,
    int generation,
    SortedSet<Integer> missing,
    List<OsdId> attributeOsds) {
  /** Up to so many are sooner compared one by one than put into a set. */
  private static final int MAX_COMPARED = 16;

  public StorageMap {
    components = List.copyOf(components);
    attributeOsds = List.copyOf(attributeOsds);
    // Maps are made with every opening and every entry of a listing: most miss nothing.
    missing =
        missing.isEmpty()
            ? Collections.emptySortedSet()
            : Collections.unmodifiableSortedSet(new TreeSet<>(missing));
    if (components.size() != layout.componentCount()) {
      throw new IllegalArgumentException(
          "a map of "
              + layout
              + " needs "
              + layout.componentCount()
              + " components, got "
              + components.size());
    }
    // All components carry one object name: two of them on one OSD would be one object.
    if (!areDistinct(components)) {
      throw new IllegalArgumentException("an OSD stands twice in a file's map: " + components);
    }
    for (int index : missing) {
      if (index < 0 || index >= components.size()) {
        throw new IllegalArgumentException("no component " + index + " of " + components.size());
      }
    }
    if (!attributeOsds.isEmpty()) {
      requireElsewhere(components, missing, attributeOsds);
    }
  }

  private static void requireElsewhere(
      List<OsdId> components, SortedSet<Integer> missing, List<OsdId> attributeOsds) {
    Set<OsdId> all = new HashSet<>(components);
    missing.stream().map(components::get).forEach(all::remove);
    for (OsdId osd : attributeOsds) {
      if (!all.add(osd)) {
        throw new IllegalArgumentException(
            "OSD " + osd + " of an attribute-only object stands elsewhere in a file's map too");
      }
    }
  }

  private static boolean areDistinct(List<OsdId> osds) {
    if (osds.size() > MAX_COMPARED) {
      return new HashSet<>(osds).size() == osds.size();
    }
    for (int index = 1; index < osds.size(); index++) {
      int osd = osds.get(index).value();
      for (int before = 0; before < index; before++) {
        if (osds.get(before).value() == osd) {
          return false;
        }
      }
    }
    return true;
  }

  public static StorageMap of(Layout layout, List<OsdId> components) {
    return new StorageMap(layout, components, 1, new TreeSet<>(), List.of());
  }

  public OsdId osdOf(int component) {
    return components.get(component);
  }

  public boolean isMissing(int component) {
    return missing.contains(component);
  }

  /** Components that are not missing, on any of these OSDs. */
  public SortedSet<Integer> presentOn(Set<OsdId> osds) {
    SortedSet<Integer> present = new TreeSet<>();
    for (int component = 0; component < components.size(); component++) {
      if (!isMissing(component) && osds.contains(osdOf(component))) {
        present.add(component);
      }
    }
    return present;
  }

  /**
   * True if the code makes up for the loss of all of these components.
   *
   * @param lost those that are missing included, if they count
   */
  public boolean bears(SortedSet<Integer> lost) {
    return lost.stream().allMatch(component -> bearsInGroupOf(component, lost));
  }

  /** The same of those that are in the group of one component. */
  public boolean bearsInGroupOf(int component, SortedSet<Integer> lost) {
    int first = component / layout.width() * layout.width();
    return lost.subSet(first, first + layout.width()).size() <= layout.parityUnits();
  }

  /**
   * OSDs that hold the file's attributes: the first components, then the attribute-only ones (P
   * 4.4).
   */
  public List<OsdId> attributeHolders(int metaCopies) {
    List<OsdId> holders = new ArrayList<>(components.subList(0, attributeComponents(metaCopies)));
    attributeOsds.stream().filter(osd -> !components.contains(osd)).forEach(holders::add);
    return List.copyOf(holders);
  }

  /** The component is missing, and its OSD has the file's attributes all the same. */
  public boolean keepsAttributes(int component) {
    return isMissing(component) && attributeOsds.contains(osdOf(component));
  }

  /**
   * How many components hold the file's attributes, from the first on: all of them in the first
   * group, however many groups follow.
   */
  public int attributeComponents(int metaCopies) {
    return Math.min(metaCopies, layout.width());
  }

  /**
   * What component number {@code index} carries of this map (P 4.4). An attribute-only object has
   * the index of its place behind the components.
   */
  public ComponentTag tag(int index) {
    return ComponentTag.newBuilder()
        .setMapGeneration(generation)
        .setComponentIndex(index)
        .setDataUnits(layout.dataUnits())
        .setParityUnits(layout.parityUnits())
        .setUnitBytes(layout.unitBytes())
        .setGroups(layout.groups())
        .setGroupDepth(layout.groupDepth())
        .build();
  }

  public StorageMapMessage toMessage() {
    StorageMapMessage.Builder message =
        StorageMapMessage.newBuilder().setLayout(layout.toMessage()).setGeneration(generation);
    components.forEach(osd -> message.addOsd(osd.value()));
    missing.forEach(message::addMissing);
    attributeOsds.forEach(osd -> message.addAttributeOsd(osd.value()));
    return message.build();
  }

  /** Reads a map; one that breaks a rule is an {@link IllegalArgumentException}. */
  public static StorageMap fromMessage(StorageMapMessage message) {
    return new StorageMap(
        Layout.fromMessage(message.getLayout()),
        osds(message.getOsdList()),
        message.getGeneration(),
        message.getMissingCount() == 0
            ? Collections.emptySortedSet()
            : new TreeSet<>(message.getMissingList()),
        osds(message.getAttributeOsdList()));
  }

  private static List<OsdId> osds(List<Integer> numbers) {
    if (numbers.isEmpty()) {
      return List.of();
    }
    List<OsdId> osds = new ArrayList<>(numbers.size());
    for (int index = 0; index < numbers.size(); index++) {
      osds.add(new OsdId(numbers.get(index)));
    }
    return osds;
  }
}
