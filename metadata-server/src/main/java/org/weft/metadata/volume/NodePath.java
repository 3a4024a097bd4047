package org.weft.metadata.volume;

import java.util.ArrayList;
import java.util.List;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.NodeRef;

/**
 * A file as a client names it: names to follow from a base. Without names it is the base itself.
 * Immutable; every name has been checked.
 */
public record NodePath(ObjectId base, List<String> names) {
  /** Most names of one path, and the deepest that a directory may lie below the root. */
  public static final int MAX_DEPTH = 1_000;

  static final int MAX_CHARS = 64 << 10;

  public NodePath {
    names = List.copyOf(names);
  }

  /**
   * Reads and checks a reference.
   *
   * @throws RpcException NAME_INVALID if a name breaks a rule or the path is too long or too deep
   */
  public static NodePath fromMessage(NodeRef ref) throws RpcException {
    ObjectId base =
        ref.getBaseObjectId() == 0 ? ObjectId.ROOT : new ObjectId(ref.getBaseObjectId());
    String path = ref.getPath();
    if (path.isEmpty()) {
      return new NodePath(base, List.of());
    }
    if (path.length() > MAX_CHARS) {
      throw new RpcException(
          ErrorCode.NAME_INVALID,
          "a path has at most " + MAX_CHARS + " characters, got " + path.length());
    }
    List<String> names = new ArrayList<>();
    for (int from = 0; from <= path.length(); ) {
      int slash = path.indexOf('/', from);
      int end = slash < 0 ? path.length() : slash;
      names.add(Names.checkEntry(path.substring(from, end)));
      if (names.size() > MAX_DEPTH) {
        throw new RpcException(
            ErrorCode.NAME_INVALID, "a path has at most " + MAX_DEPTH + " names");
      }
      from = end + 1;
    }
    return new NodePath(base, names);
  }

  /** True if it is the base itself. */
  boolean isBase() {
    return names.isEmpty();
  }

  /** The last name. */
  String name() {
    return names.get(names.size() - 1);
  }

  /** All names but the last. */
  NodePath parent() {
    return new NodePath(base, names.subList(0, names.size() - 1));
  }

  /** As it appears in messages: "/a/b" from the root, "object 70000/a/b" from elsewhere. */
  @Override
  public String toString() {
    return describe(names.size());
  }

  /** The first names only. */
  String describe(int count) {
    String below = "/" + String.join("/", names.subList(0, count));
    if (base.equals(ObjectId.ROOT)) {
      return below;
    }
    return "object " + base + (count == 0 ? "" : below);
  }
}
