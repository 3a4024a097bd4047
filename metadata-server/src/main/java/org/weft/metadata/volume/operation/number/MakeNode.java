package org.weft.metadata.volume.operation.number;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.Optional;
import java.util.OptionalLong;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesBuilder;
import org.weft.metadata.attributes.Device;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.name.CreateFile;
import org.weft.metadata.volume.operation.name.MakeSymlink;
import org.weft.metadata.volume.operation.name.Nodes;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.NodeReply;

/**
 * Makes a node in a directory that is named by its number (P 6.5c): one record, with all of its
 * attributes. A file is made as one that was closed unwritten; a file that is there may be taken,
 * and is not changed.
 *
 * @param verifier of EXCLUSIVE
 * @param target of a symbolic link
 */
public record MakeNode(
    ObjectId directory,
    String name,
    NodeKind kind,
    Mode mode,
    NodeWish wish,
    long verifier,
    ByteString target,
    Device device)
    implements Operation {
  private static final int USUAL_FILE_MODE = 0644;
  private static final int USUAL_DIRECTORY_MODE = 0755;
  private static final int LINK_MODE = 0777;
  private static final int PERMISSION_BITS = 0777;

  /** For a file: which existing node is accepted. */
  public enum Mode {
    /** Nothing. */
    GUARDED,
    /** A file, which is taken. */
    UNCHECKED,
    /** A file that was made with the same verifier, and is as it was made. */
    EXCLUSIVE
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    NumberedNodes nodes = new NumberedNodes(on);
    Attributes parent = nodes.searched(directory);
    Optional<DirectoryEntry> there = nodes.entry(parent, name);
    if (there.isPresent()) {
      return taken(on, nodes, parent, there.get());
    }
    if (on.grants().isOrphan(directory)) {
      throw NumberedNodes.stale(directory);
    }
    Attributes writable = nodes.writable(directory);
    Attributes made = on.draft().put(withWish(on, writable, made(on, writable)));
    return NodeReply.newBuilder()
        .setNode(nodes.made(made))
        .setDirectory(nodes.change(parent))
        .setMade(true)
        .build();
  }

  @Override
  public Optional<MessageLite> lookedAt(Execution on) throws NeedsInput, WeftException {
    return new NumberedNodes(on).lookedAt(directory);
  }

  private MessageLite taken(
      Execution on, NumberedNodes nodes, Attributes parent, DirectoryEntry entry)
      throws NeedsInput, WeftException {
    boolean mayBeTaken = kind == NodeKind.FILE && entry.kind() == NodeKind.FILE;
    Optional<Attributes> found =
        mayBeTaken && mode != Mode.GUARDED
            ? Optional.of(nodes.child(parent, name, entry))
            : Optional.empty();
    boolean repeated =
        mode == Mode.EXCLUSIVE
            && found.isPresent()
            && found.get().createVerifier().equals(OptionalLong.of(verifier));
    if (found.isEmpty() || mode == Mode.EXCLUSIVE && !repeated) {
      throw new WeftException(
          ErrorCode.EXISTS, new NumberedNodes.Named(directory, name) + " exists already");
    }
    on.requireLength(found.get().object());
    if (wish.sizeBytes().isPresent() && mode == Mode.UNCHECKED) {
      resize(on, found.get());
    }
    return NodeReply.newBuilder()
        .setNode(nodes.change(found.get()))
        .setDirectory(nodes.change(parent))
        .setMade(repeated)
        .setBeingWritten(on.grants().find(found.get().object()).isPresent())
        .build();
  }

  /** The caller may give the file a length; others do so afterwards. */
  private void resize(Execution on, Attributes file) throws WeftException {
    Credentials credentials = on.credentials();
    if (!credentials.user().equals(file.owner())) {
      Permissions.require(
          file, credentials, Permissions.WRITE, new NumberedNodes.Named(directory, name));
    }
    Attributes after = Permissions.afterWrite(file, credentials, on.dayNanos());
    if (after != file) {
      var unused = on.draft().put(after);
    }
  }

  private Attributes made(Execution on, Attributes parent) throws NeedsInput, WeftException {
    Nodes nodes = new Nodes(on);
    return switch (kind) {
      case FILE ->
          nodes.newFile(
              parent,
              name,
              wish.mode().orElse(mode == Mode.EXCLUSIVE ? 0 : USUAL_FILE_MODE),
              CreateFile.map(on, parent, Optional.empty()));
      case DIRECTORY -> {
        nodes.requireRoomBelow(parent, null, new NumberedNodes.Named(directory, name));
        yield nodes.newDirectory(parent, name, wish.mode().orElse(USUAL_DIRECTORY_MODE));
      }
      case SYMLINK -> nodes.newSymlink(parent, name, MakeSymlink.checkTarget(target, name));
      case CHARACTER_DEVICE, BLOCK_DEVICE -> {
        requireMayMakeDevices(on.credentials());
        yield special(nodes, parent);
      }
      case FIFO, SOCKET -> special(nodes, parent);
      case VOLUME ->
          throw new WeftException(
              ErrorCode.INVALID_ARGUMENT, "a volume is made with `weft volume create`");
    };
  }

  private Attributes special(Nodes nodes, Attributes parent) throws WeftException {
    return nodes.newSpecial(parent, name, kind, wish.mode().orElse(USUAL_FILE_MODE), device);
  }

  /** A host would open its own disk by what any user has made (P 6.5c.8.36). */
  private void requireMayMakeDevices(Credentials credentials) throws WeftException {
    if (!credentials.superuser()) {
      throw new WeftException(
          ErrorCode.NOT_OWNER,
          "user "
              + credentials.user()
              + " may not make the device "
              + new NumberedNodes.Named(directory, name)
              + "; the superuser alone may");
    }
  }

  /**
   * The node as the caller wants it: of the caller's first group unless its directory is setgid. To
   * others the superuser alone gives it; another caller that asks for that is not refused, as in
   * other servers.
   */
  private Attributes withWish(Execution on, Attributes parent, Attributes node) {
    Credentials credentials = on.credentials();
    boolean inherits = (parent.mode() & Permissions.SETGID) != 0;
    String ownGroup =
        inherits || credentials.groups().isEmpty() ? parent.group() : credentials.groups().get(0);
    String group = credentials.superuser() ? wish.group().orElse(ownGroup) : ownGroup;
    AttributesBuilder wished =
        node.edit()
            .owner(
                credentials.superuser()
                    ? wish.owner().orElse(credentials.user())
                    : credentials.user())
            .group(group)
            .mode(modeOf(node, parent, group, credentials))
            .times(wish.times(node.times(), on.dayNanos()));
    return mode == Mode.EXCLUSIVE && kind == NodeKind.FILE
        ? wished.createVerifier(OptionalLong.of(verifier)).build()
        : wished.build();
  }

  private int modeOf(Attributes node, Attributes parent, String group, Credentials credentials) {
    return switch (kind) {
      case DIRECTORY -> node.mode() & ~Permissions.SETGID | setgid(parent, group, credentials);
      case SYMLINK -> LINK_MODE;
      default -> Permissions.withoutForeignSetgid(asked(node), group, credentials);
    };
  }

  /** A default ACL of the directory has its say in the permission bits. */
  private int asked(Attributes node) {
    return wish.mode().orElse(node.mode()) & ~PERMISSION_BITS | node.mode() & PERMISSION_BITS;
  }

  private int setgid(Attributes parent, String group, Credentials credentials) {
    int wanted = wish.mode().orElse(0) & Permissions.SETGID;
    return parent.mode() & Permissions.SETGID
        | Permissions.withoutForeignSetgid(wanted, group, credentials);
  }
}
