package org.weft.simulator.end;

import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import org.weft.client.FileStatus;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.node.SimulatedOsd;

/**
 * Checks that damage of quiet files was rewritten in place, or that an operator is told of it (P
 * 6.8b).
 */
final class RottenFiles {
  private static final int MAX_COMPONENT_BYTES = 1 << 20;

  private final RawComponents components;
  private final Repairs repairs;
  private final LastLook look;
  private String difference = "";

  RottenFiles(RawComponents components, Repairs repairs, LastLook look) {
    this.components = components;
    this.repairs = repairs;
    this.look = look;
  }

  /** What was found at the last look. */
  String difference() {
    return difference;
  }

  boolean areWellOrNamed() {
    for (Map.Entry<Long, LastLook.Content> each : look.contents().entrySet()) {
      Optional<StorageMap> map =
          Optional.ofNullable(each.getValue().status()).flatMap(FileStatus::map);
      if (map.isPresent() && !isWellOrNamed(each.getKey(), map.get())) {
        return false;
      }
    }
    return true;
  }

  private boolean isWellOrNamed(long object, StorageMap map) {
    for (int component = 0; component < map.components().size(); component++) {
      Optional<SimulatedOsd> node = components.node(map.osdOf(component));
      if (map.isMissing(component) || node.isEmpty()) {
        continue;
      }
      try {
        BitSet bad =
            components
                .read(
                    node.get(),
                    new ObjectName(components.volume(), new ObjectId(object)),
                    0,
                    MAX_COMPONENT_BYTES)
                .map(RawComponents.Range::bad)
                .orElseGet(BitSet::new);
        if (!bad.isEmpty() && !repairs.isNamed(object)) {
          difference =
              "object %d: blocks %s of component %d on %s, %s"
                  .formatted(object, bad, component, node.get().name(), repairs.problems());
          return false;
        }
      } catch (WeftException e) {
        difference = node.get().name() + ": " + e.code() + " " + e.getMessage();
        return false;
      }
    }
    return true;
  }
}
