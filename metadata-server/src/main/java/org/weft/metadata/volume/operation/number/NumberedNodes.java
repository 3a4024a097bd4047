package org.weft.metadata.volume.operation.number;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.path.Names;
import org.weft.metadata.volume.path.PathWalk;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.NodeChange;
import org.weft.protocol.wire.NodeReply;

/**
 * Nodes as trusted sessions name them: by numbers, or by the number of a directory and a name in it
 * (P 6.5c). Symbolic links are not followed. Confined to one execution.
 */
public final class NumberedNodes {
  private final Execution on;

  /**
   * @throws WeftException UNAUTHENTICATED unless the session is trusted
   */
  public NumberedNodes(Execution on) throws WeftException {
    on.requireTrusted();
    this.on = on;
  }

  /** A node in messages, made into text only if one needs it. */
  record Named(ObjectId object, String name) {
    @Override
    public String toString() {
      return "object " + object + (name.isEmpty() ? "" : "/" + Names.shown(name));
    }
  }

  static Named named(ObjectId object) {
    return new Named(object, "");
  }

  /**
   * @throws WeftException STALE if there is no such node; UNAVAILABLE if OSDs that may have it do
   *     not answer
   */
  public Attributes node(ObjectId object) throws NeedsInput, WeftException {
    Optional<Attributes> found = on.view().find(object, List.of());
    if (found.isPresent()) {
      return found.get();
    }
    SortedSet<OsdId> silent = on.view().mayHaveAttributes(object);
    if (!silent.isEmpty()) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "object " + object + " may be on OSDs " + silent + ", which do not reply; try again");
    }
    throw stale(object);
  }

  static WeftException stale(ObjectId object) {
    return new WeftException(
        ErrorCode.STALE, "object " + object + " is no more, or never was in this volume");
  }

  /** A directory in which the caller may look names up. */
  Attributes searched(ObjectId object) throws NeedsInput, WeftException {
    Attributes directory = directory(object);
    Permissions.require(directory, on.credentials(), Permissions.EXECUTE, named(object));
    return directory;
  }

  /** A directory in which the caller may change names. */
  Attributes writable(ObjectId object) throws NeedsInput, WeftException {
    Attributes directory = searched(object);
    Permissions.require(directory, on.credentials(), Permissions.WRITE, named(object));
    return directory;
  }

  Attributes directory(ObjectId object) throws NeedsInput, WeftException {
    Attributes directory = node(object);
    if (!directory.isDirectory()) {
      throw new WeftException(ErrorCode.NOT_DIRECTORY, named(object) + " is not a directory");
    }
    return directory;
  }

  Optional<DirectoryEntry> entry(Attributes directory, String name)
      throws NeedsInput, WeftException {
    return on.view().lookup(directory.object(), Names.checkEntry(name));
  }

  DirectoryEntry requireEntry(Attributes directory, String name) throws NeedsInput, WeftException {
    return entry(directory, name)
        .orElseThrow(() -> PathWalk.notFound(new Named(directory.object(), name)));
  }

  /**
   * @throws WeftException CROSS_VOLUME where another volume stands
   */
  Attributes child(Attributes directory, String name, DirectoryEntry entry)
      throws NeedsInput, WeftException {
    return on.walk().attributes(entry, new Named(directory.object(), name));
  }

  /** The caller may take the name away from the directory, which it may write. */
  void requireRemovable(Attributes directory, String name, Attributes child) throws WeftException {
    if (Permissions.isBarredBySticky(directory, child, on.credentials())) {
      throw new WeftException(
          ErrorCode.NOT_OWNER,
          "user "
              + on.credentials().user()
              + " may not remove or replace "
              + new Named(directory.object(), name)
              + ": its directory is sticky and it belongs to "
              + child.owner());
    }
  }

  /**
   * What this execution does to a node.
   *
   * @param before as the execution found it
   */
  NodeChange change(Attributes before) {
    NodeChange.Builder change = before(before);
    on.draft()
        .attributes(before.object())
        .ifPresent(after -> change.setAfter(AttributesCodec.toShortMessage(after)));
    boolean changed = change.hasAfter() || on.draft().removes(before.object());
    if (!changed) {
      change.setAfter(AttributesCodec.toShortMessage(before));
    }
    return change.build();
  }

  /** A node that this execution makes. */
  NodeChange made(Attributes node) {
    return NodeChange.newBuilder()
        .setAfter(AttributesCodec.toShortMessage(on.draft().attributes(node.object()).orElse(node)))
        .build();
  }

  /** For a refusal: directories of names, as they are; none that is not there. */
  Optional<MessageLite> lookedAt(ObjectId directory) throws NeedsInput, WeftException {
    NodeReply.Builder told = NodeReply.newBuilder();
    told(directory).ifPresent(told::setDirectory);
    return Optional.of(told.build());
  }

  /** The same of the node that was named, and of the directory of its name. */
  Optional<MessageLite> lookedAt(ObjectId node, Optional<ObjectId> directory)
      throws NeedsInput, WeftException {
    NodeReply.Builder told = NodeReply.newBuilder();
    told(node).ifPresent(told::setNode);
    if (directory.isPresent()) {
      told(directory.get()).ifPresent(told::setDirectory);
    }
    return Optional.of(told.build());
  }

  /** Only the writer may know the length of a file that is being written: it is not asked. */
  Optional<NodeChange> told(ObjectId object) throws NeedsInput, WeftException {
    Optional<Attributes> found = on.view().find(object, List.of());
    boolean known =
        found.isPresent() && (found.get().kind() != NodeKind.FILE || on.lengths().isKnown(object));
    return known ? found.map(this::change) : Optional.empty();
  }

  private static NodeChange.Builder before(Attributes node) {
    return NodeChange.newBuilder()
        .setHasBefore(true)
        .setBeforeSize(node.sizeBytes())
        .setBeforeMtimeNanos(node.times().mtimeNanos())
        .setBeforeCtimeNanos(node.times().ctimeNanos());
  }
}
