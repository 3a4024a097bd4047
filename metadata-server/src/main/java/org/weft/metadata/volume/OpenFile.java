package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.OpenReply;

/**
 * Grants the reading of a file, also beside its writer: up to the published length (P 4.3); or its
 * writing.
 */
public record OpenFile(NodePath path, boolean write) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    if (write) {
      return new OpenForWriting(path).execute(on);
    }
    Attributes file = on.walk().node(path);
    if (file.isDirectory()) {
      throw new RpcException(ErrorCode.IS_DIRECTORY, path + " is a directory");
    }
    Permissions.require(file, on.credentials(), Permissions.READ, path);
    return OpenReply.newBuilder()
        .setAttributes(AttributesCodec.toMessage(file))
        .setGrant(Replies.readGrant(on, file))
        .build();
  }
}
