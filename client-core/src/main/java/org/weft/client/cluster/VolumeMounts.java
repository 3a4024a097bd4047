package org.weft.client.cluster;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.weft.protocol.wire.VolumeRow;
import org.weft.protocol.wire.VolumeState;

/** The volumes that can be reached by a path, by their paths. Immutable. */
record VolumeMounts(NavigableMap<String, VolumeRow> byPath) {
  private static final String ROOT_PATH = "/";

  static VolumeMounts of(List<VolumeRow> rows) {
    NavigableMap<String, VolumeRow> byPath = new TreeMap<>();
    for (VolumeRow row : rows) {
      if (isReachable(row.getState())) {
        byPath.put(row.getPath(), row);
      }
    }
    return new VolumeMounts(Collections.unmodifiableNavigableMap(byPath));
  }

  /** Before a volume is active its path is still its parent's to answer for. */
  private static boolean isReachable(VolumeState state) {
    return state != VolumeState.CREATING && state != VolumeState.FORMATTED;
  }

  Optional<VolumeRow> holding(String path) {
    String prefix = path;
    if (byPath.size() == 1) {
      // The root volume alone, in most clusters.
      prefix = ROOT_PATH;
    }
    while (true) {
      VolumeRow row = byPath.get(prefix);
      if (row != null || prefix.equals(ROOT_PATH)) {
        return Optional.ofNullable(row);
      }
      int slash = prefix.lastIndexOf('/');
      prefix = slash <= 0 ? ROOT_PATH : prefix.substring(0, slash);
    }
  }

  Optional<VolumeRow> below(String path) {
    String prefix = path.equals(ROOT_PATH) ? ROOT_PATH : path + "/";
    return Optional.ofNullable(byPath.higherEntry(prefix))
        .filter(entry -> entry.getKey().startsWith(prefix))
        .map(Map.Entry::getValue);
  }
}
