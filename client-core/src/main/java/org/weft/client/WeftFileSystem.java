package org.weft.client;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.weft.client.callback.Callbacks;
import org.weft.client.file.FileData;
import org.weft.client.file.FileLengths;
import org.weft.client.file.FileModes;
import org.weft.client.volume.QuotaCalls;
import org.weft.client.volume.VolumeCalls;
import org.weft.client.volume.VolumeListing;
import org.weft.client.volume.VolumeRouter;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.capability.FileHandle;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.ListQuotasReply;
import org.weft.protocol.wire.RecoverLeaseReply;

/**
 * The files of a cluster, asynchronously. Thread-safe. Every future completes on the client's
 * callback executor, or where {@link Blocking} waits for it. Failures are {@link WeftException}s
 * whose text names the path where there is one. Every change is durable in the manager's journal
 * when its future completes.
 *
 * <p>A request that meets a restarting manager or a lost connection is repeated until it is
 * answered or the client's request timeout is over. It is never carried out twice (P 6.4).
 *
 * <p>Any call may fail with one of these codes; others stand at the call:
 *
 * <ul>
 *   <li>NOT_FOUND, NOT_DIRECTORY, LOOP: a name of the path leads to nothing, to no directory, or in
 *       circles through symbolic links.
 *   <li>PERMISSION_DENIED: modes and access lists do not give the client's user the right to it.
 *   <li>UNAVAILABLE, DEADLINE_EXCEEDED: the volume's manager did not answer within the client's
 *       request timeout. A change may have been made all the same.
 *   <li>NAME_INVALID: a name of the path is none that a file can have.
 *   <li>QUOTA_EXCEEDED, NO_SPACE: a call that makes a node or adds bytes finds no room.
 *   <li>TOO_MANY_LOST: OSDs are away that hold the metadata, more than it can do without.
 *   <li>CANCELLED: the future was cancelled, which does not undo what was asked for.
 * </ul>
 */
public final class WeftFileSystem {
  static final int DEFAULT_PAGE_ENTRIES = 1_000;

  private final VolumeRouter router;
  private final Function<VolumeCalls, FileData> dataOf;
  private final int umask;
  private final Callbacks callbacks;
  private final FileOpener opener;

  /**
   * @param dataOf carries the bytes of a volume's files
   */
  WeftFileSystem(
      VolumeRouter router, Function<VolumeCalls, FileData> dataOf, int umask, Callbacks callbacks) {
    this.router = router;
    this.dataOf = dataOf;
    this.umask = umask;
    this.callbacks = callbacks;
    this.opener = new FileOpener(router, dataOf, callbacks);
  }

  /** What can be said without waiting. */
  KnownFiles known() {
    return opener.known();
  }

  /**
   * The same files by the same client, with another umask.
   *
   * @param bits taken off the modes of what is made, 0 to 07777
   * @throws IllegalArgumentException if there are others
   */
  public WeftFileSystem withUmask(int bits) {
    return new WeftFileSystem(router, dataOf, FileModes.check(bits), callbacks);
  }

  /** What is known of a file or directory; symbolic links are followed. */
  public CompletableFuture<FileStatus> attributes(WeftPath path) {
    return status(path, at(path, calls -> calls.attributes(path.toString())));
  }

  /** As {@link #attributes}, but of a symbolic link itself. */
  public CompletableFuture<FileStatus> linkAttributes(WeftPath path) {
    return status(
        path,
        at(path, calls -> calls.nodes().attributes(path.toString(), true, false))
            .thenApply(AttributesReply::getAttributes));
  }

  /** What a path leads to, and a handle that leads there later, whatever its names are by then. */
  public CompletableFuture<FoundNode> lookup(WeftPath path) {
    return callbacks.deliver(
        at(path, calls -> calls.nodes().lookup(path.toString()))
            .thenApply(reply -> FoundNode.fromMessage(path, reply)));
  }

  /** Sets what the changes name, at once and durably; gives the attributes after that. */
  public CompletableFuture<FileStatus> setAttributes(WeftPath path, AttributeChanges changes) {
    VolumeCalls.Changes wanted = changes.request();
    return status(
        path, at(path, calls -> calls.setAttributes(path.toString(), path.plainNames(), wanted)));
  }

  /** The entries, page by page; asks nothing before the first page is wanted. */
  public DirectoryListing list(WeftPath directory) {
    return list(directory, DEFAULT_PAGE_ENTRIES, true);
  }

