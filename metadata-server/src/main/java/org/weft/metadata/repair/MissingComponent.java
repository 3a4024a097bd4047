package org.weft.metadata.repair;

import java.util.Objects;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * A component that its file's map calls missing.
 *
 * @param osd where it was
 * @param component its index in the map
 */
public record MissingComponent(ObjectId object, OsdId osd, int component) {
  public MissingComponent {
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(osd, "osd");
    if (component < 0) {
      throw new IllegalArgumentException("no component has index " + component);
    }
  }
}
