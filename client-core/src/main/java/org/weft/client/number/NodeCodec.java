package org.weft.client.number;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.ids.Answers;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.BeforeChange;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeChange;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.TimeWish;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.ListNodesReply;
import org.weft.protocol.wire.NodeReply;

/** Between nodes as messages have them and as {@link org.weft.client.ids} has them. */
final class NodeCodec {
  private static final Logger LOG = LoggerFactory.getLogger(NodeCodec.class);

  private final PartitionId volume;

  /**
   * @param volume of which the messages speak
   */
  NodeCodec(long volume) {
    this.volume = new PartitionId(volume);
  }

  /** For messages on the volume of a node. */
  static NodeCodec of(NodeId node) {
    return new NodeCodec(node.volume().value());
  }

  NodeId id(long objectId) {
    return new NodeId(volume, new ObjectId(objectId));
  }

  NodeAttributes attributes(FileAttributes message) {
    NodeType type = type(message.getKind());
    long sizeBytes = type == NodeType.DIRECTORY ? 0 : message.getSize();
    return new NodeAttributes(
        id(message.getObjectId()),
        type,
        message.getMode(),
        message.getLinks(),
        message.getOwner(),
        message.getGroup(),
        sizeBytes,
        sizeBytes,
        message.getRdevMajor(),
        message.getRdevMinor(),
        nanos(message.getAtimeMillis(), message.getAtimeNanos()),
        nanos(message.getMtimeMillis(), message.getMtimeNanos()),
        nanos(message.getCtimeMillis(), message.getCtimeNanos()),
        message.getChangeLsn(),
        message.getTruncationNumber(),
        message.getSymlinkTarget());
  }

  private static long nanos(long millis, int below) {
    long whole = TimeUnit.MILLISECONDS.toNanos(millis);
    return whole == Long.MAX_VALUE ? whole : whole + below;
  }

  static NodeType type(FileKind kind) {
    return switch (kind) {
      case DIRECTORY, VOLUME -> NodeType.DIRECTORY;
      case SYMLINK -> NodeType.SYMLINK;
      case FIFO -> NodeType.FIFO;
      case SOCKET -> NodeType.SOCKET;
      case CHARACTER_DEVICE -> NodeType.CHARACTER_DEVICE;
      case BLOCK_DEVICE -> NodeType.BLOCK_DEVICE;
      case FILE, FILE_KIND_UNSPECIFIED, UNRECOGNIZED -> NodeType.FILE;
    };
  }

  static FileKind kind(NodeType type) {
    return switch (type) {
      case FILE -> FileKind.FILE;
      case DIRECTORY -> FileKind.DIRECTORY;
      case SYMLINK -> FileKind.SYMLINK;
      case FIFO -> FileKind.FIFO;
      case SOCKET -> FileKind.SOCKET;
      case CHARACTER_DEVICE -> FileKind.CHARACTER_DEVICE;
      case BLOCK_DEVICE -> FileKind.BLOCK_DEVICE;
    };
  }

  NodeChange change(org.weft.protocol.wire.NodeChange message) {
    Optional<BeforeChange> before =
        message.getHasBefore()
            ? Optional.of(
                new BeforeChange(
                    message.getBeforeSize(),
                    message.getBeforeMtimeNanos(),
                    message.getBeforeCtimeNanos()))
            : Optional.empty();
    Optional<NodeAttributes> after =
        message.hasAfter() ? Optional.of(attributes(message.getAfter())) : Optional.empty();
    boolean directory = after.map(node -> node.type() == NodeType.DIRECTORY).orElse(false);
    return new NodeChange(before.map(known -> directory ? withoutSize(known) : known), after);
  }

  /** What a refusal tells: nothing where it is of another form. */
  Answers.LookedAt lookedAt(ByteString detail) {
    try {
      NodeReply told = NodeReply.parseFrom(detail);
      return new Answers.LookedAt(
          change(told.getNode()), change(told.getDirectory()), change(told.getTarget()));
    } catch (InvalidProtocolBufferException e) {
      LOG.debug("a refusal's detail cannot be read: {}", e.getMessage());
      return Answers.LookedAt.NOTHING;
    }
  }

  /** A part of a directory. Where another volume stands, its root is the entry. */
  Answers.Page page(NodeId directory, ListNodesReply reply) {
    List<Answers.Entry> entries = new ArrayList<>(reply.getEntriesCount());
    for (var entry : reply.getEntriesList()) {
      boolean volume = entry.getKind() == FileKind.VOLUME;
      NodeId id =
          volume ? NodeId.rootOf(new PartitionId(entry.getObjectId())) : id(entry.getObjectId());
      Optional<NodeAttributes> attributes =
          entry.hasAttributes() && !volume
              ? Optional.of(attributes(entry.getAttributes()))
              : Optional.empty();
      entries.add(
          new Answers.Entry(
              entry.getName(), id, type(entry.getKind()), entry.getCookie(), attributes));
    }
    NodeId parent = directory.isRoot() ? directory : id(reply.getDirectory().getParentObjectId());
    return new Answers.Page(entries, reply.getEnd(), attributes(reply.getDirectory()), parent);
  }

  private static BeforeChange withoutSize(BeforeChange before) {
    return new BeforeChange(0, before.mtimeNanos(), before.ctimeNanos());
  }

  /** All but a length of it is set as the manager is told. */
  static org.weft.protocol.wire.AttributesWish wish(AttributesWish wish) {
    org.weft.protocol.wire.AttributesWish.Builder message =
        org.weft.protocol.wire.AttributesWish.newBuilder();
    wish.mode().ifPresent(message::setMode);
    wish.owner().ifPresent(message::setOwner);
    wish.group().ifPresent(message::setGroup);
    wish.sizeBytes().ifPresent(message::setSize);
    if (wish.mtime() instanceof TimeWish.At at) {
      message.setMtimeNanos(at.nanos());
    }
    if (wish.atime() instanceof TimeWish.At at) {
      message.setAtimeNanos(at.nanos());
    }
    return message
        .setMtimeNow(wish.mtime() instanceof TimeWish.Now)
        .setAtimeNow(wish.atime() instanceof TimeWish.Now)
        .build();
  }
}
