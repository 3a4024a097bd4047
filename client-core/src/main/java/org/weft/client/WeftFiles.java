package org.weft.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import org.weft.client.acl.AclStatus;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.XattrMode;

/**
 * The files of a cluster for code that may block: {@link WeftFileSystem}, waited for. Thread-safe;
 * failures are {@link WeftException}s whose text begins with the path. Must not be called from the
 * client's callback executor if that has only one thread.
 */
public final class WeftFiles {
  /** Mode of directories before the umask is taken off. */
  public static final int DIRECTORY_MODE = 0777;

  private final WeftFileSystem files;

  public WeftFiles(WeftFileSystem files) {
    this.files = files;
  }

  /** The asynchronous side of the same. */
  public WeftFileSystem asynchronous() {
    return files;
  }

  /** As {@link WeftFileSystem#withUmask}. */
  public WeftFiles withUmask(int bits) {
    return new WeftFiles(files.withUmask(bits));
  }

  public FileStatus attributes(WeftPath path) throws IOException {
    Optional<FileStatus> known = files.known().attributes(path);
    return known.isPresent() ? known.get() : Blocking.await(files.attributes(path));
  }

  /** As {@link WeftFileSystem#lookup}. */
  public FoundNode lookup(WeftPath path) throws IOException {
    return Blocking.await(files.lookup(path));
  }

