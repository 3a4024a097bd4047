package org.weft.metadata.volume;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.grant.GrantTable;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.protocol.id.ObjectId;

/**
 * Of which objects a record changes what others may have been granted to rely on (P 6.5): their
 * attributes, their names, whether they are there, whether they are written.
 */
final class ChangedObjects {
  private ChangedObjects() {}

  /**
   * Files that are being written already are left out: no session is granted their reading. But the
   * writers that a manager knows at its start may have been closed before it, and the file read: an
   * opening counts, unless the same record closes a grant of the file.
   */
  static SortedSet<ObjectId> of(List<Effect> effects, GrantTable grants) {
    SortedSet<ObjectId> changed = new TreeSet<>();
    SortedSet<ObjectId> opened = new TreeSet<>();
    SortedSet<ObjectId> closed = new TreeSet<>();
    for (Effect effect : effects) {
      if (effect instanceof ObjectEffect change) {
        changed.add(change.object());
      } else if (effect instanceof LiveEffect.GrantOpened grant) {
        opened.add(grant.object());
      } else if (effect instanceof LiveEffect.GrantClosed grant) {
        closed.add(grant.object());
      } else if (effect instanceof LiveEffect.GrantSuspects suspects) {
        changed.add(suspects.object());
      }
    }
    changed.removeIf(object -> grants.find(object).isPresent());
    opened.removeAll(closed);
    changed.addAll(opened);
    return changed;
  }
}
