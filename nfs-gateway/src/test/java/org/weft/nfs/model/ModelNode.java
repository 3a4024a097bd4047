package org.weft.nfs.model;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.weft.nfs.files.Attributes;
import org.weft.nfs.files.Device;
import org.weft.nfs.files.FileId;
import org.weft.nfs.files.FileType;

/** A node of the model. What was written and not yet synced is lost when its server crashes. */
final class ModelNode {
  /** A name in a directory. */
  record Name(String text, long cookie, FileId id) {}

  final FileId id;
  final FileType type;
  int mode;
  int links = 1;
  String owner;
  String group;
  Device device = Device.NONE;
  long atimeNanos;
  long mtimeNanos;
  long ctimeNanos;
  FileId parent;
  OptionalLong exclusive = OptionalLong.empty();
  byte[] target = new byte[0];

  private ModelContent content = new ModelContent();
  private ModelContent stable = new ModelContent();

  final Map<String, Name> names = new HashMap<>();
  final TreeMap<Long, Name> namesByCookie = new TreeMap<>();
  private long lastCookie;

  ModelNode(FileId id, FileType type, int mode, String owner, String group) {
    this.id = id;
    this.type = type;
    this.mode = mode;
    this.owner = owner;
    this.group = group;
  }

  boolean isDirectory() {
    return type == FileType.DIRECTORY;
  }

  void add(String name, FileId child) {
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
      case REGULAR -> content.length();
      case SYMLINK -> target.length;
      case DIRECTORY -> 4_096;
      default -> 0;
    };
  }

  Attributes attributes() {
    return new Attributes(
        id,
        type,
        mode,
        links,
        owner,
        group,
        sizeBytes(),
        sizeBytes(),
        device,
        atimeNanos,
        mtimeNanos,
        ctimeNanos);
  }
}
