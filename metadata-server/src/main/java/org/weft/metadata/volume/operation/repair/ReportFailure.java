package org.weft.metadata.volume.operation.repair;

import com.google.protobuf.MessageLite;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.Empty;

/**
 * A client saw a component fail. This release counts and shows it: which OSDs are given up is for
 * SysMgr to say (P 5.8). Reports of OSDs that the volume does not have are dropped.
 */
public record ReportFailure(
    ObjectId object, OsdId osd, int componentIndex, ErrorCode error, String message)
    implements Operation {
  private static final Logger LOG = LoggerFactory.getLogger(ReportFailure.class);

  @Override
  public MessageLite execute(Execution on) {
    if (on.cluster().isRemoved(osd)) {
      if (on.reports().dropped(on.nowMillis())) {
        LOG.warn(
            "{} reports OSD {}, which this volume does not have; such reports are dropped",
            on.session().clientName(),
            osd);
      }
      return Empty.getDefaultInstance();
    }
    if (on.reports().add(osd, object, error, message, on.nowMillis())) {
      LOG.warn("{} reports OSD {}: {} {}", on.session().clientName(), osd, error, message);
    }
    return Empty.getDefaultInstance();
  }
}
