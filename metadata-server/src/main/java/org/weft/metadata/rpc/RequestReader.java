package org.weft.metadata.rpc;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.weft.metadata.volume.Caller;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.attributes.SetAttributes;
import org.weft.metadata.volume.operation.grant.CloseFile;
import org.weft.metadata.volume.operation.grant.OpenFile;
import org.weft.metadata.volume.operation.grant.OpenForWriting;
import org.weft.metadata.volume.operation.name.CreateFile;
import org.weft.metadata.volume.operation.name.MakeDirectory;
import org.weft.metadata.volume.operation.name.ReadDirectory;
import org.weft.metadata.volume.operation.name.RemoveDirectory;
import org.weft.metadata.volume.operation.name.Rename;
import org.weft.metadata.volume.operation.name.Unlink;
import org.weft.metadata.volume.operation.repair.ListDamage;
import org.weft.metadata.volume.operation.repair.ReportFailure;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.metadata.volume.operation.session.DropReads;
import org.weft.metadata.volume.operation.session.OpenSession;
import org.weft.metadata.volume.path.Names;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AcquireRangeRequest;
import org.weft.protocol.wire.CancelCheckRequest;
import org.weft.protocol.wire.CancelLockRequest;
import org.weft.protocol.wire.CheckStatusRequest;
import org.weft.protocol.wire.CloseRequest;
import org.weft.protocol.wire.CloseSessionRequest;
import org.weft.protocol.wire.CloseUnwrittenRequest;
import org.weft.protocol.wire.CreateRequest;
import org.weft.protocol.wire.GetAttributesOfRequest;
import org.weft.protocol.wire.LinkRequest;
import org.weft.protocol.wire.ListDamageRequest;
import org.weft.protocol.wire.ListLocksRequest;
import org.weft.protocol.wire.LockRangeRequest;
import org.weft.protocol.wire.MkdirRequest;
import org.weft.protocol.wire.OpenRequest;
import org.weft.protocol.wire.OpenSessionRequest;
import org.weft.protocol.wire.PublishRequest;
import org.weft.protocol.wire.ReaddirRequest;
import org.weft.protocol.wire.RecoverLeaseRequest;
import org.weft.protocol.wire.RegrantRequest;
import org.weft.protocol.wire.ReleaseRangeRequest;
import org.weft.protocol.wire.RenameRequest;
import org.weft.protocol.wire.RenewSessionRequest;
import org.weft.protocol.wire.ReportRequest;
import org.weft.protocol.wire.RequestContext;
import org.weft.protocol.wire.RmdirRequest;
import org.weft.protocol.wire.SetAclRequest;
import org.weft.protocol.wire.SetAttributesOfRequest;
import org.weft.protocol.wire.SetLayoutRequest;
import org.weft.protocol.wire.SetLengthRequest;
import org.weft.protocol.wire.SetXattrRequest;
import org.weft.protocol.wire.StartCheckRequest;
import org.weft.protocol.wire.StatfsRequest;
import org.weft.protocol.wire.SymlinkRequest;
import org.weft.protocol.wire.TrimmedRequest;
import org.weft.protocol.wire.UnlinkRequest;
import org.weft.protocol.wire.UnlockRangeRequest;

/** Reads the bodies of {@code volume.proto} and checks what can be checked without the volume. */
final class RequestReader {

  private RequestReader() {}

