package org.weft.nfs.model;

import com.google.protobuf.ByteString;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;

/** A node of the model. What was written and not yet synced is lost when its server crashes. */
final class ModelNode {
  /** A name in a directory. */
  record Name(String text, long cookie, NodeId id) {}

  final NodeId id;
  final NodeType type;
  int mode;
  int links = 1;
  String owner;
  String group;
  int rdevMajor;
  int rdevMinor;
  long atimeNanos;
  long mtimeNanos;
  long ctimeNanos;
  NodeId parent;
  OptionalLong exclusive = OptionalLong.empty();
  ByteString target = ByteString.EMPTY;

  private ModelContent content = new ModelContent();
  private ModelContent stable = new ModelContent();

  final Map<String, Name> names = new HashMap<>();
  final TreeMap<Long, Name> namesByCookie = new TreeMap<>();
  private long lastCookie;

  ModelNode(NodeId id, NodeType type, int mode, String owner, String group) {
    this.id = id;
    this.type = type;
    this.mode = mode;
    this.owner = owner;
    this.group = group;
  }

  boolean isDirectory() {
    return type == NodeType.DIRECTORY;
  }

  void add(String name, NodeId child) {
    Name entry = new Name(name, ++lastCookie, child);
    names.put(name, entry);
    namesByCookie.put(entry.cookie(), entry);
  }

  void remove(String name) {
    namesByCookie.remove(names.remove(name).cookie());
  }

  ModelContent content() {
    return content;
  }

  /** Cuts or extends it, for good. */
  void resize(long length) {
    content.resize(length);
    sync();
  }

  void sync() {
    stable = content.copy();
  }

  /** The server died: what was not synced is gone. */
  void crash() {
    content = stable.copy();
  }

  long sizeBytes() {
    return switch (type) {
      case FILE -> content.length();
      case SYMLINK -> target.size();
      case DIRECTORY -> 4_096;
      default -> 0;
    };
  }

  NodeAttributes attributes() {
    return new NodeAttributes(
        id,
        type,
        mode,
        links,
        owner,
        group,
        sizeBytes(),
        sizeBytes(),
        rdevMajor,
        rdevMinor,
        atimeNanos,
        mtimeNanos,
        ctimeNanos,
        ctimeNanos,
        0,
        target);
  }
}