  /**
   * The entries of a directory in pages of a size.
   *
   * @param pageEntries entries of one page at most; the manager may give fewer
   * @param withAttributes false: paths, types and object ids only, which costs the manager less
   */
  public DirectoryListing list(WeftPath directory, int pageEntries, boolean withAttributes) {
    VolumeListing listing = new VolumeListing(router, directory.plainNames());
    return new DirectoryListing(
        directory,
        withAttributes,
        (path, cookie) -> listing.page(path, cookie, pageEntries, withAttributes),
        callbacks);
  }

  /**
   * Makes one directory, durably; EXISTS if the name is taken.
   *
   * @param mode permission bits, 07777, before the umask is taken off
   * @throws IllegalArgumentException if the mode has other bits
   */
  public CompletableFuture<FileStatus> mkdir(WeftPath path, int mode) {
    return mkdir(path, mode, false);
  }

  /**
   * Makes a directory and those missing above it, durably. One that exists is no error; EXISTS if
   * something else has the name.
   *
   * @param mode as for {@link #mkdir}, of all that are made
   * @throws IllegalArgumentException if the mode has other bits
   */
  public CompletableFuture<FileStatus> mkdirs(WeftPath path, int mode) {
    return mkdir(path, mode, true);
  }

  private CompletableFuture<FileStatus> mkdir(WeftPath path, int mode, boolean createParents) {
    int checked = FileModes.check(mode);
    return status(
        path, at(path, calls -> calls.mkdir(path.toString(), checked, umask, createParents)));
  }

  /**
   * Makes a file and opens it for writing. Its name is there, durably, when the future completes;
   * its length shows when it is closed. EXISTS if there is one and the options do not say to
   * overwrite; IS_DIRECTORY if a directory has the name. A file that is overwritten while it is
   * being written is replaced at once, and its writer's next call fails with GRANT_REVOKED.
   */
  public CompletableFuture<WeftOutput> create(WeftPath path, CreateOptions options) {
    return opener.create(path, options.creation(umask));
  }

  /**
   * Opens a file for writing behind its end. BEING_WRITTEN if another client writes it and goes on
   * doing so for a lease; IS_DIRECTORY for a directory. Positions of the output count from the
   * file's beginning.
   */
  public CompletableFuture<WeftOutput> append(WeftPath path) {
    return append(path, OptionalInt.empty());
  }

  /** As the other one; waits that long for another client that writes the file. */
  public CompletableFuture<WeftOutput> append(WeftPath path, OptionalInt writerPatienceMillis) {
    return opener.append(path, writerPatienceMillis);
  }

  /**
   * Opens a file for writing at any positions, cutting and punching. BEING_WRITTEN and IS_DIRECTORY
   * as for {@link #append}.
   */
  public CompletableFuture<WeftFile> openForUpdate(WeftPath path) {
    return openForUpdate(path, UpdateOptions.alone());
  }

  /**
   * As the other one.
   *
   * @param shared other clients may write the file too, if they say so as well (P 6.5);
   *     BEING_WRITTEN if a client writes it that does not say so
   */
  public CompletableFuture<WeftFile> openForUpdate(WeftPath path, boolean shared) {
    return openForUpdate(path, UpdateOptions.alone().withShared(shared));
  }

  /** As the others, for a caller that also knows whether small writes are to be gathered. */
  public CompletableFuture<WeftFile> openForUpdate(WeftPath path, UpdateOptions options) {
    return opener.openForUpdate(path, options);
  }

  /**
   * Opens a file for reading, up to the length published now. It can be read until it is closed,
   * also if it loses its name meanwhile. IS_DIRECTORY for a directory, UNSUPPORTED for a device.
   */
  public CompletableFuture<WeftInput> open(WeftPath path) {
    return open(path, ReadOptions.defaults());
  }

  /** The same, for a caller that knows how the file will be read. */
  public CompletableFuture<WeftInput> open(WeftPath path, ReadOptions options) {
    return opener.open(path, options);
  }

  /**
   * Opens a file for reading by its handle, whatever its name is by now. NOT_FOUND if it exists no
   * more, HANDLE_INVALID if its volume did not make the handle.
   *
   * @param path a name that the file had: it says in which volume, and stands in messages
   */
  public CompletableFuture<WeftInput> open(WeftPath path, FileHandle handle) {
    return opener.open(path, handle);
  }