  /**
   * The operation asked for.
   *
   * @throws WeftException UNSUPPORTED for an opcode that is not a manager's, MALFORMED or what the
   *     body breaks
   */
  static VolumeOperation read(InboundRequest request) throws WeftException {
    Opcode opcode =
        Opcode.of(request.opcodeNumber()).orElseThrow(() -> unsupported(request.opcodeNumber()));
    return switch (opcode) {
      case OPEN_SESSION ->
          openSession(request.parse(OpenSessionRequest.parser()), request.peer().host());
      case RENEW_SESSION -> {
        RenewSessionRequest body = request.parse(RenewSessionRequest.parser());
        yield sessionless(
            body.getVolumeId(), NodeRequests.renewal(body).from(request.peer().host()));
      }
      case CLOSE_SESSION -> {
        CloseSessionRequest body = request.parse(CloseSessionRequest.parser());
        yield sessionless(body.getVolumeId(), new CloseSession(session(body.getSessionId())));
      }
      case GET_ATTRIBUTES_OF -> {
        GetAttributesOfRequest body = request.parse(GetAttributesOfRequest.parser());
        yield inSlot(body.getContext(), NodeRequests.attributes(body));
      }
      case SET_ATTRIBUTES_OF -> setAttributes(request.parse(SetAttributesOfRequest.parser()));
      case CREATE_FILE -> create(request.parse(CreateRequest.parser()));
      case OPEN_FILE -> {
        OpenRequest body = request.parse(OpenRequest.parser());
        yield inSlot(
            body.getContext(),
            body.getWrite()
                ? new OpenForWriting(
                    NodePath.fromMessage(body.getNode()), body.getShared(), body.getReturning())
                : new OpenFile(
                    NodePath.fromMessage(body.getNode()), false, false, body.getMayCache()));
      }
      case CLOSE_FILE -> close(request.parse(CloseRequest.parser()));
      case CLOSE_UNWRITTEN ->
          GrantRequests.closeUnwritten(request.parse(CloseUnwrittenRequest.parser()));
      case MKDIR -> mkdir(request.parse(MkdirRequest.parser()));
      case READDIR -> readdir(request.parse(ReaddirRequest.parser()));
      case RENAME -> rename(request.parse(RenameRequest.parser()));
      case UNLINK -> {
        UnlinkRequest body = request.parse(UnlinkRequest.parser());
        yield inSlot(body.getContext(), new Unlink(NodePath.fromMessage(body.getNode())));
      }
      case RMDIR -> {
        RmdirRequest body = request.parse(RmdirRequest.parser());
        yield inSlot(body.getContext(), new RemoveDirectory(NodePath.fromMessage(body.getNode())));
      }
      case STATFS -> {
        StatfsRequest body = request.parse(StatfsRequest.parser());
        yield inSlot(body.getContext(), QuotaRequests.statFs(body));
      }
      case REPORT -> report(request.parse(ReportRequest.parser()));
      case PUBLISH -> GrantRequests.publish(request.parse(PublishRequest.parser()));
      case SET_LENGTH -> GrantRequests.setLength(request.parse(SetLengthRequest.parser()));
      case TRIMMED -> GrantRequests.trimmed(request.parse(TrimmedRequest.parser()));
      case REGRANT -> GrantRequests.regrant(request.parse(RegrantRequest.parser()));
      case ACQUIRE_RANGE -> GrantRequests.acquire(request.parse(AcquireRangeRequest.parser()));
      case RELEASE_RANGE -> GrantRequests.release(request.parse(ReleaseRangeRequest.parser()));
      case RECOVER_LEASE -> GrantRequests.recoverLease(request.parse(RecoverLeaseRequest.parser()));
      case LINK -> {
        LinkRequest body = request.parse(LinkRequest.parser());
        yield inSlot(body.getContext(), NodeRequests.link(body));
      }
      case SYMLINK -> {
        SymlinkRequest body = request.parse(SymlinkRequest.parser());
        yield inSlot(body.getContext(), NodeRequests.symlink(body));
      }
      case SET_XATTR -> {
        SetXattrRequest body = request.parse(SetXattrRequest.parser());
        yield inSlot(body.getContext(), NodeRequests.xattr(body));
      }
      case SET_ACL -> {
        SetAclRequest body = request.parse(SetAclRequest.parser());
        yield inSlot(body.getContext(), NodeRequests.acl(body));
      }
      case SET_LAYOUT -> {
        SetLayoutRequest body = request.parse(SetLayoutRequest.parser());
        yield inSlot(body.getContext(), NodeRequests.layout(body));
      }
      case LOCK_RANGE -> LockRequests.lock(request.parse(LockRangeRequest.parser()));
      case UNLOCK_RANGE -> LockRequests.unlock(request.parse(UnlockRangeRequest.parser()));
      case CANCEL_LOCK -> LockRequests.cancel(request.parse(CancelLockRequest.parser()));
      case LIST_DAMAGE -> listDamage(request.parse(ListDamageRequest.parser()));
      case START_CHECK -> CheckRequests.start(request.parse(StartCheckRequest.parser()));
      case CHECK_STATUS -> CheckRequests.status(request.parse(CheckStatusRequest.parser()));
      case CANCEL_CHECK -> CheckRequests.cancel(request.parse(CancelCheckRequest.parser()));
      case LIST_LOCKS -> LockRequests.list(request.parse(ListLocksRequest.parser()));
      default ->
          NumberRequests.read(opcode, request)
              .orElseThrow(() -> unsupported(request.opcodeNumber()));
    };
  }

  private static VolumeOperation openSession(OpenSessionRequest body, String host)
      throws WeftException {
    return sessionless(
        body.getVolumeId(),
        new OpenSession(
            body.getUser(),
            body.getGroupsList(),
            body.getClientName(),
            body.getNonce(),
            body.getSlots(),
            host,
            LockRequests.keeping(body),
            body.getCachesReads(),
            body.getTrusted(),
            body.getFollowsCuts()));
  }

