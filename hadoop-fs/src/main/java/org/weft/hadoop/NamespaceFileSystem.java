package org.weft.hadoop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsCreateModes;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.AttributeChanges;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.hadoop.config.ConnectorKey;
import org.weft.protocol.acl.AclChange;

/** Operations on the names and attributes of files. The subclass adds their bytes. */
abstract class NamespaceFileSystem extends ConnectedFileSystem implements LeaseRecoverable {
  private static final Logger LOG = LoggerFactory.getLogger(WeftHadoopFileSystem.class);

  private final AtomicBoolean replicationIsExplained = new AtomicBoolean();

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return look(StoreStatisticNames.OP_GET_FILE_STATUS, path, this::status);
  }

  private WeftFileStatus status(WeftFiles files, WeftPath path) throws IOException {
    return statuses().of(files.lookup(path));
  }

  @Override
  public FileStatus getFileLinkStatus(Path path) throws IOException {
    return look(
        StoreStatisticNames.OP_GET_FILE_STATUS,
        path,
        (files, where) -> statuses().of(files.linkAttributes(where)));
  }

  /** The target as it was given; {@link #getFileLinkStatus} has it in full. */
  @Override
  public Path getLinkTarget(Path path) throws IOException {
    return look(
        StoreStatisticNames.OP_GET_FILE_STATUS,
        path,
        (files, where) ->
            Links.asPath(
                files
                    .linkAttributes(where)
                    .symlinkTarget()
                    .orElseThrow(
                        () ->
                            new IOException(
                                "Path " + names().qualified(path) + " is not a symbolic link"))));
  }

  @Override
  protected Path resolveLink(Path path) throws IOException {
    return getLinkTarget(path);
  }

  @Override
  public boolean supportsSymlinks() {
    return true;
  }

  @Override
  public void createSymlink(Path target, Path link, boolean createParent) throws IOException {
    String stored = Links.stored(target, getUri());
    change(
        StoreStatisticNames.OP_CREATE,
        link,
        (files, where) -> {
          if (createParent && where.parent().isPresent()) {
            files.mkdirs(where.parent().get(), WeftFiles.DIRECTORY_MODE);
          }
          return files.symlink(stored, where);
        });
  }

  /**
   * As the configuration's umask is by now: it may be changed while the instance lives. What was
   * asked for stays known: a default ACL takes the umask's place.
   */
  final FsPermission masked(FsPermission permission, FsPermission otherwise) {
    FsPermission asked = permission == null ? otherwise : permission;
    FsPermission unmasked = asked.getUnmasked() == null ? asked : asked.getUnmasked();
    return FsCreateModes.create(asked.applyUMask(FsPermission.getUMask(getConf())), unmasked);
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    return primitiveMkdir(path, masked(permission, FsPermission.getDirDefault()));
  }

  /** Called by FileContext, which has taken the umask off. */
  @Override
  @Deprecated
  protected boolean primitiveMkdir(Path path, FsPermission absolutePermission) throws IOException {
    primitiveMkdir(path, absolutePermission, true);
    return true;
  }

  @Override
  @Deprecated
  protected void primitiveMkdir(Path path, FsPermission absolutePermission, boolean createParent)
      throws IOException {
    change(
        StoreStatisticNames.OP_MKDIRS,
        path,
        (files, where) -> {
          new NamespaceChanges(files)
              .mkdirExactly(where, AskedMode.of(absolutePermission), createParent);
          return null;
        });
  }

  @Override
  public boolean rename(Path source, Path target) throws IOException {
    WeftPath to = at(target);
    return change(
        StoreStatisticNames.OP_RENAME,
        source,
        (files, from) -> new Renaming(files).intoOrTo(from, to));
  }

  // Hadoop's own, which its FileContext calls: nothing is to be inlined.
  @SuppressWarnings("InlineMeSuggester")
  @Override
  @Deprecated
  protected void rename(Path source, Path target, Options.Rename... options) throws IOException {
    renameExactly(source, target, List.of(options).contains(Options.Rename.OVERWRITE));
  }

  /**
   * As {@code FileContext.rename}: to exactly that name, never into a directory that has it.
   * Durable when it returns.
   *
   * @param overwrite a file may be replaced by a file, an empty directory by a directory
   * @throws IOException if the name is taken, or the source is missing
   */
  public final void renameExactly(Path source, Path target, boolean overwrite) throws IOException {
    WeftPath to = at(target);
    change(
        StoreStatisticNames.OP_RENAME,
        source,
        (files, from) -> {
          new Renaming(files).exactlyTo(from, to, overwrite);
          return null;
        });
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    return change(
        StoreStatisticNames.OP_DELETE,
        path,
        (files, where) ->
            new PathRemoval(files, settings().parallelRequests()).delete(where, recursive));
  }

  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    set(
        StoreStatisticNames.OP_SET_PERMISSION,
        path,
        AttributeChanges.none().withMode(permission.toShort()));
  }

  @Override
  public void setOwner(Path path, String owner, String group) throws IOException {
    set(StoreStatisticNames.OP_SET_OWNER, path, NamespaceChanges.ownership(path, owner, group));
  }

  @Override
  public void setTimes(Path path, long mtimeMillis, long atimeMillis) throws IOException {
    set(StoreStatisticNames.OP_SET_TIMES, path, NamespaceChanges.times(mtimeMillis, atimeMillis));
  }

  private void set(String operation, Path path, AttributeChanges changes) throws IOException {
    change(operation, path, (files, where) -> files.setAttributes(where, changes));
  }

  @Override
  public void setXAttr(Path path, String name, byte[] value, EnumSet<XAttrSetFlag> flags)
      throws IOException {
    change(
        StoreStatisticNames.OP_XATTR_GET_NAMED,
        path,
        (files, where) -> {
          new Xattrs(files).set(where, name, value, flags);
          return null;
        });
  }

  @Override
  public byte[] getXAttr(Path path, String name) throws IOException {
    return look(
        StoreStatisticNames.OP_XATTR_GET_NAMED,
        path,
        (files, where) -> new Xattrs(files).get(where, name));
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path) throws IOException {
    return look(StoreStatisticNames.OP_XATTR_GET_MAP, path, (files, where) -> files.xattrs(where));
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path, List<String> wanted) throws IOException {
    return look(
        StoreStatisticNames.OP_XATTR_GET_NAMED_MAP,
        path,
        (files, where) -> new Xattrs(files).named(where, wanted));
  }

  @Override
  public List<String> listXAttrs(Path path) throws IOException {
    return look(
        StoreStatisticNames.OP_XATTR_LIST,
        path,
        (files, where) -> new ArrayList<>(files.xattrs(where).keySet()));
  }

  @Override
  public void removeXAttr(Path path, String name) throws IOException {
    change(
        StoreStatisticNames.OP_XATTR_GET_NAMED,
        path,
        (files, where) -> {
          new Xattrs(files).remove(where, name);
          return null;
        });
  }

  @Override
  public AclStatus getAclStatus(Path path) throws IOException {
    return look(
        StoreStatisticNames.OP_GET_FILE_STATUS,
        path,
        (files, where) -> new HadoopAcls(files).status(where));
  }

  @Override
  public void setAcl(Path path, List<AclEntry> entries) throws IOException {
    changeAcl(path, AclChange.REPLACE, entries);
  }

  @Override
  public void modifyAclEntries(Path path, List<AclEntry> entries) throws IOException {
    changeAcl(path, AclChange.MODIFY, entries);
  }

  @Override
  public void removeAcl(Path path) throws IOException {
    changeAcl(path, AclChange.REMOVE_ALL, List.of());
  }

  @Override
  public void removeDefaultAcl(Path path) throws IOException {
    changeAcl(path, AclChange.REMOVE_DEFAULT, List.of());
  }

  @Override
  public void removeAclEntries(Path path, List<AclEntry> entries) throws IOException {
    changeAcl(path, AclChange.REMOVE_ENTRIES, entries);
  }

  private void changeAcl(Path path, AclChange change, List<AclEntry> entries) throws IOException {
    change(
        StoreStatisticNames.OP_SET_ACL,
        path,
        (files, where) -> {
          new HadoopAcls(files).change(where, change, entries);
          return null;
        });
  }

  /**
   * Changes nothing, and says so once. As in HDFS, true for a file, and false for a directory and
   * for what is not there.
   */
  @Override
  public boolean setReplication(Path path, short replication) throws IOException {
    boolean isFile =
        look(
            StoreStatisticNames.OP_GET_FILE_STATUS,
            path,
            (files, where) ->
                files.find(where).filter(org.weft.client.FileStatus::isFile).isPresent());
    if (isFile && !replicationIsExplained.getAndSet(true)) {
      LOG.warn(
          "setReplication({}, {}) changes nothing: Weft keeps files by the parity of their layout."
              + " Choose it for new files by {} and {}, or by the layout of their directory",
          path,
          replication,
          ConnectorKey.DATA_UNITS.key(),
          ConnectorKey.PARITY_UNITS.key());
    }
    return isFile;
  }

  @Override
  public boolean recoverLease(Path path) throws IOException {
    return change(
        StoreStatisticNames.OP_OPEN,
        path,
        (files, where) -> {
          NamespaceChanges.requireFile(files, where);
          return files.recoverLease(where);
        });
  }

  @Override
  public boolean isFileClosed(Path path) throws IOException {
    return look(
        StoreStatisticNames.OP_GET_FILE_STATUS,
        path,
        (files, where) -> {
          NamespaceChanges.requireFile(files, where);
          return files.isClosed(where);
        });
  }

  @Override
  public void access(Path path, FsAction action) throws IOException {
    FileStatus status = getFileStatus(path);
    look(
        StoreStatisticNames.OP_ACCESS,
        path,
        (files, where) -> {
          if (status.hasAcl()) {
            files.requireRights(where, action.ordinal());
          } else {
            new AccessCheck(files, connection()).require(where, status, action);
          }
          return null;
        });
  }

  @Override
  public ContentSummary getContentSummary(Path path) throws IOException {
    return look(
        StoreStatisticNames.OP_GET_CONTENT_SUMMARY,
        path,
        (files, where) ->
            new ContentCount(files, settings().pageEntries(), settings().parallelRequests())
                .count(where));
  }

  /**
   * As {@code hdfs dfsadmin -setQuota} and {@code -setSpaceQuota}; but bytes are those of files,
   * not what is stored of them. The superuser's.
   */
  @Override
  public void setQuota(Path path, long namespaceQuota, long storagespaceQuota) throws IOException {
    change(
        StoreStatisticNames.OP_SET_PERMISSION,
        path,
        (files, where) -> {
          QuotaSummaries.set(files, where, namespaceQuota, storagespaceQuota);
          return null;
        });
  }

  /**
   * The manager knows the usage of a directory whose tree is counted; other trees are counted here.
   */
  @Override
  public QuotaUsage getQuotaUsage(Path path) throws IOException {
    Optional<QuotaUsage> known =
        look(
            StoreStatisticNames.OP_GET_CONTENT_SUMMARY,
            path,
            (files, where) -> QuotaSummaries.usage(files, where));
    return known.isPresent() ? known.get() : getContentSummary(path);
  }
}
