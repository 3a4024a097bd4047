package org.weft.client.stripe.base;

import java.util.Collections;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.client.osd.OsdTarget;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/**
 * A file as its components are reached.
 *
 * @param name of every component
 * @param map where they are; those it calls missing are neither read nor written
 * @param capability the right to do what will be done
 * @param starts incarnations of OSDs that alone are meant, by component; of others any
 */
public record StripedFile(
    ObjectName name, StorageMap map, SignedCapability capability, SortedMap<Integer, Long> starts) {
  public StripedFile {
    starts = Collections.unmodifiableSortedMap(new TreeMap<>(starts));
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(map, "map");
    Objects.requireNonNull(capability, "capability");
  }

  /** On whatever starts of the OSDs there are. */
  public StripedFile(ObjectName name, StorageMap map, SignedCapability capability) {
    this(name, map, capability, Collections.emptySortedMap());
  }

  /** The same file by another capability. */
  public StripedFile by(SignedCapability other) {
    return new StripedFile(name, map, other, starts);
  }

  public Layout layout() {
    return map.layout();
  }

  public OsdTarget target(int component, int timeoutMillis) {
    Long start = starts.get(component);
    return new OsdTarget(
        map.osdOf(component),
        capability,
        timeoutMillis,
        start == null ? OptionalLong.empty() : OptionalLong.of(start));
  }

  /** For messages: "component 3 on OSD 7". */
  public String describe(int component) {
    return "component " + component + " on OSD " + map.osdOf(component);
  }
}