  private static VolumeOperation setAttributes(SetAttributesOfRequest body) throws WeftException {
    return inSlot(
        body.getContext(),
        new SetAttributes(
            NodePath.fromMessage(body.getNode()),
            body.hasMode() ? OptionalInt.of(body.getMode()) : OptionalInt.empty(),
            principal(body.hasOwner(), body.getOwner()),
            principal(body.hasGroup(), body.getGroup()),
            body.hasMtimeMillis() ? OptionalLong.of(body.getMtimeMillis()) : OptionalLong.empty(),
            body.hasAtimeMillis() ? OptionalLong.of(body.getAtimeMillis()) : OptionalLong.empty()));
  }

  private static Optional<String> principal(boolean present, String name) throws WeftException {
    return present ? Optional.of(Names.checkPrincipal(name)) : Optional.empty();
  }

  private static VolumeOperation create(CreateRequest body) throws WeftException {
    return inSlot(
        body.getContext(),
        new CreateFile(
            NodePath.fromMessage(body.getNode()),
            body.getMode(),
            body.getUmask(),
            body.getOverwrite(),
            body.getCreateParents(),
            body.hasLayout() ? Optional.of(body.getLayout()) : Optional.empty()));
  }

  private static VolumeOperation close(CloseRequest body) throws WeftException {
    return inSlot(
        body.getContext(),
        new CloseFile(
            new ObjectId(body.getObjectId()),
            new Lsn(body.getGrant()),
            body.getSize(),
            body.getCompleteUpTo(),
            body.getAbandoned(),
            body.getUnwritten(),
            body.hasChanged() ? Optional.of(body.getChanged()) : Optional.empty(),
            body.hasTruncationNumber()
                ? OptionalInt.of(body.getTruncationNumber())
                : OptionalInt.empty()));
  }

  private static VolumeOperation mkdir(MkdirRequest body) throws WeftException {
    return inSlot(
        body.getContext(),
        new MakeDirectory(
            NodePath.fromMessage(body.getNode()),
            body.getMode(),
            body.getUmask(),
            body.getCreateParents()));
  }

  private static VolumeOperation readdir(ReaddirRequest body) throws WeftException {
    return inSlot(
        body.getContext(),
        new ReadDirectory(
            NodePath.fromMessage(body.getNode()),
            body.getCookie(),
            body.getMaxEntries(),
            body.getWithAttributes(),
            body.getWithHandles(),
            body.getMayCache()));
  }

  private static VolumeOperation rename(RenameRequest body) throws WeftException {
    return inSlot(
        body.getContext(),
        new Rename(
            NodePath.fromMessage(body.getSource()),
            NodePath.fromMessage(body.getTarget()),
            body.getReplace()));
  }

  private static VolumeOperation report(ReportRequest body) throws WeftException {
    return inSlot(
        body.getContext(),
        new ReportFailure(
            new ObjectId(body.getObjectId()),
            new OsdId(body.getOsd()),
            body.getComponentIndex(),
            ErrorCode.of(body.getError()),
            body.getMessage()));
  }

  static VolumeOperation inSlot(RequestContext context, Operation operation) throws WeftException {
    Caller patient =
        new Caller(
            session(context.getSessionId()),
            context.getSlot(),
            context.getSlotSequence(),
            NumberRequests.behalf(context));
    Caller caller = context.getWithoutPatience() ? patient.withoutPatience() : patient;
    if (context.getDroppedCount() == 0) {
      return new VolumeOperation(context.getVolumeId(), caller, operation);
    }
    DropReads dropping =
        new DropReads(
            NodeRequests.dropped(context.getDroppedList(), DropReads.MAX_DROPPED), operation);
    return new VolumeOperation(context.getVolumeId(), caller, dropping);
  }

  private static VolumeOperation sessionless(long volumeId, Operation operation) {
    return new VolumeOperation(volumeId, null, operation);
  }

  private static SessionId session(long id) {
    return new SessionId(id);
  }

  private static WeftException unsupported(int opcode) {
    return new WeftException(
        ErrorCode.UNSUPPORTED, "a manager does not know opcode 0x" + Integer.toHexString(opcode));
  }

  private static VolumeOperation listDamage(ListDamageRequest body) throws WeftException {
    return inSlot(
        body.getContext(), new ListDamage(new ObjectId(body.getAfterObjectId()), body.getMax()));
  }
}
