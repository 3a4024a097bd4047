package org.weft.metadata.rpc;

import java.util.Optional;
import java.util.OptionalLong;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.Device;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.journal.RepeatKey;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.number.LinkNode;
import org.weft.metadata.volume.operation.number.ListNodes;
import org.weft.metadata.volume.operation.number.LookUpNode;
import org.weft.metadata.volume.operation.number.MakeNode;
import org.weft.metadata.volume.operation.number.MoveName;
import org.weft.metadata.volume.operation.number.NodeWish;
import org.weft.metadata.volume.operation.number.OpenNode;
import org.weft.metadata.volume.operation.number.RemoveName;
import org.weft.metadata.volume.operation.number.SetNode;
import org.weft.metadata.volume.operation.session.FindFirstAnswer;
import org.weft.metadata.volume.path.Names;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.FindFirstAnswerRequest;
import org.weft.protocol.wire.LinkNodeRequest;
import org.weft.protocol.wire.ListNodesRequest;
import org.weft.protocol.wire.LookUpNodeRequest;
import org.weft.protocol.wire.MakeNodeRequest;
import org.weft.protocol.wire.MoveNameRequest;
import org.weft.protocol.wire.OnBehalfOf;
import org.weft.protocol.wire.OpenNodeRequest;
import org.weft.protocol.wire.RemoveNameRequest;
import org.weft.protocol.wire.RequestContext;
import org.weft.protocol.wire.RequestOrigin;
import org.weft.protocol.wire.SetNodeRequest;

/** Reads requests that name nodes by their numbers (P 6.5c). */
final class NumberRequests {
  private static final int MAX_GROUPS = 64;

  private NumberRequests() {}

