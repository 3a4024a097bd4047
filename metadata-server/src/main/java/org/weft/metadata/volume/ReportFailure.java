package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.wire.Empty;

/**
 * A client saw a component fail. This release only counts and logs it: repair is driven by what
 * SysMgr says of OSDs.
 */
public record ReportFailure(
    ObjectId object, OsdId osd, int componentIndex, ErrorCode error, String message)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) {
    return Empty.getDefaultInstance();
  }
}
