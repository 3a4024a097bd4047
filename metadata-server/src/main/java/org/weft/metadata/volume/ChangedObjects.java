package org.weft.metadata.volume;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiFunction;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.grant.GrantTable;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.objects.Loadable;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Finds the objects that a record changes in a way that others may rely on (P 6.5). That is their
 * attributes, their names, whether they are there, and whether they are written.
 *
 * <p>While a file is being written, a session is granted no more of it than its rights (P
 * 6.5c.8.22). A change that leaves these rights as they are changes nothing there. But the writers
 * that a manager knows at its start may have closed the file before it, and the file may have been
 * read. So an opening counts, unless the same record closes a grant of the file.
 *
 * @param before the attributes that records before have left
 */
record ChangedObjects(
    GrantTable grants, BiFunction<ObjectId, List<OsdId>, Loadable<Optional<Attributes>>> before) {
  SortedSet<ObjectId> of(List<Effect> effects) {
    SortedSet<ObjectId> changed = new TreeSet<>();
    SortedSet<ObjectId> opened = new TreeSet<>();
    SortedSet<ObjectId> closed = new TreeSet<>();
    for (Effect effect : effects) {
      if (effect instanceof ObjectEffect change) {
        if (!isWritten(change.object()) || !keepsRights(change)) {
          changed.add(change.object());
        }
      } else if (effect instanceof LiveEffect.GrantOpened grant) {
        opened.add(grant.object());
      } else if (effect instanceof LiveEffect.GrantClosed grant) {
        closed.add(grant.object());
      } else if (effect instanceof LiveEffect.GrantSuspects suspects) {
        if (!isWritten(suspects.object())) {
          changed.add(suspects.object());
        }
      }
    }
    opened.removeAll(closed);
    changed.addAll(opened);
    return changed;
  }

  private boolean isWritten(ObjectId object) {
    return grants.find(object).isPresent();
  }

  /** What is not known counts as changed. */
  private boolean keepsRights(ObjectEffect change) {
    if (!(change instanceof ObjectEffect.PutAttributes put)) {
      return false;
    }
    Loadable<Optional<Attributes>> known = before.apply(put.object(), List.of());
    return known.isReady()
        && known.value().filter(old -> isSame(old, put.attributes())).isPresent();
  }

  /** The last name counts, too: a file without one is removed sooner or later. */
  private static boolean isSame(Attributes old, Attributes next) {
    return old.kind() == next.kind()
        && old.mode() == next.mode()
        && old.owner().equals(next.owner())
        && old.group().equals(next.group())
        && old.acls().equals(next.acls())
        && old.links() == next.links();
  }
}
