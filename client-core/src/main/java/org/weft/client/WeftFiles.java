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
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * The files of a cluster for code that may block: {@link WeftFileSystem}, waited for. Thread-safe.
 * Must not be called from the client's callback executor if that has only one thread. A change is
 * durable in the manager's journal when its call returns.
 *
 * <p>Every call throws {@link WeftException} if it is refused or not answered. Its text names the
 * path where there is one. Its code is most often one that {@link WeftFileSystem} lists or the call
 * names. A thread that is interrupted while it waits gets {@link java.io.InterruptedIOException},
 * and stays interrupted; a change that it asked for may be made all the same.
 */
public final class WeftFiles {
  /** Mode of directories before the umask is taken off. */
  public static final int DIRECTORY_MODE = 0777;

  private final WeftFileSystem files;

  /**
   * The same files.
   *
   * @param files of a client that is connected
   */
  public WeftFiles(WeftFileSystem files) {
    this.files = files;
  }

  /** The asynchronous side of the same. */
  public WeftFileSystem asynchronous() {
    return files;
  }

  /**
   * The same files by the same client, with another umask.
   *
   * @param bits taken off the modes of what is made, 0 to 07777
   * @throws IllegalArgumentException if there are others
   */
  public WeftFiles withUmask(int bits) {
    return new WeftFiles(files.withUmask(bits));
  }

  /**
   * What is known of a file or directory; symbolic links are followed. A client that caches answers
   * from its memory where its managers granted that.
   *
   * @throws WeftException NOT_FOUND if the path leads to nothing
   */
  public FileStatus attributes(WeftPath path) throws IOException {
    Optional<FileStatus> known = files.known().attributes(path);
    return known.isPresent() ? known.get() : Blocking.await(files.attributes(path));
  }

  /**
   * What a path leads to, and a handle that leads there later, whatever its names are by then.
   *
   * @throws WeftException NOT_FOUND if the path leads to nothing
   */
  public FoundNode lookup(WeftPath path) throws IOException {
    return Blocking.await(files.lookup(path));
  }

  /** As {@link #attributes}, but empty where that would fail with NOT_FOUND. */
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

  /**
   * Sets what the changes name, at once and durably; gives the attributes after that.
   *
   * @throws WeftException PERMISSION_DENIED if the user may not set one of them; then none is set
   */
  public FileStatus setAttributes(WeftPath path, AttributeChanges changes) throws IOException {
    return Blocking.await(files.setAttributes(path, changes));
  }

  /**
   * The entries of a directory, in its own order: one page of up to 1,000 is held in memory, and
   * the next one fetched meanwhile.
   *
   * @throws WeftException NOT_FOUND or NOT_DIRECTORY
   */
  public PageReader list(WeftPath directory) throws IOException {
    return new PageReader(files.list(directory));
  }

  /** As {@link #list}, with paths, types and object ids only, which costs the manager less. */
  public PageReader listNames(WeftPath directory) throws IOException {
    return new PageReader(files.list(directory, WeftFileSystem.DEFAULT_PAGE_ENTRIES, false));
  }

  /**
   * All entries at once, sorted by name; for directories known to be small.
   *
   * @throws WeftException as {@link #list}; TOO_MANY_LOST if no OSD gives an entry's attributes
   */
  public List<FileStatus> listAll(WeftPath directory) throws IOException {
    List<FileStatus> all = new ArrayList<>();
    PageReader reader = list(directory);
    for (FileStatus status = reader.next(); status != null; status = reader.next()) {
      all.add(status);
    }
    all.sort((left, right) -> left.path().compareTo(right.path()));
    return all;
  }

  /**
   * Makes one directory, durably.
   *
   * @param mode permission bits, 07777, before the umask is taken off; {@link #DIRECTORY_MODE} is
   *     usual
   * @throws WeftException EXISTS if the name is taken
   * @throws IllegalArgumentException if the mode has other bits
   */
  public FileStatus mkdir(WeftPath path, int mode) throws IOException {
    return Blocking.await(files.mkdir(path, mode));
  }

