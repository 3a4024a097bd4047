package org.weft.hadoop;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.weft.hadoop.config.ClusterAddress;

/**
 * Weft for {@code FileContext}, found by the key {@code fs.AbstractFileSystem.weft.impl}: a {@link
 * WeftHadoopFileSystem} of its own, with FileContext's atomic rename, paged listings and extended
 * attributes. There is no close: the client that it shares is given back when it is unreachable.
 */
public final class WeftFs extends DelegateToFileSystem {
  /** As AbstractFileSystem makes it. */
  WeftFs(URI name, Configuration conf) throws IOException, URISyntaxException {
    super(name, new WeftHadoopFileSystem(), conf, ClusterAddress.SCHEME, true);
  }

  private WeftHadoopFileSystem weft() {
    return (WeftHadoopFileSystem) fsImpl;
  }

  /**
   * Has no port where the authority is the name of a cluster. Hadoop would add the default port,
   * and a path qualified with it would lead to a host of that name.
   */
  @Override
  public URI getUri() {
    return weft().isNamed() ? weft().getUri() : super.getUri();
  }

  /** None where the authority is the name of a cluster. */
  @Override
  public int getUriDefaultPort() {
    return weft().isNamed() ? -1 : super.getUriDefaultPort();
  }

  @Override
  public FSDataOutputStream createInternal(
      Path path,
      EnumSet<CreateFlag> flags,
      FsPermission absolutePermission,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress,
      ChecksumOpt checksum,
      boolean createParent)
      throws IOException {
    checkPath(path);
    return weft()
        .create(path, new FileCreation(absolutePermission, flags, createParent, Optional.empty()));
  }

  @Override
  public void renameInternal(Path source, Path target) throws IOException {
    renameInternal(source, target, false);
  }

  @Override
  public void renameInternal(Path source, Path target, boolean overwrite) throws IOException {
    checkPath(source);
    checkPath(target);
    weft().renameExactly(source, target, overwrite);
  }

  @Override
  public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
    checkPath(path);
    return fsImpl.listStatusIterator(path);
  }

  @Override
  public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
    checkPath(path);
    return fsImpl.listLocatedStatus(path);
  }

  @Override
  public void access(Path path, FsAction action) throws IOException {
    checkPath(path);
    fsImpl.access(path, action);
  }

  @Override
  public void msync() throws IOException {
    fsImpl.msync();
  }

  @Override
  public void setXAttr(Path path, String name, byte[] value, EnumSet<XAttrSetFlag> flags)
      throws IOException {
    checkPath(path);
    fsImpl.setXAttr(path, name, value, flags);
  }

  @Override
  public byte[] getXAttr(Path path, String name) throws IOException {
    checkPath(path);
    return fsImpl.getXAttr(path, name);
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path) throws IOException {
    checkPath(path);
    return fsImpl.getXAttrs(path);
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
    checkPath(path);
    return fsImpl.getXAttrs(path, names);
  }

  @Override
  public List<String> listXAttrs(Path path) throws IOException {
    checkPath(path);
    return fsImpl.listXAttrs(path);
  }

  @Override
  public void removeXAttr(Path path, String name) throws IOException {
    checkPath(path);
    fsImpl.removeXAttr(path, name);
  }

  @Override
  public AclStatus getAclStatus(Path path) throws IOException {
    checkPath(path);
    return fsImpl.getAclStatus(path);
  }

  @Override
  public void setAcl(Path path, List<AclEntry> entries) throws IOException {
    checkPath(path);
    fsImpl.setAcl(path, entries);
  }

  @Override
  public void modifyAclEntries(Path path, List<AclEntry> entries) throws IOException {
    checkPath(path);
    fsImpl.modifyAclEntries(path, entries);
  }

  @Override
  public void removeAcl(Path path) throws IOException {
    checkPath(path);
    fsImpl.removeAcl(path);
  }

  @Override
  public void removeDefaultAcl(Path path) throws IOException {
    checkPath(path);
    fsImpl.removeDefaultAcl(path);
  }

  @Override
  public void removeAclEntries(Path path, List<AclEntry> entries) throws IOException {
    checkPath(path);
    fsImpl.removeAclEntries(path, entries);
  }
}
