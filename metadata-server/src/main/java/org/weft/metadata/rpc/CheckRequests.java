package org.weft.metadata.rpc;

import org.weft.metadata.volume.operation.check.CancelCheck;
import org.weft.metadata.volume.operation.check.CheckStatus;
import org.weft.metadata.volume.operation.check.StartCheck;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CancelCheckRequest;
import org.weft.protocol.wire.CheckStatusRequest;
import org.weft.protocol.wire.StartCheckRequest;

/** Requests about the check of a volume (P 6.8d). */
final class CheckRequests {
  private CheckRequests() {}

  static VolumeOperation start(StartCheckRequest body) throws WeftException {
    return RequestReader.inSlot(body.getContext(), new StartCheck(body.getParity()));
  }

  static VolumeOperation status(CheckStatusRequest body) throws WeftException {
    return RequestReader.inSlot(
        body.getContext(),
        new CheckStatus(body.getCheckId(), body.getAfterFinding(), body.getMax()));
  }

  static VolumeOperation cancel(CancelCheckRequest body) throws WeftException {
    return RequestReader.inSlot(body.getContext(), new CancelCheck(body.getCheckId()));
  }
}