  /** Calls for many files at once, a bounded number under way at a time. */
  public BulkCalls bulk(BulkOptions options) {
    return new BulkCalls(this, options);
  }

  /**
   * Gives a file or directory another name, atomically and durably. CROSS_VOLUME if another volume
   * holds the target; NOT_EMPTY if that is a directory with entries.
   *
   * @param replace a file replaces a file that exists, a directory an empty directory; else EXISTS
   */
  public CompletableFuture<Void> rename(WeftPath source, WeftPath target, boolean replace) {
    String from = source.toString();
    String to = target.toString();
    return callbacks.deliver(
        router.moving("rename", from, to, calls -> calls.rename(from, to, replace)));
  }

  /**
   * Removes a name of a file or symbolic link, durably; IS_DIRECTORY for a directory. A file
   * without a name lives on until the clients that read it have closed it.
   */
  public CompletableFuture<Void> unlink(WeftPath path) {
    return removing(path, calls -> calls.unlink(path.toString(), path.plainNames()));
  }

  /** Removes an empty directory, durably; NOT_EMPTY if it has entries. */
  public CompletableFuture<Void> rmdir(WeftPath path) {
    return removing(path, calls -> calls.rmdir(path.toString(), path.plainNames()));
  }

  private CompletableFuture<Void> removing(
      WeftPath path, Function<VolumeCalls, CompletableFuture<Void>> removal) {
    return callbacks.deliver(router.removing("remove", path.toString(), removal));
  }

  /** The space of the root volume, in raw bytes. */
  public CompletableFuture<SpaceStatus> statfs() {
    return callbacks.deliver(at(WeftPath.ROOT, VolumeCalls::statfs).thenApply(SpaceStatus::raw));
  }

  /**
   * The space at the path: what a quota of bytes limits it to, in bytes of files. Without a quota
   * it is the space of the volume that holds it, in raw bytes.
   */
  public CompletableFuture<SpaceStatus> statfs(WeftPath path) {
    return callbacks.deliver(
        at(path, calls -> calls.quotas().space(path.toString())).thenApply(SpaceStatus::at));
  }

  /**
   * Cuts a file, or lets it read as zeros up to there, also beside clients that have it open
   * shared. On stable storage when the future completes. BEING_WRITTEN if a client writes it that
   * does not share it.
   *
   * @throws IllegalArgumentException if no file has that length
   */
  public CompletableFuture<FileStatus> truncate(WeftPath path, long sizeBytes) {
    FileLengths.require(path.toString(), sizeBytes);
    return callbacks.deliver(
        opener
            .update(path, UpdateOptions.alone().withShared(true))
            .thenCompose(file -> file.resize(sizeBytes)));
  }

  /** True if no client writes the file, and nothing of it waits for recovery. */
  public CompletableFuture<Boolean> isClosed(WeftPath path) {
    return callbacks.deliver(
        at(path, calls -> calls.nodes().attributes(path.toString(), false, false))
            .thenApply(reply -> !reply.getBeingWritten()));
  }

  /**
   * Takes a file from the client that writes it; what that client acknowledged stays. True once no
   * client writes the file any more and its pending writes are resolved: to be repeated until then.
   * IS_DIRECTORY for a directory.
   */
  public CompletableFuture<Boolean> recoverLease(WeftPath path) {
    return callbacks.deliver(
        at(path, calls -> calls.grants().recoverLease(path.toString()))
            .thenApply(RecoverLeaseReply::getClosed));
  }

  /**
   * Gives a file another name, durably; EXISTS if the name is taken, IS_DIRECTORY for a directory,
   * CROSS_VOLUME if another volume holds it.
   */
  public CompletableFuture<FileStatus> link(WeftPath existing, WeftPath path) {
    String file = existing.toString();
    String name = path.toString();
    return status(path, router.within("link", file, name, calls -> calls.nodes().link(file, name)));
  }

  /**
   * Makes a symbolic link, durably; EXISTS if the name is taken.
   *
   * @param target a path relative to the link's directory, or absolute in the cluster; NAME_INVALID
   *     if it is empty or too long
   */
  public CompletableFuture<FileStatus> symlink(String target, WeftPath path) {
    return status(path, at(path, calls -> calls.nodes().symlink(target, path.toString())));
  }

