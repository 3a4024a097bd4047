package org.weft.metadata.rpc;

import java.util.Optional;
import org.weft.metadata.quota.QuotaLimits;
import org.weft.metadata.volume.operation.grant.ExtendShare;
import org.weft.metadata.volume.operation.quota.ListQuotas;
import org.weft.metadata.volume.operation.quota.SetQuota;
import org.weft.metadata.volume.operation.volume.StatFs;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.ExtendShareRequest;
import org.weft.protocol.wire.ListQuotasRequest;
import org.weft.protocol.wire.QuotaLimitsMessage;
import org.weft.protocol.wire.SetQuotaRequest;
import org.weft.protocol.wire.StatfsRequest;

/** Reads requests about quotas (P 6.6a). */
final class QuotaRequests {
  private static final int MAX_PATH_CHARS = 4_096;

  private QuotaRequests() {}

  /** Empty for an opcode of another kind. */
  static Optional<VolumeOperation> read(Opcode opcode, InboundRequest request)
      throws WeftException {
    return switch (opcode) {
      case EXTEND_SHARE -> Optional.of(extend(request.parse(ExtendShareRequest.parser())));
      case SET_QUOTA -> Optional.of(set(request.parse(SetQuotaRequest.parser())));
      case LIST_QUOTAS -> Optional.of(list(request.parse(ListQuotasRequest.parser())));
      default -> Optional.empty();
    };
  }

  private static VolumeOperation extend(ExtendShareRequest body) throws WeftException {
    return RequestReader.inSlot(
        body.getContext(),
        new ExtendShare(
            new ObjectId(body.getObjectId()),
            new Lsn(body.getGrant()),
            body.getLength(),
            body.getPatient()));
  }

  private static VolumeOperation set(SetQuotaRequest body) throws WeftException {
    if (body.getShownPath().length() > MAX_PATH_CHARS) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a quota's path has at most " + MAX_PATH_CHARS + " characters");
    }
    return RequestReader.inSlot(
        body.getContext(),
        new SetQuota(
            NodePath.fromMessage(body.getNode()), body.getShownPath(), limits(body.getLimits())));
  }

  private static QuotaLimits limits(QuotaLimitsMessage limits) throws WeftException {
    try {
      return new QuotaLimits(
          limits.getHardBytes(),
          limits.getHardFiles(),
          limits.getSoftBytes(),
          limits.getSoftFiles());
    } catch (IllegalArgumentException e) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, e.getMessage(), e);
    }
  }

  private static VolumeOperation list(ListQuotasRequest body) throws WeftException {
    ListQuotas list =
        body.hasNode()
            ? ListQuotas.of(NodePath.fromMessage(body.getNode()))
            : new ListQuotas(Optional.empty(), new ObjectId(body.getAfter()), most(body.getMost()));
    return RequestReader.inSlot(body.getContext(), list);
  }

  private static int most(int asked) throws WeftException {
    if (asked < 0) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a page of " + Integer.toUnsignedString(asked) + " quotas is beyond any bound");
    }
    return asked;
  }

  static StatFs statFs(StatfsRequest body) throws WeftException {
    if (body.hasNodeId()) {
      return new StatFs(Optional.empty(), Optional.of(new ObjectId(body.getNodeId())));
    }
    return body.hasNode()
        ? new StatFs(Optional.of(NodePath.fromMessage(body.getNode())), Optional.empty())
        : new StatFs();
  }
}
