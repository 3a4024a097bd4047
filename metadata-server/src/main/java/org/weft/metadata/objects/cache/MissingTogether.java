package org.weft.metadata.objects.cache;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.objects.Missing;
import org.weft.metadata.objects.Missing.MissingAttributes;
import org.weft.metadata.objects.Missing.MissingBlocks;
import org.weft.protocol.id.ObjectId;

/**
 * What several records miss, as of one moment: every object once, with all its blocks, in the order
 * in which they were met. What later ones miss and no replica can give is left to them.
 */
final class MissingTogether {
  private final Map<ObjectId, MissingAttributes> attributes = new LinkedHashMap<>();
  private final Map<ObjectId, MissingBlocks> directories = new LinkedHashMap<>();
  private final Map<ObjectId, SortedSet<Integer>> blocks = new LinkedHashMap<>();
  private int size;

  MissingTogether(List<Missing> first) {
    first.forEach(this::add);
  }

  void addLater(List<Missing> more) {
    for (Missing each : more) {
      if (!(each instanceof MissingBlocks some) || !some.replicas().isEmpty()) {
        add(each);
      }
    }
  }

  private void add(Missing each) {
    if (each instanceof MissingAttributes one) {
      size += attributes.putIfAbsent(one.object(), one) == null ? 1 : 0;
    } else if (each instanceof MissingBlocks some) {
      directories.putIfAbsent(some.object(), some);
      SortedSet<Integer> known = blocks.computeIfAbsent(some.object(), id -> new TreeSet<>());
      int before = known.size();
      known.addAll(some.blocks());
      size += known.size() - before;
    } else {
      throw new AssertionError("unhandled: " + each);
    }
  }

  /** How many blocks and attribute pages there are. */
  int size() {
    return size;
  }

  List<Missing> all() {
    List<Missing> all = new ArrayList<>(attributes.values());
    directories.forEach(
        (object, first) -> all.add(first.withBlocks(List.copyOf(blocks.get(object)))));
    return all;
  }
}
