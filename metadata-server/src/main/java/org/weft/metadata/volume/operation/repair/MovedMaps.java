package org.weft.metadata.volume.operation.repair;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/** Maps of the next generation, with something on another OSD. */
public final class MovedMaps {
  private MovedMaps() {}

  /** The component is there, on that OSD. */
  public static StorageMap component(StorageMap map, int component, OsdId target) {
    List<OsdId> components = new ArrayList<>(map.components());
    components.set(component, target);
    TreeSet<Integer> missing = new TreeSet<>(map.missing());
    missing.remove(component);
    List<OsdId> attributeOsds = new ArrayList<>(map.attributeOsds());
    if (map.keepsAttributes(component)) {
      attributeOsds.remove(map.osdOf(component));
    }
    return new StorageMap(map.layout(), components, map.generation() + 1, missing, attributeOsds);
  }

  /** Another OSD gets a copy of a directory, or of attributes, beside those that there are. */
  static StorageMap withCopy(StorageMap map, OsdId osd) {
    List<OsdId> attributeOsds = new ArrayList<>(map.attributeOsds());
    attributeOsds.add(osd);
    return new StorageMap(
        map.layout(), map.components(), map.generation() + 1, map.missing(), attributeOsds);
  }

  /** These OSDs have no copy any more. */
  static StorageMap withoutCopies(StorageMap map, Collection<OsdId> osds) {
    List<OsdId> attributeOsds = new ArrayList<>(map.attributeOsds());
    attributeOsds.removeAll(osds);
    return new StorageMap(
        map.layout(), map.components(), map.generation() + 1, map.missing(), attributeOsds);
  }

  /** The OSD that has a copy beside the components has it as a component from now on. */
  static StorageMap inherited(StorageMap map, int component, OsdId heir) {
    List<OsdId> components = new ArrayList<>(map.components());
    components.set(component, heir);
    List<OsdId> attributeOsds = new ArrayList<>(map.attributeOsds());
    attributeOsds.remove(heir);
    return new StorageMap(
        map.layout(), components, map.generation() + 1, map.missing(), attributeOsds);
  }

  /** The attribute-only object is on that OSD. */
  static StorageMap attributes(StorageMap map, OsdId from, OsdId target) {
    List<OsdId> attributeOsds = new ArrayList<>(map.attributeOsds());
    attributeOsds.set(attributeOsds.indexOf(from), target);
    return new StorageMap(
        map.layout(), map.components(), map.generation() + 1, map.missing(), attributeOsds);
  }
}
