package org.weft.metadata.salvage;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.weft.protocol.id.ObjectId;

/**
 * Finds directories that lead to each other, so that no way leads up to the root or to a directory
 * without a name. Each directory has one name at most.
 *
 * @param above the directory that a directory's name is in; none: it has no name
 * @param directories all of them
 */
record DirectoryRings(Map<ObjectId, ObjectId> above, ObjectSet directories) {
  /** One of each ring. */
  List<ObjectId> oneOfEach() {
    ObjectSet settled = new ObjectSet();
    List<ObjectId> rings = new ArrayList<>();
    for (OptionalLong next = directories.from(0);
        next.isPresent();
        next = directories.from(next.getAsLong() + 1)) {
      Set<ObjectId> way = new LinkedHashSet<>();
      ObjectId at = new ObjectId(next.getAsLong());
      while (at != null && !settled.contains(at) && way.add(at)) {
        at = above.get(at);
      }
      if (at != null && !settled.contains(at)) {
        rings.add(at);
      }
      way.forEach(settled::add);
    }
    return rings;
  }
}
