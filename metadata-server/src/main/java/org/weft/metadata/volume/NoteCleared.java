package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: notes OSDs that no map of the volume names any more, so that no later manager
 * looks for them again, and forgets what needs no remembering (P 6.8). An OSD that is neither
 * removed nor drained any more may be named again. What was to be removed from an OSD that was
 * removed itself is gone.
 *
 * @param cleared OSDs for which all others have told what they know; those that are neither removed
 *     nor drained by now are left out
 */
public record NoteCleared(Set<OsdId> cleared) implements Operation {
  private static final int MOST_FORGOTTEN = 1_000;

  public NoteCleared {
    cleared = Collections.unmodifiableSet(new TreeSet<>(cleared));
  }

  @Override
  public MessageLite execute(Execution on) {
    SortedSet<OsdId> known = on.repairTables().cleared();
    for (OsdId osd : cleared) {
      if (isOut(on, osd) && !known.contains(osd)) {
        on.draft().add(new LiveEffect.OsdStanding(osd, true));
      }
    }
    for (OsdId osd : known) {
      if (!isOut(on, osd)) {
        on.draft().add(new LiveEffect.OsdStanding(osd, false));
      }
    }
    int left = MOST_FORGOTTEN;
    for (OsdId osd : on.cluster().removed()) {
      List<ObjectId> removals = on.view().removalsAt(osd, left);
      removals.forEach(object -> on.draft().add(new LiveEffect.LaggingCleared(osd, object)));
      left -= removals.size();
    }
    on.view().sawAll();
    return Empty.getDefaultInstance();
  }

  private static boolean isOut(Execution on, OsdId osd) {
    return on.cluster().isRemoved(osd) || on.cluster().pool().draining().contains(osd);
  }
}
