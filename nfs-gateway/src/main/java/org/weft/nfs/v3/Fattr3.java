package org.weft.nfs.v3;

import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeType;
import org.weft.nfs.exports.Identities;
import org.weft.nfs.oncrpc.XdrWriter;

/**
 * fattr3, RFC 1813 section 2.6: 84 bytes.
 *
 * @param node whose attributes these are
 * @param uid its owner's number
 * @param gid its group's number
 */
record Fattr3(NodeAttributes node, int uid, int gid) implements ResultPart {
  static final int BYTES = 84;

  static Fattr3 of(NodeAttributes node, Identities identities) {
    return new Fattr3(node, identities.uid(node.owner()), identities.gid(node.group()));
  }

  @Override
  public void write(XdrWriter out) {
    out.int32(number(node.type())).int32(node.mode()).int32(node.links()).int32(uid).int32(gid);
    out.int64(node.sizeBytes()).int64(node.usedBytes());
    out.int32(node.rdevMajor()).int32(node.rdevMinor());
    out.int64(node.id().volume().value()).int64(node.id().object().value());
    Nfs3Time.write(out, node.atimeNanos());
    Nfs3Time.write(out, node.mtimeNanos());
    Nfs3Time.write(out, node.ctimeNanos());
  }

  /** ftype3. */
  private static int number(NodeType type) {
    return switch (type) {
      case FILE -> 1;
      case DIRECTORY -> 2;
      case BLOCK_DEVICE -> 3;
      case CHARACTER_DEVICE -> 4;
      case SYMLINK -> 5;
      case SOCKET -> 6;
      case FIFO -> 7;
    };
  }
}
