package org.weft.metadata.volume.operation.number;

import com.google.protobuf.MessageLite;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.grant.OpenFile;
import org.weft.metadata.volume.operation.grant.OpenForWriting;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;

/**
 * Grants the reading or writing of a file that is named by its number (P 6.5c). Its mode is not
 * checked. One opening serves many users, and the client that asks for it checks each of their
 * calls.
 *
 * @param shared with write: others may write it, too
 */
public record OpenNode(ObjectId object, boolean write, boolean shared) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes file = new NumberedNodes(on).node(object);
    NumberedNodes.Named what = NumberedNodes.named(object);
    OpenFile.requireBytes(file, what);
    if (!write) {
      return OpenFile.opened(on, file, what).build();
    }
    on.grants().requireRoom(on.session().id());
    if (on.grants().isOrphan(object)) {
      throw NumberedNodes.stale(object);
    }
    return OpenForWriting.granted(on, file, shared, what);
  }

  @Override
  public boolean isAnsweredOnce() {
    return write;
  }
}
