package org.weft.cli.files;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.client.AclStatus;
import org.weft.client.FileStatus;
import org.weft.client.FileType;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftPath;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** A file, directory or symbolic link in memory. Guarded by its {@link MemoryFiles}. */
public final class MemoryNode {
  private static final AtomicLong NEXT_ID = new AtomicLong(70_000);
  private static final long MTIME_MILLIS = 1_795_000_000_000L;

  final FileType type;
  final long objectId = NEXT_ID.getAndIncrement();
  final SortedMap<String, byte[]> xattrs = new TreeMap<>();
  String target = "";
  Optional<LayoutSpec> layout = Optional.empty();
  int links = 1;
  byte[] bytes = new byte[0];
  public int mode;
  public String owner = "ann";
  public String group = "staff";
  public long mtimeMillis = MTIME_MILLIS;
  public long atimeMillis = MTIME_MILLIS;

  /** Of a file: three OSDs. */
  public StorageMap map =
      StorageMap.of(Layout.of(2, 1), List.of(new OsdId(3), new OsdId(1), new OsdId(2)));

  MemoryNode(FileType type, int mode) {
    this.type = type;
    this.mode = mode;
  }

  static MemoryNode symbolicLink(String target) {
    MemoryNode node = new MemoryNode(FileType.SYMLINK, 0777);
    node.target = target;
    return node;
  }

  /** Null: the mode alone counts. */
  AclStatus acl;

  FileStatus status(WeftPath path, long entries) {
    return new FileStatus(
        path,
        type,
        objectId,
        type == FileType.SYMLINK ? target.length() : bytes.length,
        mode,
        owner,
        group,
        mtimeMillis,
        mtimeMillis,
        atimeMillis,
        entries,
        type == FileType.FILE ? Optional.of(map) : Optional.empty(),
        1,
        links,
        type == FileType.SYMLINK ? Optional.of(target) : Optional.empty(),
        layout,
        acl != null);
  }
}
