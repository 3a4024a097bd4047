package org.weft.client.stripe;

import java.util.Objects;
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
 */
public record StripedFile(ObjectName name, StorageMap map, SignedCapability capability) {
  public StripedFile {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(map, "map");
    Objects.requireNonNull(capability, "capability");
  }

  Layout layout() {
    return map.layout();
  }

  OsdTarget target(int component, int timeoutMillis) {
    return new OsdTarget(map.osdOf(component), capability, timeoutMillis);
  }

  /** For messages: "component 3 on OSD 7". */
  String describe(int component) {
    return "component " + component + " on OSD " + map.osdOf(component);
  }
}
