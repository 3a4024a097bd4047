package org.weft.metadata.volume.operation.repair;

import com.google.protobuf.MessageLite;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: notes OSDs that no map of the volume names any more, so that no later manager
 * looks for them again. Forgets what needs no remembering (P 6.8). An OSD that is neither removed
 * nor drained any more may be named again, and may be drained again later. Pending removals on an
 * OSD that was removed itself are gone.
 *
 * @param cleared OSDs for which all others have told what they know. Each has the number of the
 *     drain for which they were asked, or 0 if it was removed without one. Left out are those that
 *     are neither removed nor drained by now, or were drained again since
 */
public record NoteCleared(Map<OsdId, Long> cleared) implements Operation {
  private static final int MAX_FORGOTTEN = 1_000;

  public NoteCleared {
    cleared = Collections.unmodifiableMap(new TreeMap<>(cleared));
  }

  @Override
  public MessageLite execute(Execution on) {
    SortedMap<OsdId, Long> known = new TreeMap<>(on.repairTables().cleared());
    known.forEach(
        (osd, drain) -> {
          if (!isOut(on, osd, drain)) {
            on.draft().add(new LiveEffect.OsdStanding(osd, false, drain));
          }
        });
    cleared.forEach(
        (osd, drain) -> {
          if (isOut(on, osd, drain) && !drain.equals(known.get(osd))) {
            on.draft().add(new LiveEffect.OsdStanding(osd, true, drain));
          }
        });
    int left = MAX_FORGOTTEN;
    for (OsdId osd : on.cluster().removed().keySet()) {
      List<ObjectId> removals = on.view().removalsAt(osd, left);
      removals.forEach(object -> on.draft().add(new LiveEffect.LaggingCleared(osd, object)));
      left -= removals.size();
    }
    on.view().sawAll();
    return Empty.getDefaultInstance();
  }

  private static boolean isOut(Execution on, OsdId osd, long drain) {
    OptionalLong now = on.cluster().drainOf(osd);
    return now.isPresent() && now.getAsLong() == drain;
  }
}
