package org.weft.metadata.rpc;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.weft.metadata.volume.operation.grant.AcquireRange;
import org.weft.metadata.volume.operation.grant.CloseFile;
import org.weft.metadata.volume.operation.grant.CloseUnwritten;
import org.weft.metadata.volume.operation.grant.RecoverLease;
import org.weft.metadata.volume.operation.grant.Regrant;
import org.weft.metadata.volume.operation.grant.ReleaseRange;
import org.weft.metadata.volume.operation.length.FinishTrim;
import org.weft.metadata.volume.operation.length.PublishLength;
import org.weft.metadata.volume.operation.length.SetLength;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.wire.AcquireRangeRequest;
import org.weft.protocol.wire.CloseUnwrittenRequest;
import org.weft.protocol.wire.LostComponent;
import org.weft.protocol.wire.PublishRequest;
import org.weft.protocol.wire.RecoverLeaseRequest;
import org.weft.protocol.wire.RegrantRequest;
import org.weft.protocol.wire.ReleaseRangeRequest;
import org.weft.protocol.wire.SetLengthRequest;
import org.weft.protocol.wire.TrimmedRequest;
import org.weft.protocol.wire.UnwrittenFile;

/** Reads the requests of holders of write grants while they write. */
final class GrantRequests {
  private static final int MAX_LOST = 1_024;

  private GrantRequests() {}

  static VolumeOperation closeUnwritten(CloseUnwrittenRequest body) throws WeftException {
    int count = body.getFilesCount();
    if (count == 0 || count > CloseUnwritten.MAX_FILES) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "1 to %d files are closed together; got %d".formatted(CloseUnwritten.MAX_FILES, count));
    }
    List<CloseFile> files = new ArrayList<>(count);
    for (UnwrittenFile file : body.getFilesList()) {
      files.add(CloseFile.unwritten(new ObjectId(file.getObjectId()), new Lsn(file.getGrant())));
    }
    return RequestReader.inSlot(body.getContext(), new CloseUnwritten(files));
  }

  static VolumeOperation publish(PublishRequest body) throws WeftException {
    return RequestReader.inSlot(
        body.getContext(),
        new PublishLength(
            new ObjectId(body.getObjectId()),
            new Lsn(body.getGrant()),
            body.getSize(),
            body.getCompleteUpTo(),
            body.getMayKeep(),
            body.getChanged(),
            body.hasTruncationNumber()
                ? OptionalInt.of(body.getTruncationNumber())
                : OptionalInt.empty()));
  }

  static VolumeOperation setLength(SetLengthRequest body) throws WeftException {
    return RequestReader.inSlot(
        body.getContext(),
        new SetLength(
            new ObjectId(body.getObjectId()),
            new Lsn(body.getGrant()),
            body.getSize(),
            body.getCompleteUpTo(),
            body.hasPublished() ? OptionalLong.of(body.getPublished()) : OptionalLong.empty()));
  }

  static VolumeOperation trimmed(TrimmedRequest body) throws WeftException {
    return RequestReader.inSlot(
        body.getContext(),
        new FinishTrim(
            new ObjectId(body.getObjectId()),
            new Lsn(body.getGrant()),
            body.getTruncationNumber(),
            body.getCompleteUpTo()));
  }

  static VolumeOperation regrant(RegrantRequest body) throws WeftException {
    if (body.getLostCount() > MAX_LOST) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a file has fewer components than the " + body.getLostCount() + " that are said lost");
    }
    List<Regrant.Lost> lost = new ArrayList<>();
    for (LostComponent each : body.getLostList()) {
      lost.add(
          new Regrant.Lost(
              each.getComponentIndex(), new OsdId(each.getOsd()), ErrorCode.of(each.getError())));
    }
    return RequestReader.inSlot(
        body.getContext(),
        new Regrant(
            new ObjectId(body.getObjectId()),
            new Lsn(body.getGrant()),
            lost,
            body.getCompleteUpTo(),
            body.hasPublished() ? OptionalLong.of(body.getPublished()) : OptionalLong.empty()));
  }

  static VolumeOperation acquire(AcquireRangeRequest body) throws WeftException {
    return RequestReader.inSlot(
        body.getContext(),
        new AcquireRange(
            new ObjectId(body.getObjectId()),
            new Lsn(body.getGrant()),
            range(body.getFrom(), body.getTo()),
            RangeUse.of(body.getUse())));
  }

  static VolumeOperation release(ReleaseRangeRequest body) throws WeftException {
    return RequestReader.inSlot(
        body.getContext(),
        new ReleaseRange(
            new ObjectId(body.getObjectId()),
            new Lsn(body.getGrant()),
            range(body.getFrom(), body.getTo()),
            body.getSize(),
            body.getCompleteUpTo(),
            body.getChanged(),
            body.hasTruncationNumber()
                ? OptionalInt.of(body.getTruncationNumber())
                : OptionalInt.empty()));
  }

  static ByteRange range(long from, long to) throws WeftException {
    try {
      return ByteRange.fromMessage(from, to);
    } catch (IllegalArgumentException e) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, e.getMessage(), e);
    }
  }

  static VolumeOperation recoverLease(RecoverLeaseRequest body) throws WeftException {
    return RequestReader.inSlot(
        body.getContext(), new RecoverLease(NodePath.fromMessage(body.getNode())));
  }
}
