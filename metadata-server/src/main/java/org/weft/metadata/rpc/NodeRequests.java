package org.weft.metadata.rpc;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.attributes.AclQuestion;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.attributes.SetAcl;
import org.weft.metadata.volume.operation.attributes.SetLayout;
import org.weft.metadata.volume.operation.attributes.SetXattr;
import org.weft.metadata.volume.operation.name.LinkFile;
import org.weft.metadata.volume.operation.name.MakeSymlink;
import org.weft.metadata.volume.operation.session.DropReads;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.capability.FileHandle;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.wire.AclEntryMessage;
import org.weft.protocol.wire.ClosedFile;
import org.weft.protocol.wire.DroppedReadGrants;
import org.weft.protocol.wire.GetAttributesOfRequest;
import org.weft.protocol.wire.LinkRequest;
import org.weft.protocol.wire.PublishedFile;
import org.weft.protocol.wire.ReclaimedFile;
import org.weft.protocol.wire.RenewSessionRequest;
import org.weft.protocol.wire.SetAclRequest;
import org.weft.protocol.wire.SetLayoutRequest;
import org.weft.protocol.wire.SetXattrRequest;
import org.weft.protocol.wire.SymlinkRequest;

/** Reads requests about links, extended attributes and layouts, and what sessions have open. */
final class NodeRequests {
  /** Read grants that one renewal gives back. */
  private static final int MAX_DROPPED = 10_000;

  private NodeRequests() {}

  static RenewSession renewal(RenewSessionRequest body) throws WeftException {
    List<RenewSession.Closing> closings = new ArrayList<>(body.getClosedCount());
    for (ClosedFile file : body.getClosedList()) {
      closings.add(
          new RenewSession.Closing(
              new ObjectId(file.getObjectId()), new Lsn(file.getOpenNumber())));
    }
    List<RenewSession.PublishedLength> published = new ArrayList<>(body.getPublishedCount());
    for (PublishedFile file : body.getPublishedList()) {
      if (file.getSize() < 0) {
        throw new WeftException(
            ErrorCode.MALFORMED,
            "object " + new ObjectId(file.getObjectId()) + " has a length of " + file.getSize());
      }
      published.add(
          new RenewSession.PublishedLength(
              new ObjectId(file.getObjectId()),
              file.getSize(),
              file.hasTruncationNumber()
                  ? OptionalInt.of(file.getTruncationNumber())
                  : OptionalInt.empty()));
    }
    RenewSession.Reclaim reclaim =
        new RenewSession.Reclaim(
            body.getReclaimEpoch(), body.getReclaim(), openFiles(body), published);
    RenewSession.DroppedReads dropped =
        new RenewSession.DroppedReads(
            dropped(body.getDroppedList(), MAX_DROPPED), new Lsn(body.getDroppedAll()));
    return new RenewSession(new SessionId(body.getSessionId()), closings, reclaim, dropped, "");
  }

  /** Read grants that a session has no more. */
  static List<DropReads.Dropped> dropped(List<DroppedReadGrants> said, int most)
      throws WeftException {
    if (said.size() > most) {
      throw new WeftException(
          ErrorCode.MALFORMED,
          said.size() + " objects whose read grants were dropped; there may be " + most);
    }
    List<DropReads.Dropped> dropped = new ArrayList<>(said.size());
    for (DroppedReadGrants each : said) {
      dropped.add(
          new DropReads.Dropped(new ObjectId(each.getObjectId()), new Lsn(each.getNumber())));
    }
    return dropped;
  }

  /** A client that says that a file is open got its handle when it opened it. */
  private static List<FileHandle> openFiles(RenewSessionRequest body) throws WeftException {
    List<FileHandle> open = new ArrayList<>(body.getOpenCount());
    for (ReclaimedFile file : body.getOpenList()) {
      FileHandle handle = FileHandle.decode(file.getHandle());
      if (handle.object().value() != file.getObjectId()) {
        throw new WeftException(
            ErrorCode.HANDLE_INVALID,
            "object " + new ObjectId(file.getObjectId()) + " has the handle of another");
      }
      open.add(handle);
    }
    return open;
  }

  static Operation attributes(GetAttributesOfRequest body) throws WeftException {
    return new GetAttributes(
        NodePath.fromMessage(body.getNode()),
        body.getNoFollow(),
        body.getWithXattrs(),
        body.getWithHandle(),
        body.getMayCache(),
        new AclQuestion(body.getWithAcl(), body.getRequiredRights()));
  }

  static Operation link(LinkRequest body) throws WeftException {
    return new LinkFile(
        NodePath.fromMessage(body.getExisting()), NodePath.fromMessage(body.getNode()));
  }

  static Operation symlink(SymlinkRequest body) throws WeftException {
    return new MakeSymlink(NodePath.fromMessage(body.getNode()), body.getTarget());
  }

  static Operation xattr(SetXattrRequest body) throws WeftException {
    return new SetXattr(
        NodePath.fromMessage(body.getNode()),
        body.getName(),
        body.getValue(),
        body.getMode(),
        body.getRemove());
  }

  static Operation acl(SetAclRequest body) throws WeftException {
    try {
      List<AclEntry> entries = new ArrayList<>(body.getEntryCount());
      for (AclEntryMessage entry : body.getEntryList()) {
        if (entry.getName().chars().anyMatch(Character::isISOControl)) {
          // A list that is printed line by line could be forged.
          throw new IllegalArgumentException(
              "the name in an ACL entry has no control character; that of entry "
                  + (entries.size() + 1)
                  + " has");
        }
        entries.add(AclEntry.fromMessage(entry));
      }
      return new SetAcl(
          NodePath.fromMessage(body.getNode()), AclChange.fromMessage(body.getChange()), entries);
    } catch (IllegalArgumentException e) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, e.getMessage());
    }
  }

  static Operation layout(SetLayoutRequest body) throws WeftException {
    return new SetLayout(
        NodePath.fromMessage(body.getNode()),
        body.hasLayout() ? Optional.of(body.getLayout()) : Optional.empty());
  }
}
