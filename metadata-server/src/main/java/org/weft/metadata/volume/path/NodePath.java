package org.weft.metadata.volume.path;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.weft.protocol.capability.FileHandle;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.rpc.MessageText;
import org.weft.protocol.wire.NodeRef;

/**
 * A file as a client names it: names to follow from a base. Without names it is the base itself.
 * Immutable; every name has been checked.
 *
 * @param handle of the base, yet to be checked; empty: the base is the volume's root
 * @param plainNames so many names at the end must not be symbolic links that would be followed
 */
public record NodePath(Optional<FileHandle> handle, List<String> names, int plainNames)
    implements LockTarget {
  /** Most names of one path, and the deepest that a directory may lie below the root. */
  public static final int MAX_DEPTH = 1_000;

  static final int MAX_CHARS = 64 << 10;

  /** Leaves room in a message for what is said of the path. */
  private static final int MAX_DESCRIBED_CHARS = 768;

  public NodePath {
    Objects.requireNonNull(handle, "handle");
    names = List.copyOf(names);
  }

  /** Symbolic links are followed wherever they stand. */
  public NodePath(Optional<FileHandle> handle, List<String> names) {
    this(handle, names, 0);
  }

  /** From the volume's root. */
  public NodePath(List<String> names) {
    this(Optional.empty(), names);
  }

  /**
   * Reads and checks a reference.
   *
   * @throws WeftException NAME_INVALID if a name breaks a rule or the path is too long or too deep.
   *     PERMISSION_DENIED for a base other than the root without its handle. HANDLE_INVALID for
   *     bytes that can be no handle, or not of that base
   */
  public static NodePath fromMessage(NodeRef ref) throws WeftException {
    Optional<FileHandle> handle = handle(ref);
    String path = ref.getPath();
    if (path.isEmpty()) {
      return new NodePath(handle, List.of());
    }
    if (path.length() > MAX_CHARS) {
      throw new WeftException(
          ErrorCode.NAME_INVALID,
          "a path has at most " + MAX_CHARS + " characters, got " + path.length());
    }
    List<String> names = new ArrayList<>();
    for (int from = 0; from <= path.length(); ) {
      int slash = path.indexOf('/', from);
      int end = slash < 0 ? path.length() : slash;
      names.add(Names.checkEntry(path.substring(from, end)));
      if (names.size() > MAX_DEPTH) {
        throw new WeftException(
            ErrorCode.NAME_INVALID, "a path has at most " + MAX_DEPTH + " names");
      }
      from = end + 1;
    }
    return new NodePath(handle, names, plainNames(ref));
  }

  /** More names than there are: all of them. */
  private static int plainNames(NodeRef ref) {
    int plain = ref.getPlainNames();
    return plain < 0 ? Integer.MAX_VALUE : plain;
  }

  private static Optional<FileHandle> handle(NodeRef ref) throws WeftException {
    long base = ref.getBaseObjectId();
    if (ref.getBaseHandle().isEmpty()) {
      if (base != 0 && base != ObjectId.ROOT.value()) {
        throw new WeftException(
            ErrorCode.PERMISSION_DENIED,
            "object "
                + new ObjectId(base)
                + " is named by its number alone, which gives no right to it; name it by a path or"
                + " with its handle");
      }
      return Optional.empty();
    }
    FileHandle handle = FileHandle.decode(ref.getBaseHandle());
    if (base != 0 && base != handle.object().value()) {
      throw new WeftException(
          ErrorCode.HANDLE_INVALID,
          "the handle is of object " + handle.object() + ", not of " + new ObjectId(base));
    }
    return Optional.of(handle);
  }

  /** The node to begin at. */
  ObjectId base() {
    return handle.map(FileHandle::object).orElse(ObjectId.ROOT);
  }

  /** True if it is the base itself. */
  public boolean isBase() {
    return names.isEmpty();
  }

  /** The last name. */
  public String name() {
    return names.get(names.size() - 1);
  }

  /** All names but the last. */
  public NodePath parent() {
    return new NodePath(handle, names.subList(0, names.size() - 1), Math.max(0, plainNames - 1));
  }

  /** As it appears in messages: "/a/b" from the root, "object 70000/a/b" from elsewhere. */
  @Override
  public String toString() {
    return describe(names.size());
  }

  /** The first names only. A long path loses its middle: messages with it are kept. */
  public String describe(int count) {
    String below =
        MessageText.cut("/" + String.join("/", names.subList(0, count)), MAX_DESCRIBED_CHARS);
    if (handle.isEmpty()) {
      return below;
    }
    return "object " + base() + (count == 0 ? "" : below);
  }
}