  /** Empty if there is no such file or directory. */
  public Optional<FileStatus> find(WeftPath path) throws IOException {
    try {
      return Optional.of(attributes(path));
    } catch (WeftException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  public FileStatus setAttributes(WeftPath path, AttributeChanges changes) throws IOException {
    return Blocking.await(files.setAttributes(path, changes));
  }

  /** One page is held in memory, and the next one fetched meanwhile. */
  public PageReader list(WeftPath directory) throws IOException {
    return new PageReader(files.list(directory));
  }

  /** The same with paths, types and object ids only, which costs the manager less. */
  public PageReader listNames(WeftPath directory) throws IOException {
    return new PageReader(files.list(directory, WeftFileSystem.DEFAULT_PAGE_ENTRIES, false));
  }

  /** All entries at once, sorted by name; for directories known to be small. */
  public List<FileStatus> listAll(WeftPath directory) throws IOException {
    List<FileStatus> all = new ArrayList<>();
    PageReader reader = list(directory);
    for (FileStatus status = reader.next(); status != null; status = reader.next()) {
      all.add(status);
    }
    all.sort((left, right) -> left.path().compareTo(right.path()));
    return all;
  }

  public FileStatus mkdir(WeftPath path, int mode) throws IOException {
    return Blocking.await(files.mkdir(path, mode));
  }

  public FileStatus mkdirs(WeftPath path, int mode) throws IOException {
    return Blocking.await(files.mkdirs(path, mode));
  }

  public WeftOutputStream create(WeftPath path, CreateOptions options) throws IOException {
    return stream(Blocking.await(files.create(path, options)));
  }

  public WeftInputStream open(WeftPath path) throws IOException {
    return open(path, ReadOptions.defaults());
  }

  /** For a caller that knows how the file will be read. */
  public WeftInputStream open(WeftPath path, ReadOptions options) throws IOException {
    return new WeftInputStream(openInput(path, options));
  }

  /** For reads at positions alone. */
  public WeftInput openInput(WeftPath path, ReadOptions options) throws IOException {
    Optional<WeftInput> known = files.known().open(path, options);
    return known.isPresent() ? known.get() : Blocking.await(files.open(path, options));
  }

  /** Writes a whole file from a stream, which stays open; a file that exists is replaced. */
  public FileStatus write(WeftPath path, InputStream source) throws IOException {
    WeftOutputStream target = create(path, CreateOptions.replacing());
    try {
      source.transferTo(target);
      target.close();
    } catch (IOException | RuntimeException | Error e) {
      abandon(target, e);
      throw e;
    }
    return target.status();
  }

  /** A file must not stay open for writing because this process has no memory for its stream. */
  private static WeftOutputStream stream(WeftOutput output) {
    try {
      return new WeftOutputStream(output);
    } catch (RuntimeException | Error e) {
      var unused = output.abort();
      throw e;
    }
  }

  private static void abandon(WeftOutputStream target, Throwable reason) {
    try {
      target.abort();
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  public void rename(WeftPath source, WeftPath target, boolean replace) throws IOException {
    var unused = Blocking.await(files.rename(source, target, replace));
  }

  public void unlink(WeftPath path) throws IOException {
    var unused = Blocking.await(files.unlink(path));
  }

  public void rmdir(WeftPath path) throws IOException {
    var unused = Blocking.await(files.rmdir(path));
  }

  /** Opens a file for writing behind its end. */
  public WeftOutputStream append(WeftPath path) throws IOException {
    return append(path, OptionalInt.empty());
  }

  /** See {@link WeftFileSystem#append(WeftPath, OptionalInt)}. */
  public WeftOutputStream append(WeftPath path, OptionalInt writerPatienceMillis)
      throws IOException {
    return stream(Blocking.await(files.append(path, writerPatienceMillis)));
  }

  /**
   * Opens a file for writing at any positions; its calls are futures.
   *
   * @param shared others may write it too, if they say so as well
   */
  public WeftFile openForUpdate(WeftPath path, boolean shared) throws IOException {
    return Blocking.await(files.openForUpdate(path, shared));
  }

  /** As above, for a caller that also knows whether small writes are to be gathered. */
  public WeftFile openForUpdate(WeftPath path, UpdateOptions options) throws IOException {
    return Blocking.await(files.openForUpdate(path, options));
  }

  public FileStatus truncate(WeftPath path, long sizeBytes) throws IOException {
    return Blocking.await(files.truncate(path, sizeBytes));
  }

  /** Of a symbolic link itself. */
  public FileStatus linkAttributes(WeftPath path) throws IOException {
    return Blocking.await(files.linkAttributes(path));
  }

  public boolean isClosed(WeftPath path) throws IOException {
    return Blocking.await(files.isClosed(path));
  }

  /** To be repeated until it says true. */
  public boolean recoverLease(WeftPath path) throws IOException {
    return Blocking.await(files.recoverLease(path));
  }

  public FileStatus link(WeftPath existing, WeftPath path) throws IOException {
    return Blocking.await(files.link(existing, path));
  }

  public FileStatus symlink(String target, WeftPath path) throws IOException {
    return Blocking.await(files.symlink(target, path));
  }

  public SortedMap<String, byte[]> xattrs(WeftPath path) throws IOException {
    return Blocking.await(files.xattrs(path));
  }

  public void setXattr(WeftPath path, String name, byte[] value, XattrMode mode)
      throws IOException {
    var unused = Blocking.await(files.setXattr(path, name, value, mode));
  }

  public void removeXattr(WeftPath path, String name) throws IOException {
    var unused = Blocking.await(files.removeXattr(path, name));
  }

  public AclStatus acl(WeftPath path) throws IOException {
    return Blocking.await(files.acl(path));
  }

  /** Replaces all entries of each scope, access or default, that an entry names. */
  public void setAcl(WeftPath path, List<AclEntry> entries) throws IOException {
    changeAcl(path, AclChange.REPLACE, entries);
  }

  /** Adds entries, or puts them in the place of their like. */
  public void modifyAcl(WeftPath path, List<AclEntry> entries) throws IOException {
    changeAcl(path, AclChange.MODIFY, entries);
  }

  /** As {@link WeftFileSystem#changeAcl}. */
  public void changeAcl(WeftPath path, AclChange change, List<AclEntry> entries)
      throws IOException {
    var unused = Blocking.await(files.changeAcl(path, change, entries));
  }

  /** As {@link WeftFileSystem#requireRights}. */
  public void requireRights(WeftPath path, int rights) throws IOException {
    var unused = Blocking.await(files.requireRights(path, rights));
  }

  /** Empty: by the volume's default again. */
  public FileStatus setLayout(WeftPath directory, Optional<LayoutSpec> layout) throws IOException {
    return Blocking.await(files.setLayout(directory, layout));
  }

  public SpaceStatus statfs() throws IOException {
    return Blocking.await(files.statfs());
  }

  /** As {@link WeftFileSystem#statfs(WeftPath)}. */
  public SpaceStatus statfs(WeftPath path) throws IOException {
    return Blocking.await(files.statfs(path));
  }

  /** As {@link WeftFileSystem#quotasOver}. */
  public WeftQuota.Over quotasOver(WeftPath path) throws IOException {
    return Blocking.await(files.quotasOver(path));
  }

  /** As {@link WeftFileSystem#quotas}. */
  public WeftQuota.Over quotas(WeftPath path) throws IOException {
    return Blocking.await(files.quotas(path));
  }

  /** As {@link WeftFileSystem#setQuota}. */
  public WeftQuota setQuota(WeftPath directory, WeftQuota.Limits limits) throws IOException {
    return Blocking.await(files.setQuota(directory, limits));
  }

  /** Entries of a directory one by one. Not thread-safe. */
  public static final class PageReader {
    private final DirectoryListing listing;
    private Iterator<FileStatus> page = List.<FileStatus>of().iterator();
    private CompletableFuture<Optional<List<FileStatus>>> coming;

    private PageReader(DirectoryListing listing) throws IOException {
      this.listing = listing;
      this.coming = listing.nextPage();
      // What is wrong with the directory itself shows at once.
      turn();
    }

    /** The next entry; null at the end. */
    public FileStatus next() throws IOException {
      if (!page.hasNext() && coming != null) {
        turn();
      }
      return page.hasNext() ? page.next() : null;
    }

    private void turn() throws IOException {
      Optional<List<FileStatus>> entries = Blocking.await(coming);
      page = entries.orElse(List.of()).iterator();
      coming = entries.isPresent() ? listing.nextPage() : null;
    }
  }
}
