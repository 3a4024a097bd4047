package org.weft.cli.files;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.weft.client.AclStatus;
import org.weft.client.AttributeChanges;
import org.weft.client.Blocking;
import org.weft.client.CreateOptions;
import org.weft.client.FileLocks;
import org.weft.client.FileStatus;
import org.weft.client.LayoutSpec;
import org.weft.client.LockList;
import org.weft.client.SpaceStatus;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.WeftInput;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.client.WeftQuota;
import org.weft.client.XattrMode;
import org.weft.client.cluster.ClusterView;
import org.weft.client.health.DamagedFiles;
import org.weft.client.health.HealthCalls;
import org.weft.client.health.VolumeCheckStatus;
import org.weft.client.internal.ClientParts;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.OsdRow;

/** The files of a real cluster. */
final class ClusterFiles implements RemoteFiles {
  private static final int DAMAGED_AT_ONCE = 200;

  private final WeftFiles files;
  private final HealthCalls health;
  private final FileLocks locks;
  private final ClusterView cluster;

  ClusterFiles(WeftClient client) {
    this.files = client.files();
    this.health = ClientParts.of(client).health();
    this.locks = client.locks();
    this.cluster = ClientParts.of(client).cluster();
  }

  @Override
  public Optional<FileStatus> find(WeftPath path) throws IOException {
    return files.find(path);
  }

  @Override
  public Optional<FileStatus> findLink(WeftPath path) throws IOException {
    try {
      return Optional.of(files.linkAttributes(path));
    } catch (WeftException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public Entries list(WeftPath directory) throws IOException {
    return files.list(directory)::next;
  }

  @Override
  public Entries listNames(WeftPath directory) throws IOException {
    return files.listNames(directory)::next;
  }

  @Override
  public void mkdir(WeftPath path, int mode, boolean parents) throws IOException {
    var unused = parents ? files.mkdirs(path, mode) : files.mkdir(path, mode);
  }

  @Override
  public Output create(WeftPath path, int mode, boolean replace) throws IOException {
    CreateOptions options = replace ? CreateOptions.replacing() : CreateOptions.newFile();
    return new Written(files.create(path, options.withMode(mode)));
  }

  @Override
  public Output append(WeftPath path) throws IOException {
    return new Written(files.append(path));
  }

  @Override
  public InputStream open(WeftPath path) throws IOException {
    return files.open(path);
  }

  @Override
  public OpenFile openFile(WeftPath path) throws IOException {
    return new Read(Blocking.await(files.asynchronous().open(path)));
  }

  @Override
  public void rename(WeftPath source, WeftPath target, boolean replace) throws IOException {
    files.rename(source, target, replace);
  }

  @Override
  public void unlink(WeftPath path) throws IOException {
    files.unlink(path);
  }

  @Override
  public void rmdir(WeftPath path) throws IOException {
    files.rmdir(path);
  }

  @Override
  public FileStatus setAttributes(WeftPath path, AttributeChanges changes) throws IOException {
    return files.setAttributes(path, changes);
  }

  @Override
  public FileStatus truncate(WeftPath path, long sizeBytes) throws IOException {
    return files.truncate(path, sizeBytes);
  }

  @Override
  public FileStatus link(WeftPath existing, WeftPath path) throws IOException {
    return files.link(existing, path);
  }

  @Override
  public FileStatus symlink(String target, WeftPath path) throws IOException {
    return files.symlink(target, path);
  }

  @Override
  public LockList locks(WeftPath path) throws IOException {
    return Blocking.await(locks.list(path));
  }

  @Override
  public DamagedFiles damage(WeftPath path, long after) throws IOException {
    return Blocking.await(health.damage(path.toString(), after, DAMAGED_AT_ONCE));
  }

  @Override
  public VolumeCheckStatus startCheck(WeftPath path, boolean parity) throws IOException {
    return Blocking.await(health.startCheck(path.toString(), parity));
  }

  @Override
  public VolumeCheckStatus checkStatus(WeftPath path, long id, long afterFinding, int max)
      throws IOException {
    return Blocking.await(health.checkStatus(path.toString(), id, afterFinding, max));
  }

  @Override
  public VolumeCheckStatus cancelCheck(WeftPath path) throws IOException {
    return Blocking.await(health.cancelCheck(path.toString(), 0));
  }

  @Override
  public SortedMap<String, byte[]> xattrs(WeftPath path) throws IOException {
    return files.xattrs(path);
  }

  @Override
  public void setXattr(WeftPath path, String name, byte[] value, XattrMode mode)
      throws IOException {
    files.setXattr(path, name, value, mode);
  }

  @Override
  public void removeXattr(WeftPath path, String name) throws IOException {
    files.removeXattr(path, name);
  }

  @Override
  public AclStatus acl(WeftPath path) throws IOException {
    return files.acl(path);
  }

  @Override
  public void changeAcl(WeftPath path, AclChange change, List<AclEntry> entries)
      throws IOException {
    files.changeAcl(path, change, entries);
  }

  @Override
  public FileStatus setLayout(WeftPath directory, Optional<LayoutSpec> layout) throws IOException {
    return files.setLayout(directory, layout);
  }

  @Override
  public SpaceStatus space() throws IOException {
    return files.statfs();
  }

  @Override
  public SpaceStatus space(WeftPath path) throws IOException {
    return files.statfs(path);
  }

  @Override
  public WeftQuota.Over quotasOver(WeftPath path) throws IOException {
    return files.quotasOver(path);
  }

  @Override
  public WeftQuota.Over quotas(WeftPath path) throws IOException {
    return files.quotas(path);
  }

  @Override
  public WeftQuota setQuota(WeftPath directory, WeftQuota.Limits limits) throws IOException {
    return files.setQuota(directory, limits);
  }

  @Override
  public Optional<OsdNode> osd(OsdId id) {
    return cluster.osd(id).map(row -> node(id, row));
  }

  private static OsdNode node(OsdId id, OsdRow row) {
    return new OsdNode(
        id,
        switch (row.getState()) {
          case UP, SUSPECT, DOWN, QUARANTINED -> row.getState().name().toLowerCase(Locale.ROOT);
          case NODE_STATE_UNSPECIFIED, UNRECOGNIZED -> "unknown";
        },
        row.getHost(),
        row.getAddressesList().stream()
            .map(address -> address.getHost() + ":" + address.getPort())
            .collect(Collectors.joining(",")));
  }

  /** A file of the cluster being read. */
  private record Read(WeftInput input) implements OpenFile {
    @Override
    public FileStatus status() {
      return input.status();
    }

    @Override
    public int read(long positionBytes, byte[] target, int offset, int length) throws IOException {
      return input.readAndWait(positionBytes, ByteBuffer.wrap(target, offset, length));
    }

    @Override
    public long refresh() throws IOException {
      return Blocking.await(input.refresh());
    }

    @Override
    public void close() {
      input.close();
    }
  }

  /** A file of the cluster being written. */
  private static final class Written extends Output {
    private final WeftOutputStream stream;

    private Written(WeftOutputStream stream) {
      this.stream = stream;
    }

    @Override
    public void write(int b) throws IOException {
      stream.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      stream.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }

    @Override
    public void abort() throws IOException {
      stream.abort();
    }
  }
}