  /** All extended attributes, in order of their names. */
  public CompletableFuture<SortedMap<String, byte[]>> xattrs(WeftPath path) {
    return callbacks.deliver(
        at(path, calls -> calls.nodes().attributes(path.toString(), false, true))
            .thenApply(reply -> FileStatus.xattrs(reply.getAttributes())));
  }

  /**
   * Sets one extended attribute, durably. EXISTS or NOT_FOUND as the mode says; INVALID_ARGUMENT if
   * it would be too long.
   *
   * @param name with its name space: "user.", "trusted.", "security." or "system."; else
   *     NAME_INVALID
   */
  public CompletableFuture<Void> setXattr(
      WeftPath path, String name, byte[] value, XattrMode mode) {
    return callbacks.deliver(
        at(path, calls -> calls.nodes().setXattr(path.toString(), name, value, mode.toMessage())));
  }

  /** Removes one extended attribute, durably; NOT_FOUND if there is none of that name. */
  public CompletableFuture<Void> removeXattr(WeftPath path, String name) {
    return callbacks.deliver(at(path, calls -> calls.nodes().removeXattr(path.toString(), name)));
  }

  /** The access control lists: the mode's entries, those beside it, and the default ones. */
  public CompletableFuture<AclStatus> acl(WeftPath path) {
    return callbacks.deliver(
        at(path, calls -> calls.acls().acl(path.toString()))
            .thenApply(attributes -> AclStatus.fromMessage(path, attributes)));
  }

  /**
   * Changes access control lists at once and durably, with the mode that shows them.
   * INVALID_ARGUMENT if the lists would be none of POSIX, or too long.
   *
   * @param entries none of REMOVE_DEFAULT and REMOVE_ALL
   */
  public CompletableFuture<Void> changeAcl(
      WeftPath path, AclChange change, List<AclEntry> entries) {
    return callbacks.deliver(
        at(path, calls -> calls.acls().change(path.toString(), change, entries)));
  }

  /**
   * Asks the manager whether all of some rights are had; PERMISSION_DENIED if not.
   *
   * @param rights read 4, write 2, execute 1
   */
  public CompletableFuture<Void> requireRights(WeftPath path, int rights) {
    return callbacks.deliver(at(path, calls -> calls.acls().require(path.toString(), rights)));
  }

  /**
   * Says how new files of a directory are cut, durably; new directories below inherit it.
   * NOT_DIRECTORY for a file.
   *
   * @param layout empty: by the volume's default again
   */
  public CompletableFuture<FileStatus> setLayout(WeftPath directory, Optional<LayoutSpec> layout) {
    return status(
        directory,
        at(
            directory,
            calls ->
                calls.nodes().setLayout(directory.toString(), layout.map(LayoutSpec::toMessage))));
  }

  /** The quotas that the path is under. */
  public CompletableFuture<WeftQuota.Over> quotasOver(WeftPath path) {
    return quotas(path, quotas -> quotas.of(path.toString()));
  }

  /** All quotas of the volume that holds the path, for the superuser. */
  public CompletableFuture<WeftQuota.Over> quotas(WeftPath path) {
    return quotas(path, QuotaCalls::all);
  }

  private CompletableFuture<WeftQuota.Over> quotas(
      WeftPath path, Function<QuotaCalls, CompletableFuture<ListQuotasReply>> asked) {
    return callbacks.deliver(
        at(
            path,
            calls ->
                asked
                    .apply(calls.quotas())
                    .thenApply(reply -> WeftQuota.fromMessage(calls.mountPath(), reply))));
  }

  /**
   * Limits what the directory's tree may hold, durably, for the superuser; without limits clears
   * its quota. A tree that was never counted is counted in the background before anything is
   * refused.
   */
  public CompletableFuture<WeftQuota> setQuota(WeftPath directory, WeftQuota.Limits limits) {
    return callbacks.deliver(
        at(
            directory,
            calls ->
                calls
                    .quotas()
                    .set(directory.toString(), limits.toMessage())
                    .thenApply(
                        reply -> WeftQuota.fromMessage(calls.mountPath(), reply.getQuota()))));
  }

  /** Asks the volume that holds the path. */
  private <T> CompletableFuture<T> at(
      WeftPath path, Function<VolumeCalls, CompletableFuture<T>> call) {
    return router.at(path.toString(), call);
  }

  private CompletableFuture<FileStatus> status(
      WeftPath path, CompletableFuture<FileAttributes> attributes) {
    return callbacks.deliver(
        attributes.thenApply(message -> FileStatus.fromMessage(path, message)));
  }
}
