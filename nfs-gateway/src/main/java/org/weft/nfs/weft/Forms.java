package org.weft.nfs.weft;

import com.google.protobuf.ByteString;
import java.util.Optional;
import org.weft.client.ids.Answers;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.CreateWish;
import org.weft.client.ids.NewNode;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeChange;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.RequestBy;
import org.weft.client.ids.RequestOrigin;
import org.weft.client.ids.TimeWish;
import org.weft.client.ids.WriteStability;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.AttributeChange;
import org.weft.nfs.files.Attributes;
import org.weft.nfs.files.Before;
import org.weft.nfs.files.Caller;
import org.weft.nfs.files.Change;
import org.weft.nfs.files.CreateMode;
import org.weft.nfs.files.Device;
import org.weft.nfs.files.FileId;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.FileType;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.RequestMark;
import org.weft.nfs.files.Stability;
import org.weft.nfs.files.TimeChange;

/** What the gateway asks and is answered, in the words of Weft's client and back. */
final class Forms {
  private Forms() {}

  static RequestBy by(Request by) {
    Caller caller = by.caller();
    return new RequestBy(
        new OnBehalfOf(
            caller.user(),
            caller.groups().subList(0, Math.min(caller.groups().size(), OnBehalfOf.MOST_GROUPS)),
            caller.superuser()),
        origin(by.origin()));
  }

  /** None for what is carried out as often as it comes: its mark is that of other such calls. */
  private static Optional<RequestOrigin> origin(Request.Origin of) {
    RequestMark mark = of.mark();
    return mark.equals(RequestMark.NONE)
        ? Optional.empty()
        : Optional.of(
            new RequestOrigin(
                ByteString.copyFrom(of.client().getAddress()),
                of.number(),
                mark.checksum(),
                ByteString.copyFrom(mark.digest())));
  }

  static NodeId id(FileId file) {
    return new NodeId(file.volume(), file.object());
  }

  static FileId id(NodeId node) {
    return new FileId(node.volume(), node.object());
  }

  static Attributes attributes(NodeAttributes node) {
    return new Attributes(
        id(node.id()),
        type(node.type()),
        node.mode(),
        node.links(),
        node.owner(),
        node.group(),
        node.sizeBytes(),
        node.usedBytes(),
        new Device(node.rdevMajor(), node.rdevMinor()),
        node.atimeNanos(),
        node.mtimeNanos(),
        node.ctimeNanos());
  }

  private static FileType type(NodeType type) {
    return switch (type) {
      case FILE -> FileType.REGULAR;
      case DIRECTORY -> FileType.DIRECTORY;
      case SYMLINK -> FileType.SYMLINK;
      case FIFO -> FileType.FIFO;
      case SOCKET -> FileType.SOCKET;
      case CHARACTER_DEVICE -> FileType.CHARACTER_DEVICE;
      case BLOCK_DEVICE -> FileType.BLOCK_DEVICE;
    };
  }

  private static NodeType special(FileType type) {
    return switch (type) {
      case FIFO -> NodeType.FIFO;
      case SOCKET -> NodeType.SOCKET;
      case CHARACTER_DEVICE -> NodeType.CHARACTER_DEVICE;
      case BLOCK_DEVICE -> NodeType.BLOCK_DEVICE;
      case REGULAR, DIRECTORY, SYMLINK ->
          throw new IllegalArgumentException(type + " is no special file");
    };
  }

  static Change change(NodeChange change) {
    return new Change(
        change
            .before()
            .map(
                before -> new Before(before.sizeBytes(), before.mtimeNanos(), before.ctimeNanos())),
        change.after().map(Forms::attributes));
  }

  static AttributesWish wish(AttributeChange change) {
    return new AttributesWish(
        change.mode(),
        change.owner(),
        change.group(),
        change.sizeBytes(),
        time(change.atime()),
        time(change.mtime()));
  }

  private static TimeWish time(TimeChange time) {
    if (time instanceof TimeChange.At at) {
      return new TimeWish.At(at.nanos());
    }
    return time instanceof TimeChange.Now ? TimeWish.NOW : TimeWish.KEEP;
  }

  static CreateWish wish(CreateMode mode) {
    if (mode instanceof CreateMode.Unchecked unchecked) {
      return new CreateWish.Unchecked(wish(unchecked.attributes()));
    }
    if (mode instanceof CreateMode.Guarded guarded) {
      return new CreateWish.Guarded(wish(guarded.attributes()));
    }
    if (mode instanceof CreateMode.Exclusive exclusive) {
      return new CreateWish.Exclusive(exclusive.verifier());
    }
    throw new AssertionError("unhandled way to create: " + mode);
  }

  static NewNode node(org.weft.nfs.files.NewNode node) {
    AttributesWish attributes = wish(node.attributes());
    if (node instanceof org.weft.nfs.files.NewNode.Directory) {
      return new NewNode.Directory(attributes);
    }
    if (node instanceof org.weft.nfs.files.NewNode.Symlink link) {
      return new NewNode.Symlink(attributes, ByteString.copyFrom(link.target()));
    }
    if (node instanceof org.weft.nfs.files.NewNode.Special special) {
      return new NewNode.Special(
          attributes, special(special.type()), special.device().major(), special.device().minor());
    }
    throw new AssertionError("unhandled node: " + node);
  }

  static WriteStability stability(Stability stability) {
    return stability == Stability.UNSTABLE ? WriteStability.UNSTABLE : WriteStability.STABLE;
  }

  static Stability stability(WriteStability stability) {
    return switch (stability) {
      case UNSTABLE -> Stability.UNSTABLE;
      case STABLE -> Stability.FILE;
    };
  }

  static FileReply.Entry entry(Answers.Entry entry) {
    return new FileReply.Entry(
        new FileName(entry.name()),
        id(entry.id()),
        entry.cookie(),
        entry.attributes().map(Forms::attributes));
  }
}
