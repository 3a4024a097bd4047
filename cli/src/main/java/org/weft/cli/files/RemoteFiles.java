package org.weft.cli.files;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.weft.client.AclStatus;
import org.weft.client.AttributeChanges;
import org.weft.client.FileStatus;
import org.weft.client.LayoutSpec;
import org.weft.client.LockList;
import org.weft.client.SpaceStatus;
import org.weft.client.WeftPath;
import org.weft.client.WeftQuota;
import org.weft.client.XattrMode;
import org.weft.client.health.DamagedFiles;
import org.weft.client.health.VolumeCheckStatus;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.id.OsdId;

/**
 * What file commands need of a cluster. Blocks; thread-safe. A last name that is a symbolic link is
 * followed, except where a method says otherwise.
 */
public interface RemoteFiles {
  /** Entries one by one. */
  interface Entries {
    /** The next; null at the end. A symbolic link stands for itself. */
    FileStatus next() throws IOException;
  }

  /** A file being written; closing publishes it. */
  abstract class Output extends OutputStream {
    /** Gives up what was written. */
    public abstract void abort() throws IOException;
  }

  /** A file open for reading at any position; its end moves with {@link #refresh}. Thread-safe. */
  interface OpenFile extends AutoCloseable {
    /** As it was when it was opened. */
    FileStatus status();

    /** Bytes read; -1 at or behind the end that is known. */
    int read(long positionBytes, byte[] target, int offset, int length) throws IOException;

    /** The length published by now, of this file, whatever its name leads to meanwhile. */
    long refresh() throws IOException;

    @Override
    void close();
  }

  /**
   * An OSD as the cluster's table has it.
   *
   * @param state "up", "suspect", "down", "quarantined"
   * @param host its fault domain
   * @param address "HOST:PORT"; several separated by commas
   */
  record OsdNode(OsdId id, String state, String host, String address) {}

  Optional<FileStatus> find(WeftPath path) throws IOException;

  /** The same of a symbolic link itself. */
  Optional<FileStatus> findLink(WeftPath path) throws IOException;

  Entries list(WeftPath directory) throws IOException;

  /** The same with paths and types only. */
  Entries listNames(WeftPath directory) throws IOException;

  /** Makes a directory; with parents, one that exists is no error. */
  void mkdir(WeftPath path, int mode, boolean parents) throws IOException;

  /** Makes a file; EXISTS if there is one that may not be replaced. */
  Output create(WeftPath path, int mode, boolean replace) throws IOException;

  /** Writes behind a file's end. */
  Output append(WeftPath path) throws IOException;

  /** A file's bytes from the beginning. */
  InputStream open(WeftPath path) throws IOException;

  OpenFile openFile(WeftPath path) throws IOException;

  void rename(WeftPath source, WeftPath target, boolean replace) throws IOException;

  /** Of a symbolic link: the link. */
  void unlink(WeftPath path) throws IOException;

  void rmdir(WeftPath path) throws IOException;

  FileStatus setAttributes(WeftPath path, AttributeChanges changes) throws IOException;

  FileStatus truncate(WeftPath path, long sizeBytes) throws IOException;

  FileStatus link(WeftPath existing, WeftPath path) throws IOException;

  FileStatus symlink(String target, WeftPath path) throws IOException;

  SortedMap<String, byte[]> xattrs(WeftPath path) throws IOException;

  void setXattr(WeftPath path, String name, byte[] value, XattrMode mode) throws IOException;

  void removeXattr(WeftPath path, String name) throws IOException;

  AclStatus acl(WeftPath path) throws IOException;

  /** Changes access control lists in one step. */
  void changeAcl(WeftPath path, AclChange change, List<AclEntry> entries) throws IOException;

  /** Empty: by the volume's default again. */
  FileStatus setLayout(WeftPath directory, Optional<LayoutSpec> layout) throws IOException;

  /** The locks on a file, and their owners. */
  LockList locks(WeftPath path) throws IOException;

  /**
   * Files that have lost bytes, of the volume that holds the path.
   *
   * @param after behind the file with this object id
   */
  DamagedFiles damage(WeftPath path, long after) throws IOException;

  /** The space at the path, by its quotas. */
  SpaceStatus space(WeftPath path) throws IOException;

  /** The quotas that the path is under. */
  WeftQuota.Over quotasOver(WeftPath path) throws IOException;

  /** All quotas of the volume that holds the path. */
  WeftQuota.Over quotas(WeftPath path) throws IOException;

  /** Limits a directory's tree; no limits clear its quota. */
  WeftQuota setQuota(WeftPath directory, WeftQuota.Limits limits) throws IOException;

  /** Begins a check of the volume that holds the path, or finds the one that is under way. */
  VolumeCheckStatus startCheck(WeftPath path, boolean parity) throws IOException;

  /**
   * How far a check is.
   *
   * @param id 0: the newest one
   * @param afterFinding findings behind the one with this number
   * @param max at most so many
   */
  VolumeCheckStatus checkStatus(WeftPath path, long id, long afterFinding, int max)
      throws IOException;

  /** Ends the check that is under way. */
  VolumeCheckStatus cancelCheck(WeftPath path) throws IOException;

  SpaceStatus space() throws IOException;

  /** Empty for an OSD that the cluster does not know. */
  Optional<OsdNode> osd(OsdId id);
}
