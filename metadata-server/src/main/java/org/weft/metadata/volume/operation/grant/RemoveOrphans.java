package org.weft.metadata.volume.operation.grant;

import com.google.protobuf.MessageLite;
import java.util.List;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: removes the objects of files that lost their last name while they were open.
 * No client reads or writes these files any more (P 6.6).
 */
public record RemoveOrphans(List<ObjectId> objects) implements Operation {
  public RemoveOrphans {
    objects = List.copyOf(objects);
  }

  @Override
  public MessageLite execute(Execution on) {
    for (ObjectId object : objects) {
      // It may have waited for room, and meanwhile have gone another way.
      if (on.isForsaken(object) && on.grants().find(object).isEmpty()) {
        on.draft().removeObject(object, on.grants().holdersOfOrphan(object));
        on.draft().add(new LiveEffect.OrphanRemoved(object));
      }
    }
    return Empty.getDefaultInstance();
  }
}
