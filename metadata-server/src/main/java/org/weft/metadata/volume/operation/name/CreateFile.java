package org.weft.metadata.volume.operation.name;

import com.google.protobuf.MessageLite;
import java.time.Instant;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.placement.PlacementSpec;
import org.weft.metadata.session.Session;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.GrantStart;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.operation.grant.OpenFile;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.PathWalk.Place;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.LayoutMessage;

/**
 * Makes a file and grants its writing: one record, no OSD is asked (P 6.6). The LSN of the record
 * is the grant's number. An existing file is replaced as a whole if the client says so, even while
 * it is being written. Its writers are shut out. Its objects go, or stay until clients that have it
 * open for reading close it.
 *
 * @param mode before the umask is taken off
 * @param layout what the client asked for; the rest is as the directory says, or by the volume's
 *     default
 */
public record CreateFile(
    NodePath path,
    int mode,
    int umask,
    boolean overwrite,
    boolean createParents,
    Optional<LayoutMessage> layout)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Session session = on.session();
    on.grants().requireRoom(session.id());
    Place place = place(on);
    Attributes parent = place.directory();
    Optional<DirectoryEntry> existing = place.entry();
    if (existing.isPresent()) {
      requireReplaceable(on, existing.get());
    }
    Permissions.require(parent, on.credentials(), Permissions.WRITE, path.parent());
    StorageMap map = map(on, parent, layout);
    Nodes nodes = new Nodes(on);
    if (existing.isPresent()) {
      Attributes old = on.walk().attributes(existing.get(), path);
      Permissions.requireSticky(parent, old, on.credentials(), path);
      nodes.unlink(parent, place.name(), old);
      nodes.replace(old, replacedBy(on));
    }
    int asked = Permissions.withoutUmask(parent, mode, umask);
    Attributes file = nodes.newFile(parent, place.name(), asked, map);
    new GrantStart(on).open(file, false);
    FileAttributes message = AttributesCodec.toMessage(file);
    return CreateReply.newBuilder()
        .setAttributes(message)
        .setGrant(Replies.createGrant(on, file, message))
        .setHandle(on.handles().of(file.object()))
        .build();
  }

  private String replacedBy(Execution on) {
    return "%s was replaced at %s by %s"
        .formatted(path, Instant.ofEpochMilli(on.nowMillis()), on.session().clientName());
  }

  /**
   * With overwrite a symbolic link is written through; without it, whatever stands there counts.
   */
  private Place place(Execution on) throws NeedsInput, WeftException {
    return createParents
        ? new MissingParents(on, path, umask).place(overwrite)
        : on.walk().place(path, overwrite, null);
  }

  /**
   * Where a new file of the directory lives.
   *
   * @param layout what was asked for; what it leaves open is as the directory says
   */
  public static StorageMap map(Execution on, Attributes parent, Optional<LayoutMessage> layout)
      throws WeftException {
    PlacementSpec wanted = on.settings().defaultLayout();
    if (parent.defaultLayout().isPresent()) {
      wanted = wanted.with(parent.defaultLayout().get());
    }
    if (layout.isPresent()) {
      wanted = wanted.with(layout.get());
    }
    wanted.check(on.settings().maxParityUnits());
    return on.placement().file(wanted);
  }

  private void requireReplaceable(Execution on, DirectoryEntry existing)
      throws NeedsInput, WeftException {
    if (!overwrite) {
      throw new WeftException(ErrorCode.EXISTS, path + " exists already");
    }
    Attributes old = on.walk().attributes(existing, path);
    if (old.isDirectory()) {
      throw new WeftException(ErrorCode.IS_DIRECTORY, path + " is a directory");
    }
    OpenFile.requireBytes(old, path);
    Permissions.require(old, on.credentials(), Permissions.WRITE, path);
  }
}
