package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import org.weft.protocol.rpc.RpcException;

/**
 * Tells the attributes of a node. A file that is being written shows its published length (P 4.3).
 */
public record GetAttributes(NodePath path) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    return Replies.attributesNow(on, on.walk().node(path));
  }
}
