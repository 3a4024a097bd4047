package org.weft.metadata.volume.operation.salvage;

import com.google.protobuf.MessageLite;
import java.util.List;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.ParentHint;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own, when it recovers a volume from its OSDs (P 6.8e): the node has so many names,
 * and this hint of where.
 */
public record OrderLinks(ObjectId object, int links, ParentHint hint) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes node = on.view().attributes(object, List.of(), "object " + object);
    int now = node.isDirectory() ? node.links() : links;
    var unused = on.draft().put(node.edit().links(now).parent(hint).build());
    return Empty.getDefaultInstance();
  }
}
