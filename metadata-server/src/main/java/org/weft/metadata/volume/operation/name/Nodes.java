package org.weft.metadata.volume.operation.name;

import com.google.protobuf.ByteString;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.weft.metadata.acl.Acls;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesBuilder;
import org.weft.metadata.attributes.Device;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.attributes.ParentHint;
import org.weft.metadata.attributes.Times;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.HashKey;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.operation.GrantEnd;
import org.weft.metadata.volume.operation.QuotaDesk;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.StorageMap;

/**
 * Changes to the namespace, in the draft of one execution: entries together with the counts and
 * times of their directory, nodes together with their entry.
 *
 * <p>A directory has 2 links and one more for each directory in it, as POSIX counts them.
 */
public final class Nodes {
  private static final int DIRECTORY_LINKS = 2;

  /** The permissions of a symbolic link are never checked. */
  private static final int SYMLINK_MODE = 0777;

  private final Execution on;

  public Nodes(Execution on) {
    this.on = on;
  }

  /** A new file and its entry; the record's LSN is its create grant. */
  public Attributes newFile(Attributes parent, String name, int mode, StorageMap map) {
    Attributes file =
        on.draft()
            .put(
                newNode(parent, name, NodeKind.FILE, mode, map)
                    .createGrant(on.draft().lsn())
                    .unwritten(true)
                    .build());
    link(parent, name, file);
    return file;
  }

  /** A new, empty directory and its entry. */
  public Attributes newDirectory(Attributes parent, String name, int mode) throws WeftException {
    StorageMap map = on.placement().directory();
    Attributes directory =
        on.draft()
            .put(
                newNode(parent, name, NodeKind.DIRECTORY, mode, map)
                    .links(DIRECTORY_LINKS)
                    .defaultLayout(parent.defaultLayout())
                    .build());
    on.draft().createDirectory(directory.object(), HashKey.draw(on.random()));
    link(parent, name, directory);
    return directory;
  }

  /** A new symbolic link and its entry: attributes alone, as many copies as of a directory. */
  public Attributes newSymlink(Attributes parent, String name, ByteString target)
      throws WeftException {
    Attributes symlink =
        on.draft()
            .put(
                newNode(parent, name, NodeKind.SYMLINK, SYMLINK_MODE, on.placement().directory())
                    .sizeBytes(target.size())
                    .symlinkTarget(target)
                    .build());
    link(parent, name, symlink);
    return symlink;
  }

  /** A new FIFO, socket or device and its entry: attributes alone, as of a symbolic link. */
  public Attributes newSpecial(
      Attributes parent, String name, NodeKind kind, int mode, Device device) throws WeftException {
    Attributes special =
        on.draft()
            .put(
                newNode(parent, name, kind, mode, on.placement().directory())
                    .device(device)
                    .build());
    link(parent, name, special);
    return special;
  }

  /** One more name for a node that has some. */
  public Attributes addName(Attributes parent, String name, Attributes node) {
    Attributes linked =
        on.draft()
            .put(
                node.edit()
                    .links(node.links() + 1)
                    .parent(ParentHint.MANY)
                    .times(withCtime(node))
                    .build());
    link(parent, name, linked);
    return linked;
  }

  /** The root directory of a new volume. */
  public Attributes newRoot(StorageMap map, String owner, String group, int mode) {
    Attributes root =
        on.draft()
            .put(
                Attributes.create(ObjectId.ROOT, NodeKind.DIRECTORY, map)
                    .mode(mode)
                    .owner(owner)
                    .group(group)
                    .times(Times.of(on.dayNanos()))
                    .links(DIRECTORY_LINKS)
                    .quotaTree(ObjectId.ROOT)
                    .build());
    new QuotaDesk(on).countFromBirth();
    on.draft().createDirectory(ObjectId.ROOT, HashKey.draw(on.random()));
    on.counters().addFiles(1);
    return root;
  }

  private AttributesBuilder newNode(
      Attributes parent, String name, NodeKind kind, int mode, StorageMap map) {
    on.counters().addFiles(1);
    Acls around = kind == NodeKind.SYMLINK ? Acls.NONE : parent.acls();
    return Attributes.create(on.counters().drawObject(), kind, map)
        .mode(around.modeOfNew(Permissions.modeOfNew(parent, kind, mode, on.credentials())))
        .acls(around.ofNew(kind == NodeKind.DIRECTORY))
        .owner(on.credentials().user())
        .group(Permissions.groupOfNew(parent))
        .times(Times.of(on.dayNanos()))
        .parent(new ParentHint(parent.object(), name))
        .quotaTree(parent.quotaTree());
  }

  /** The name, where nothing stands, leads to the node from now on. */
  public void link(Attributes parent, String name, Attributes node) {
    putEntry(parent, name, node);
    countEntries(parent, 1, node.isDirectory() ? 1 : 0);
  }

  /** The name, which leads to the node, leads nowhere from now on. */
  public void unlink(Attributes parent, String name, Attributes node) {
    unlink(parent, name, node.isDirectory());
  }

