package org.weft.metadata.volume.operation.salvage;

import com.google.protobuf.MessageLite;
import java.util.List;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.name.Nodes;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own, when it recovers a volume from its OSDs (P 6.8e): a file whose attributes say
 * that its last name was removed goes. The sessions that had it open are over.
 */
public record RemoveNameless(ObjectId object) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes node = on.view().attributes(object, List.of(), "object " + object);
    on.counters().addFiles(-1);
    on.draft().removeObject(object, Nodes.holders(node.map()));
    for (WriteGrant grant : on.grants().of(object)) {
      on.draft().add(new LiveEffect.GrantClosed(grant.number(), object, 0));
    }
    return Empty.getDefaultInstance();
  }
}