  /**
   * Makes a directory and those missing above it, durably. One that exists is no error.
   *
   * @param mode as for {@link #mkdir}, of all that are made
   * @throws WeftException EXISTS if something else has the name
   * @throws IllegalArgumentException if the mode has other bits
   */
  public FileStatus mkdirs(WeftPath path, int mode) throws IOException {
    return Blocking.await(files.mkdirs(path, mode));
  }

  /**
   * Makes a file and opens it for writing. Its name is durable when this returns; its bytes are as
   * {@link WeftOutput} says. A stream that is not closed leaves the length that was flushed last.
   *
   * @throws WeftException EXISTS if there is one that the options do not say to replace,
   *     IS_DIRECTORY if a directory has the name
   */
  public WeftOutputStream create(WeftPath path, CreateOptions options) throws IOException {
    return WeftOutputStream.over(Blocking.await(files.create(path, options)));
  }

  /**
   * Opens a file for reading from its beginning, up to the length published now.
   *
   * @throws WeftException NOT_FOUND; IS_DIRECTORY for a directory, UNSUPPORTED for a device
   */
  public WeftInputStream open(WeftPath path) throws IOException {
    return open(path, ReadOptions.defaults());
  }

  /** As {@link #open(WeftPath)}, for a caller that knows how the file will be read. */
  public WeftInputStream open(WeftPath path, ReadOptions options) throws IOException {
    return new WeftInputStream(openInput(path, options));
  }

  /** As {@link #open(WeftPath)}, for reads at positions alone: without a stream's memory. */
  public WeftInput openInput(WeftPath path, ReadOptions options) throws IOException {
    Optional<WeftInput> known = files.known().open(path, options);
    return known.isPresent() ? known.get() : Blocking.await(files.open(path, options));
  }

  /**
   * Writes a whole file from a stream, which stays open; a file that exists is replaced at the
   * beginning. When this returns, every component that the file's map calls present has all bytes,
   * as after {@link WeftOutput#close}. For stable storage use {@link #create} and hsync. If it
   * throws, the file keeps what was written so far, or a part of it.
   *
   * @throws IOException if the source throws it
   * @throws WeftException as {@link #create}; NO_SPACE or QUOTA_EXCEEDED if there is no room
   */
  public FileStatus write(WeftPath path, InputStream source) throws IOException {
    WeftOutputStream target = create(path, CreateOptions.replacing());
    try {
      source.transferTo(target);
      target.close();
    } catch (IOException | RuntimeException | Error e) {
      target.abandon(e);
      throw e;
    }
    return target.status();
  }

  /**
   * Gives a file or directory another name, atomically and durably.
   *
   * @param replace a file replaces a file that exists, a directory an empty directory
   * @throws WeftException EXISTS if the target is there and may not be replaced, NOT_EMPTY if it is
   *     a directory with entries, CROSS_VOLUME if another volume holds it
   */
  public void rename(WeftPath source, WeftPath target, boolean replace) throws IOException {
    var unused = Blocking.await(files.rename(source, target, replace));
  }

  /**
   * Removes a name of a file or symbolic link, durably. A file without a name lives on until the
   * clients that read it have closed it.
   *
   * @throws WeftException IS_DIRECTORY for a directory
   */
  public void unlink(WeftPath path) throws IOException {
    var unused = Blocking.await(files.unlink(path));
  }

  /**
   * Removes an empty directory, durably.
   *
   * @throws WeftException NOT_EMPTY if it has entries, NOT_DIRECTORY for a file
   */
  public void rmdir(WeftPath path) throws IOException {
    var unused = Blocking.await(files.rmdir(path));
  }

