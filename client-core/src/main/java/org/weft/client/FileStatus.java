package org.weft.client;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.client.file.NamedFile;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;

/**
 * What is known of a file or directory at one moment.
 *
 * @param path as it was asked for
 * @param type what it is
 * @param objectId never used again for another file
 * @param sizeBytes the published length; 0 for a directory
 * @param mode permission bits with setuid, setgid and sticky: 07777
 * @param owner the user it belongs to
 * @param group the group it belongs to
 * @param mtimeMillis last change of the contents, wall clock
 * @param ctimeMillis last change of the attributes, wall clock
 * @param atimeMillis last access, where that is kept; else the time of creation
 * @param entries of a directory
 * @param map where the components of a file lie; empty for a directory
 * @param changeNumber differs after each change: an entity tag
 * @param links how many names lead to it
 * @param symlinkTarget where a symbolic link leads; empty for anything else
 * @param defaultLayout how new files of a directory are cut, if not by the volume's default
 * @param hasAcl entries stand beside the mode, or a default ACL; the mode's group bits may be a
 *     mask
 */
public record FileStatus(
    WeftPath path,
    FileType type,
    long objectId,
    long sizeBytes,
    int mode,
    String owner,
    String group,
    long mtimeMillis,
    long ctimeMillis,
    long atimeMillis,
    long entries,
    Optional<StorageMap> map,
    long changeNumber,
    int links,
    Optional<String> symlinkTarget,
    Optional<LayoutSpec> defaultLayout,
    boolean hasAcl) {

  /** True for a directory, and the top of a volume. */
  public boolean isDirectory() {
    return type == FileType.DIRECTORY;
  }

  /** True for a file with bytes. */
  public boolean isFile() {
    return type == FileType.FILE;
  }

  /** True for a symbolic link. */
  public boolean isSymlink() {
    return type == FileType.SYMLINK;
  }

  /** How a file is cut into units; empty for a directory. */
  public Optional<Layout> layout() {
    return map.map(StorageMap::layout);
  }

  /** The file at a path, for what tells of it by what managers say. */
  static NamedFile<FileStatus> named(WeftPath path) {
    return new NamedFile<>(path.toString(), attributes -> fromMessage(path, attributes));
  }

  static FileStatus fromMessage(WeftPath path, FileAttributes message) {
    FileType type = typeOf(message.getKind());
    boolean hasMap = type == FileType.FILE && message.getMap().hasLayout();
    return new FileStatus(
        path,
        type,
        message.getObjectId(),
        type == FileType.DIRECTORY ? 0 : message.getSize(),
        message.getMode(),
        message.getOwner(),
        message.getGroup(),
        message.getMtimeMillis(),
        message.getCtimeMillis(),
        message.getAtimeMillis(),
        message.getEntries(),
        hasMap ? Optional.of(StorageMap.fromMessage(message.getMap())) : Optional.empty(),
        message.getChangeLsn(),
        message.getLinks(),
        type == FileType.SYMLINK
            ? Optional.of(message.getSymlinkTarget().toStringUtf8())
            : Optional.empty(),
        message.hasDefaultLayout()
            ? Optional.of(LayoutSpec.fromMessage(message.getDefaultLayout()))
            : Optional.empty(),
        message.getHasAcl() || message.hasAccessAcl() || message.hasDefaultAcl());
  }

  /** Extended attributes, in order of their names. */
  static SortedMap<String, byte[]> xattrs(FileAttributes attributes) {
    SortedMap<String, byte[]> all = new TreeMap<>();
    attributes
        .getXattrList()
        .forEach(xattr -> all.put(xattr.getName(), xattr.getValue().toByteArray()));
    return all;
  }

  private static FileType typeOf(FileKind kind) {
    return switch (kind) {
      case DIRECTORY, VOLUME -> FileType.DIRECTORY;
      case SYMLINK -> FileType.SYMLINK;
      case FIFO, SOCKET, CHARACTER_DEVICE, BLOCK_DEVICE -> FileType.SPECIAL;
      case FILE, FILE_KIND_UNSPECIFIED, UNRECOGNIZED -> FileType.FILE;
    };
  }
}
