package org.weft.metadata.attributes;

import com.google.protobuf.ByteString;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.acl.Acls;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.LayoutMessage;

/**
 * Everything that attribute page 0 says of a node. Immutable; {@link #edit} starts a changed copy.
 *
 * @param mode permission bits with setuid, setgid and sticky: 0..07777
 * @param sizeBytes published length
 * @param entries of a directory: how many names are in it
 * @param changeLsn LSN of the record that last changed the node: an entity tag
 * @param createGrant grant number under which a file was created
 * @param xattrs extended attributes by name
 * @param defaultLayout of a directory: the layout of new files in it; zeros stand for the volume's
 *     default
 * @param unwritten of a file: no client that has closed it had sent anything to its components, and
 *     each closed it in order. False of every file with a length
 * @param device of a device node: its numbers
 * @param createVerifier of the request that made a file EXCLUSIVE, until attributes are set
 * @param quotaTree directory whose tree the node is counted in; {@link #UNCOUNTED}: in none
 * @param acls what stands beside the mode
 */
public record Attributes(
    ObjectId object,
    NodeKind kind,
    int mode,
    String owner,
    String group,
    long sizeBytes,
    Times times,
    int links,
    StorageMap map,
    ParentHint parent,
    Truncation truncation,
    Lsn changeLsn,
    ByteString symlinkTarget,
    long entries,
    Lsn createGrant,
    SortedMap<String, ByteString> xattrs,
    Optional<LayoutMessage> defaultLayout,
    boolean unwritten,
    Device device,
    OptionalLong createVerifier,
    ObjectId quotaTree,
    Acls acls) {
  /** In the place of a tree. */
  public static final ObjectId UNCOUNTED = new ObjectId(0);

  /** All bits a mode may have. */
  public static final int MODE_BITS = 07777;

  /** Tags and lengths of one extended attribute in the schema, at most. */
  private static final int XATTR_OVERHEAD_BYTES = 16;

  public Attributes {
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(owner, "owner");
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(times, "times");
    Objects.requireNonNull(map, "map");
    Objects.requireNonNull(parent, "parent");
    Objects.requireNonNull(truncation, "truncation");
    Objects.requireNonNull(changeLsn, "changeLsn");
    Objects.requireNonNull(symlinkTarget, "symlinkTarget");
    Objects.requireNonNull(createGrant, "createGrant");
    xattrs =
        xattrs.isEmpty()
            ? Collections.emptySortedMap()
            : Collections.unmodifiableSortedMap(new TreeMap<>(xattrs));
    Objects.requireNonNull(defaultLayout, "defaultLayout");
    Objects.requireNonNull(device, "device");
    Objects.requireNonNull(createVerifier, "createVerifier");
    Objects.requireNonNull(quotaTree, "quotaTree");
    Objects.requireNonNull(acls, "acls");
    if ((mode & ~MODE_BITS) != 0) {
      throw new IllegalArgumentException(
          "mode must be 0..07777, got 0" + Integer.toOctalString(mode));
    }
    if (sizeBytes < 0 || links < 0 || entries < 0) {
      throw new IllegalArgumentException(
          "size, links and entries are not negative, got "
              + sizeBytes
              + ", "
              + links
              + ", "
              + entries);
    }
  }

  /** A new node: mode 0, one link, empty, without an owner until the builder sets one. */
  public static AttributesBuilder create(ObjectId object, NodeKind kind, StorageMap map) {
    return new AttributesBuilder(object, kind, map);
  }

  /** A copy to change. */
  public AttributesBuilder edit() {
    return new AttributesBuilder(this);
  }

  public boolean isDirectory() {
    return kind == NodeKind.DIRECTORY;
  }

  public boolean isSymlink() {
    return kind == NodeKind.SYMLINK;
  }

  /** It has neither bytes nor entries. */
  public boolean isAttributesAlone() {
    return isSymlink() || kind.isSpecial();
  }

  /** Bytes that it counts in quotas: the length of a file; other kinds count none. */
  public long countedBytes() {
    return kind == NodeKind.FILE ? sizeBytes : 0;
  }

  /** Bytes that its extended attributes and its ACLs take in its page, about. */
  public int extraBytes() {
    return xattrBytes() + acls.bytes();
  }

  /** Bytes that its extended attributes take in its page, about. */
  public int xattrBytes() {
    int bytes = 0;
    for (Map.Entry<String, ByteString> xattr : xattrs.entrySet()) {
      bytes += XATTR_OVERHEAD_BYTES + 3 * xattr.getKey().length() + xattr.getValue().size();
    }
    return bytes;
  }
}