  /**
   * Opens a file for writing behind its end. Waits for another client that writes it, about a
   * lease.
   *
   * @throws WeftException BEING_WRITTEN if that client goes on writing, IS_DIRECTORY for a
   *     directory
   */
  public WeftOutputStream append(WeftPath path) throws IOException {
    return append(path, OptionalInt.empty());
  }

  /** As {@link #append(WeftPath)}, waiting that long for another client that writes the file. */
  public WeftOutputStream append(WeftPath path, OptionalInt writerPatienceMillis)
      throws IOException {
    return WeftOutputStream.over(Blocking.await(files.append(path, writerPatienceMillis)));
  }

  /**
   * Opens a file for writing at any positions; its calls are futures, and {@link WeftFile} says
   * what is durable when.
   *
   * @param shared others may write it too, if they say so as well
   * @throws WeftException BEING_WRITTEN if another client writes it, and one of the two does not
   *     share it; IS_DIRECTORY for a directory
   */
  public WeftFile openForUpdate(WeftPath path, boolean shared) throws IOException {
    return Blocking.await(files.openForUpdate(path, shared));
  }

  /** As the other one, for a caller that also knows whether small writes are to be gathered. */
  public WeftFile openForUpdate(WeftPath path, UpdateOptions options) throws IOException {
    return Blocking.await(files.openForUpdate(path, options));
  }

  /**
   * Cuts a file, or lets it read as zeros up to there, also beside clients that have it open
   * shared. On stable storage when this returns.
   *
   * @throws WeftException BEING_WRITTEN if a client writes it that does not share it
   * @throws IllegalArgumentException if no file has that length
   */
  public FileStatus truncate(WeftPath path, long sizeBytes) throws IOException {
    return Blocking.await(files.truncate(path, sizeBytes));
  }

  /** As {@link #attributes}, but of a symbolic link itself. */
  public FileStatus linkAttributes(WeftPath path) throws IOException {
    return Blocking.await(files.linkAttributes(path));
  }

  /**
   * True if no client writes the file, and nothing of it waits for recovery.
   *
   * @throws WeftException NOT_FOUND if the path leads to nothing
   */
  public boolean isClosed(WeftPath path) throws IOException {
    return Blocking.await(files.isClosed(path));
  }

  /**
   * Takes a file from the client that writes it; what that client acknowledged stays. Waits for
   * nothing: to be repeated until it says true.
   *
   * @return true once no client writes the file any more and its pending writes are resolved
   * @throws WeftException IS_DIRECTORY for a directory
   */
  public boolean recoverLease(WeftPath path) throws IOException {
    return Blocking.await(files.recoverLease(path));
  }

  /**
   * Gives a file another name, durably.
   *
   * @throws WeftException EXISTS if the name is taken, IS_DIRECTORY for a directory, CROSS_VOLUME
   *     if another volume holds it
   */
  public FileStatus link(WeftPath existing, WeftPath path) throws IOException {
    return Blocking.await(files.link(existing, path));
  }

  /**
   * Makes a symbolic link, durably.
   *
   * @param target a path relative to the link's directory, or absolute in the cluster
   * @throws WeftException EXISTS if the name is taken, NAME_INVALID if the target is empty or too
   *     long
   */
  public FileStatus symlink(String target, WeftPath path) throws IOException {
    return Blocking.await(files.symlink(target, path));
  }

  /**
   * All extended attributes, in order of their names.
   *
   * @throws WeftException NOT_FOUND if the path leads to nothing
   */
  public SortedMap<String, byte[]> xattrs(WeftPath path) throws IOException {
    return Blocking.await(files.xattrs(path));
  }

  /**
   * Sets one extended attribute, durably.
   *
   * @param name with its name space: "user.", "trusted.", "security." or "system."
   * @throws WeftException EXISTS or NOT_FOUND as the mode says, NAME_INVALID for another name
   *     space, INVALID_ARGUMENT if the value is too long
   */
  public void setXattr(WeftPath path, String name, byte[] value, XattrMode mode)
      throws IOException {
    var unused = Blocking.await(files.setXattr(path, name, value, mode));
  }