  /** As the other one, of a node whose attributes are not known. */
  public void unlink(Attributes parent, String name, boolean directory) {
    on.draft().removeEntry(parent.object(), name);
    countEntries(parent, -1, directory ? -1 : 0);
  }

  /** The node has another name or directory from now on. */
  public void moved(Attributes node, Attributes parent, String name, Object what)
      throws NeedsInput, WeftException {
    boolean single = node.isDirectory() || node.links() == 1;
    ParentHint hint = single ? new ParentHint(parent.object(), name) : ParentHint.MANY;
    on.draft().put(node.edit().parent(hint).times(withCtime(node)).build());
    new QuotaDesk(on).moved(node.object(), parent, what);
  }

  /**
   * One name of the node is gone. With the last one its objects go. It becomes an orphan while a
   * client writes it or has it open (P 6.6).
   */
  public void remove(Attributes node) {
    if (!node.isDirectory() && node.links() > 1) {
      on.draft().put(node.edit().links(node.links() - 1).times(withCtime(node)).build());
      return;
    }
    on.counters().addFiles(-1);
    List<OsdId> holders = holders(node);
    if (node.kind() != NodeKind.FILE || !on.isInUse(node.object())) {
      on.draft().removeObject(node.object(), holders);
      return;
    }
    on.draft().put(node.edit().links(0).times(withCtime(node)).build());
    on.draft().add(new LiveEffect.OrphanAdded(node.object(), holders));
  }

  /**
   * Another file has taken a name of the file. If it was the last one, its writers are shut out.
   * Its objects go at once, or when the last reader that has it open has closed it (P 6.6).
   *
   * @param why for its writers
   */
  void replace(Attributes node, String why) {
    boolean written = on.grants().find(node.object()).isPresent();
    if (written && node.links() == 1) {
      new GrantEnd(on).revokeNameless(node.object(), why);
    }
    if (!written || node.links() > 1 || on.isRead(node.object())) {
      remove(node);
    } else {
      on.counters().addFiles(-1);
      on.draft().removeObject(node.object(), holders(node.map()));
    }
  }

  /**
   * The directory lies below the root, not below {@code excluded}, and not too deep for one more.
   *
   * @param excluded a directory that is about to move into it; null for none
   * @throws WeftException INVALID_ARGUMENT
   */
  public void requireRoomBelow(Attributes directory, ObjectId excluded, Object what)
      throws NeedsInput, WeftException {
    Attributes current = directory;
    for (int depth = 1; ; depth++) {
      if (current.object().equals(excluded)) {
        throw new WeftException(
            ErrorCode.INVALID_ARGUMENT, "a directory cannot move into itself: " + what);
      }
      if (current.object().equals(ObjectId.ROOT)) {
        return;
      }
      if (depth >= NodePath.MAX_DEPTH) {
        throw new WeftException(
            ErrorCode.INVALID_ARGUMENT,
            what + " would lie deeper than " + NodePath.MAX_DEPTH + " directories");
      }
      current = on.view().attributes(current.parent().directory(), List.of(), what);
    }
  }

  /** OSDs that may have something of the node. */
  private List<OsdId> holders(Attributes node) {
    return node.unwritten() && on.grants().find(node.object()).isEmpty()
        ? node.map().attributeHolders(on.settings().metaCopies())
        : holders(node.map());
  }

  /** Every OSD of a map, each once. */
  public static List<OsdId> holders(StorageMap map) {
    Set<OsdId> holders = new LinkedHashSet<>(map.components());
    holders.addAll(map.attributeOsds());
    return List.copyOf(holders);
  }

  /** The name, where nothing stands, leads to another volume from now on. */
  void linkVolume(Attributes parent, String name, PartitionId volume) {
    on.draft().putEntry(parent.object(), name, VolumeEntries.entry(volume, on.draft().lsn()));
    countEntries(parent, 1, 1);
  }

  /** The name, which leads to another volume, leads nowhere from now on. */
  void unlinkVolume(Attributes parent, String name) {
    on.draft().removeEntry(parent.object(), name);
    countEntries(parent, -1, -1);
  }

  private void putEntry(Attributes parent, String name, Attributes node) {
    Lsn lsn = on.draft().lsn();
    List<OsdId> hints = node.map().attributeHolders(on.settings().metaCopies());
    on.draft()
        .putEntry(
            parent.object(), name, new DirectoryEntry(node.object(), node.kind(), lsn, hints));
  }

  private void countEntries(Attributes parent, int entries, int links) {
    Attributes current = on.draft().attributes(parent.object()).orElse(parent);
    on.draft()
        .put(
            current
                .edit()
                .entries(current.entries() + entries)
                .links(current.links() + links)
                .times(current.times().changed(on.dayNanos()))
                .build());
  }

  private Times withCtime(Attributes node) {
    return node.times().touched(on.dayNanos());
  }
}
