package org.weft.metadata.repair;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Files that have lost more than their code bears, as far as they have been found. Immutable.
 *
 * @param lost OSDs that count as lost for good
 */
public record LostFiles(SortedSet<ObjectId> objects, SortedSet<OsdId> lost) {
  public static final LostFiles NONE =
      new LostFiles(Collections.emptySortedSet(), Collections.emptySortedSet());

  public LostFiles {
    objects = Collections.unmodifiableSortedSet(new TreeSet<>(objects));
    lost = Collections.unmodifiableSortedSet(new TreeSet<>(lost));
  }
}