  /** The user that a request is made for; empty: its session's user. */
  static Optional<Credentials> behalf(RequestContext context) throws WeftException {
    if (!context.hasOnBehalfOf()) {
      return Optional.empty();
    }
    OnBehalfOf behalf = context.getOnBehalfOf();
    if (behalf.getGroupsCount() < 1 || behalf.getGroupsCount() > MAX_GROUPS) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a request is made for a user in 1 to "
              + MAX_GROUPS
              + " groups, got "
              + behalf.getGroupsCount());
    }
    for (String group : behalf.getGroupsList()) {
      Names.checkPrincipal(group);
    }
    return Optional.of(
        new Credentials(
            Names.checkPrincipal(behalf.getUser()), behalf.getGroupsList(), behalf.getSuperuser()));
  }

  /** Empty for an opcode of another kind. */
  static Optional<VolumeOperation> read(Opcode opcode, InboundRequest request)
      throws WeftException {
    return switch (opcode) {
      case LOOK_UP_NODE -> Optional.of(lookUp(request.parse(LookUpNodeRequest.parser())));
      case SET_NODE -> Optional.of(set(request.parse(SetNodeRequest.parser())));
      case MAKE_NODE -> Optional.of(make(request.parse(MakeNodeRequest.parser())));
      case REMOVE_NAME -> Optional.of(remove(request.parse(RemoveNameRequest.parser())));
      case MOVE_NAME -> Optional.of(move(request.parse(MoveNameRequest.parser())));
      case LINK_NODE -> Optional.of(link(request.parse(LinkNodeRequest.parser())));
      case LIST_NODES -> Optional.of(list(request.parse(ListNodesRequest.parser())));
      case OPEN_NODE -> Optional.of(open(request.parse(OpenNodeRequest.parser())));
      case FIND_FIRST_ANSWER ->
          Optional.of(findFirstAnswer(request.parse(FindFirstAnswerRequest.parser())));
      default -> QuotaRequests.read(opcode, request);
    };
  }

  /** What is known by its origin, too, if that is stated. */
  private static VolumeOperation change(RequestContext context, Operation operation)
      throws WeftException {
    VolumeOperation asked = RequestReader.inSlot(context, operation);
    return context.hasOrigin()
        ? new VolumeOperation(
            asked.volumeId(),
            asked.caller().repeatedBy(key(context.getOrigin())),
            asked.operation())
        : asked;
  }

  private static RepeatKey key(RequestOrigin origin) throws WeftException {
    try {
      return new RepeatKey(
          origin.getClient(), origin.getNumber(), origin.getChecksum(), origin.getDigest());
    } catch (IllegalArgumentException e) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, e.getMessage(), e);
    }
  }

  private static VolumeOperation findFirstAnswer(FindFirstAnswerRequest body) throws WeftException {
    if (!body.getContext().hasOrigin()) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, "a first answer is found by an origin");
    }
    return change(body.getContext(), new FindFirstAnswer());
  }

  private static VolumeOperation lookUp(LookUpNodeRequest body) throws WeftException {
    return RequestReader.inSlot(
        body.getContext(),
        new LookUpNode(
            new ObjectId(body.getNodeId()),
            body.getName(),
            body.getParent(),
            body.getMayCache(),
            body.getMayCacheRights()));
  }

  private static VolumeOperation set(SetNodeRequest body) throws WeftException {
    return change(
        body.getContext(),
        new SetNode(
            new ObjectId(body.getNodeId()),
            NodeWish.fromMessage(body.getWish()),
            body.hasGuardCtimeNanos()
                ? OptionalLong.of(body.getGuardCtimeNanos())
                : OptionalLong.empty()));
  }

  private static VolumeOperation make(MakeNodeRequest body) throws WeftException {
    return change(
        body.getContext(),
        new MakeNode(
            new ObjectId(body.getDirectoryId()),
            body.getName(),
            kind(body),
            mode(body),
            NodeWish.fromMessage(body.getWish()),
            body.getVerifier(),
            body.getSymlinkTarget(),
            new Device(body.getRdevMajor(), body.getRdevMinor())));
  }

  private static NodeKind kind(MakeNodeRequest body) throws WeftException {
    try {
      return NodeKind.fromMessage(body.getKind());
    } catch (IllegalArgumentException e) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED, "this release makes no node of kind " + body.getKindValue(), e);
    }
  }

  private static MakeNode.Mode mode(MakeNodeRequest body) throws WeftException {
    return switch (body.getMode()) {
      case GUARDED -> MakeNode.Mode.GUARDED;
      case UNCHECKED -> MakeNode.Mode.UNCHECKED;
      case EXCLUSIVE -> MakeNode.Mode.EXCLUSIVE;
      case UNRECOGNIZED ->
          throw new WeftException(
              ErrorCode.UNSUPPORTED, "no way to make a file has number " + body.getModeValue());
    };
  }

  private static VolumeOperation remove(RemoveNameRequest body) throws WeftException {
    return change(
        body.getContext(),
        new RemoveName(new ObjectId(body.getDirectoryId()), body.getName(), body.getDirectory()));
  }

  private static VolumeOperation move(MoveNameRequest body) throws WeftException {
    return change(
        body.getContext(),
        new MoveName(
            new ObjectId(body.getDirectoryId()),
            body.getName(),
            new ObjectId(body.getTargetDirectoryId()),
            body.getTargetName()));
  }

  private static VolumeOperation link(LinkNodeRequest body) throws WeftException {
    return change(
        body.getContext(),
        new LinkNode(
            new ObjectId(body.getNodeId()), new ObjectId(body.getDirectoryId()), body.getName()));
  }

  private static VolumeOperation list(ListNodesRequest body) throws WeftException {
    return RequestReader.inSlot(
        body.getContext(),
        new ListNodes(
            new ObjectId(body.getDirectoryId()),
            body.getCookie(),
            body.getMaxEntries(),
            body.getWithAttributes()));
  }

  private static VolumeOperation open(OpenNodeRequest body) throws WeftException {
    return RequestReader.inSlot(
        body.getContext(),
        new OpenNode(new ObjectId(body.getNodeId()), body.getWrite(), body.getShared()));
  }
}
