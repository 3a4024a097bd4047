package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.placement.LayoutWanted;
import org.weft.metadata.session.Session;
import org.weft.metadata.volume.PathWalk.Place;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.FileAttributes;

/**
 * Makes a file and grants its writing: one record, no OSD is asked (P 6.6). The LSN of the record
 * is the grant's number. An existing file is replaced as a whole if the client says so; its objects
 * go, unless somebody is writing it.
 *
 * @param mode before the umask is taken off
 * @param layout what the client asked for; empty for the volume's default
 */
public record CreateFile(
    NodePath path,
    int mode,
    int umask,
    boolean overwrite,
    boolean createParents,
    Optional<LayoutWanted> layout)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    Session session = on.session();
    on.grants().requireRoom(session.id());
    Place place = createParents ? new MissingParents(on, umask).place(path) : on.walk().place(path);
    Attributes parent = place.directory();
    Optional<DirectoryEntry> existing = place.entry();
    if (existing.isPresent()) {
      requireReplaceable(on, place, existing.get());
    }
    Permissions.require(parent, on.credentials(), Permissions.WRITE, path.parent());
    StorageMap map = place(on);
    if (existing.isPresent()) {
      Attributes old = on.walk().follow(existing.get(), path, path.names().size());
      Permissions.requireSticky(parent, old, on.credentials(), path);
      on.nodes().unlink(parent, path.name(), old);
      on.nodes().remove(old);
    }
    Attributes file = on.nodes().newFile(parent, path.name(), mode & ~umask, map);
    on.openGrant(file);
    FileAttributes message = AttributesCodec.toMessage(file);
    return CreateReply.newBuilder()
        .setAttributes(message)
        .setGrant(Replies.createGrant(on, file, message))
        .build();
  }

  private StorageMap place(Execution on) throws RpcException {
    LayoutWanted wanted = layout.orElse(on.settings().defaultLayout());
    wanted.check(on.settings().maxParityUnits());
    return on.placement().file(wanted);
  }

  private void requireReplaceable(Execution on, Place place, DirectoryEntry existing)
      throws NotCached, RpcException {
    if (!overwrite) {
      throw new RpcException(ErrorCode.EXISTS, path + " exists already");
    }
    Attributes old = on.walk().follow(existing, path, path.names().size());
    if (old.isDirectory()) {
      throw new RpcException(ErrorCode.IS_DIRECTORY, path + " is a directory");
    }
    Permissions.require(old, on.credentials(), Permissions.WRITE, path);
    on.grants().requireUnwritten(old.object(), place.path().toString());
  }
}