  /**
   * Removes one extended attribute, durably.
   *
   * @throws WeftException NOT_FOUND if there is none of that name
   */
  public void removeXattr(WeftPath path, String name) throws IOException {
    var unused = Blocking.await(files.removeXattr(path, name));
  }

  /**
   * The access control lists: the mode's entries, those beside it, and the default ones.
   *
   * @throws WeftException NOT_FOUND if the path leads to nothing
   */
  public AclStatus acl(WeftPath path) throws IOException {
    return Blocking.await(files.acl(path));
  }

  /** As {@link #changeAcl}: replaces all entries of each scope that one of these names. */
  public void setAcl(WeftPath path, List<AclEntry> entries) throws IOException {
    changeAcl(path, AclChange.REPLACE, entries);
  }

  /** As {@link #changeAcl}: adds entries, or puts them in the place of their like. */
  public void modifyAcl(WeftPath path, List<AclEntry> entries) throws IOException {
    changeAcl(path, AclChange.MODIFY, entries);
  }

  /**
   * Changes access control lists at once and durably, with the mode that shows them.
   *
   * @param entries none of REMOVE_DEFAULT and REMOVE_ALL
   * @throws WeftException INVALID_ARGUMENT if the lists would be none of POSIX, or too long
   */
  public void changeAcl(WeftPath path, AclChange change, List<AclEntry> entries)
      throws IOException {
    var unused = Blocking.await(files.changeAcl(path, change, entries));
  }

  /**
   * Asks the manager whether all of some rights are had.
   *
   * @param rights read 4, write 2, execute 1
   * @throws WeftException PERMISSION_DENIED if one of them is not
   */
  public void requireRights(WeftPath path, int rights) throws IOException {
    var unused = Blocking.await(files.requireRights(path, rights));
  }

  /**
   * Says how new files of a directory are cut, durably; new directories below inherit it.
   *
   * @param layout empty: by the volume's default again
   * @throws WeftException NOT_DIRECTORY for a file
   */
  public FileStatus setLayout(WeftPath directory, Optional<LayoutSpec> layout) throws IOException {
    return Blocking.await(files.setLayout(directory, layout));
  }

  /**
   * The space of the root volume, in raw bytes: what parity takes is not taken off.
   *
   * @throws WeftException if its manager does not answer
   */
  public SpaceStatus statfs() throws IOException {
    return Blocking.await(files.statfs());
  }

  /**
   * The space at the path: what a quota of bytes limits it to, in bytes of files. Without a quota
   * it is the space of the volume that holds the path, in raw bytes.
   *
   * @throws WeftException NOT_FOUND if the path leads to nothing
   */
  public SpaceStatus statfs(WeftPath path) throws IOException {
    return Blocking.await(files.statfs(path));
  }

  /**
   * The quotas that the path is under, from the volume's down.
   *
   * @throws WeftException NOT_FOUND if the path leads to nothing
   */
  public WeftQuota.Over quotasOver(WeftPath path) throws IOException {
    return Blocking.await(files.quotasOver(path));
  }

  /**
   * All quotas of the volume that holds the path.
   *
   * @throws WeftException PERMISSION_DENIED but for the superuser
   */
  public WeftQuota.Over quotas(WeftPath path) throws IOException {
    return Blocking.await(files.quotas(path));
  }

  /**
   * Limits what the directory's tree may hold, durably; without limits clears its quota. A tree
   * that was never counted is counted in the background before anything is refused.
   *
   * @throws WeftException PERMISSION_DENIED but for the superuser, NOT_DIRECTORY for a file,
   *     NOT_FOUND without limits where there is no quota
   */
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

    /**
     * The next entry; null at the end. Waits for a page where the one before is over.
     *
     * @throws WeftException TOO_MANY_LOST if no OSD gives the attributes of an entry of that page
     */
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
