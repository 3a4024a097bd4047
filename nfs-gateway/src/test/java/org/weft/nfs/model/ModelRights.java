package org.weft.nfs.model;

import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.TimeWish;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;

/** POSIX permissions of the model. */
final class ModelRights {
  static final int READ = 4;
  static final int WRITE = 2;
  static final int EXECUTE = 1;

  private static final int STICKY = 01000;
  private static final int ANY_EXECUTE = 0111;
  private static final int SETUID = 04000;
  private static final int SETGID = 02000;
  private static final int GROUP_EXECUTE = 010;

  private ModelRights() {}

  static boolean has(OnBehalfOf caller, ModelNode node, int wanted) {
    if (caller.superuser()) {
      boolean runs = (wanted & EXECUTE) != 0 && !node.isDirectory();
      return !runs || (node.mode & ANY_EXECUTE) != 0;
    }
    int bits = node.mode;
    if (caller.user().equals(node.owner)) {
      bits >>= 6;
    } else if (caller.groups().contains(node.group)) {
      bits >>= 3;
    }
    return (bits & wanted) == wanted;
  }

  static boolean owns(OnBehalfOf caller, ModelNode node) {
    return caller.superuser() || caller.user().equals(node.owner);
  }

  static void require(OnBehalfOf caller, ModelNode node, int wanted) throws FileException {
    if (!has(caller, node, wanted)) {
      throw denied(FileError.ACCESS_DENIED, caller, node);
    }
  }

  /** Of file data the owner may have what its mode forbids: it may have been open before. */
  static void requireData(OnBehalfOf caller, ModelNode node, int wanted) throws FileException {
    boolean runs = wanted == READ && has(caller, node, EXECUTE);
    if (!runs && !owns(caller, node)) {
      require(caller, node, wanted);
    }
  }

  static void requireOwner(OnBehalfOf caller, ModelNode node) throws FileException {
    if (!owns(caller, node)) {
      throw denied(FileError.NOT_PERMITTED, caller, node);
    }
  }

  /** In a sticky directory only owners remove names. */
  static void requireRemoval(OnBehalfOf caller, ModelNode directory, ModelNode node)
      throws FileException {
    require(caller, directory, WRITE | EXECUTE);
    if ((directory.mode & STICKY) != 0 && !owns(caller, directory) && !owns(caller, node)) {
      throw denied(FileError.NOT_PERMITTED, caller, directory);
    }
  }

  /** Devices are the superuser's to make. */
  static void requireMaking(OnBehalfOf caller, ModelNode directory, NodeType type)
      throws FileException {
    require(caller, directory, WRITE | EXECUTE);
    boolean device = type == NodeType.BLOCK_DEVICE || type == NodeType.CHARACTER_DEVICE;
    if (device && !caller.superuser()) {
      throw denied(FileError.NOT_PERMITTED, caller, directory);
    }
  }

  /** It runs with the rights of its owner or group no more. */
  static void afterChown(ModelNode node) {
    if (!node.isDirectory()) {
      node.mode &= (node.mode & GROUP_EXECUTE) != 0 ? ~(SETUID | SETGID) : ~SETUID;
    }
  }

  static void afterWrite(OnBehalfOf caller, ModelNode node) {
    if (!caller.superuser()) {
      afterChown(node);
    }
  }

  static void requireChange(OnBehalfOf caller, ModelNode node, AttributesWish change)
      throws FileException {
    boolean sets = change.atime() instanceof TimeWish.At || change.mtime() instanceof TimeWish.At;
    if (change.mode().isPresent() || sets) {
      requireOwner(caller, node);
    }
    boolean touches = change.atime() == TimeWish.NOW || change.mtime() == TimeWish.NOW;
    if (touches && !owns(caller, node)) {
      require(caller, node, WRITE);
    }
    if (change.owner().isPresent()
        && !caller.superuser()
        && !(owns(caller, node) && change.owner().get().equals(node.owner))) {
      throw denied(FileError.NOT_PERMITTED, caller, node);
    }
    if (change.group().isPresent() && !caller.superuser()) {
      requireOwner(caller, node);
      String group = change.group().get();
      if (!group.equals(node.group) && !caller.groups().contains(group)) {
        throw denied(FileError.NOT_PERMITTED, caller, node);
      }
    }
    if (change.sizeBytes().isPresent()) {
      if (node.isDirectory()) {
        throw new FileException(
            FileError.IS_DIRECTORY, "a directory has no size", Touched.node(node.attributes()));
      }
      if (node.type != NodeType.FILE) {
        throw new FileException(
            FileError.INVALID, "no regular file", Touched.node(node.attributes()));
      }
      requireData(caller, node, WRITE);
    }
  }

  private static FileException denied(FileError error, OnBehalfOf caller, ModelNode node) {
    Touched touched =
        node.isDirectory() ? Touched.directory(node.attributes()) : Touched.node(node.attributes());
    return new FileException(error, caller.user() + " may not do that to " + node.id, touched);
  }
}
