package org.weft.client;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.weft.client.acl.AclStatus;
import org.weft.client.callback.Callbacks;
import org.weft.client.file.FileData;
import org.weft.client.file.FileLengths;
import org.weft.client.file.FileModes;
import org.weft.client.file.WritableFile;
import org.weft.client.file.WriteOpenings;
import org.weft.client.volume.QuotaCalls;
import org.weft.client.volume.SessionReply;
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
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.RecoverLeaseReply;
import org.weft.protocol.wire.XattrMode;

/**
 * The files of a cluster, asynchronously. Thread-safe. Every future completes on the client's
 * callback executor, or where {@link Blocking} waits for it; failures are {@link WeftException}s
 * whose text begins with the path. Every change is durable in the manager's journal when its future
 * completes.
 *
 * <p>A request that meets a restarting manager or a lost connection is repeated until it is
 * answered or the client's request timeout is over, and is never carried out twice (P 6.4).
 */
public final class WeftFileSystem {
  static final int DEFAULT_PAGE_ENTRIES = 1_000;

  private final VolumeRouter router;
  private final Function<VolumeCalls, FileData> dataOf;
  private final int umask;
  private final Callbacks callbacks;
  private final KnownFiles known;
  private final WriteOpenings writing;

  /**
   * @param dataOf carries the bytes of a volume's files
   */
  WeftFileSystem(
      VolumeRouter router, Function<VolumeCalls, FileData> dataOf, int umask, Callbacks callbacks) {
    this.router = router;
    this.dataOf = dataOf;
    this.umask = umask;
    this.callbacks = callbacks;
    this.writing = new WriteOpenings(dataOf, callbacks);
    this.known =
        new KnownFiles(
            router,
            (path, calls, answer, options) ->
                input(path, opened(path, calls, answer, options), options));
  }

  /** What can be said without waiting. */
  KnownFiles known() {
    return known;
  }

  /** The same files by the same client; these bits are taken off the modes of what is made. */
  public WeftFileSystem withUmask(int bits) {
    return new WeftFileSystem(router, dataOf, FileModes.check(bits), callbacks);
  }

  /** What is known of a file or directory; NOT_FOUND if there is none. */
  public CompletableFuture<FileStatus> attributes(WeftPath path) {
    return status(path, at(path, calls -> calls.attributes(path.toString())));
  }

  /** What a path leads to, and a handle that leads there later; NOT_FOUND if there is nothing. */
  public CompletableFuture<FoundNode> lookup(WeftPath path) {
    return callbacks.deliver(
        at(path, calls -> calls.nodes().lookup(path.toString()))
            .thenApply(reply -> FoundNode.fromMessage(path, reply)));
  }

  /** Sets what the changes name; gives the attributes after that. */
  public CompletableFuture<FileStatus> setAttributes(WeftPath path, AttributeChanges changes) {
    VolumeCalls.Changes wanted = changes.request();
    return status(
        path, at(path, calls -> calls.setAttributes(path.toString(), path.plainNames(), wanted)));
  }

  /** The entries, page by page; a page that fails says NOT_FOUND or NOT_DIRECTORY. */
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

  /** Makes one directory; EXISTS if the name is taken. The umask is taken off the mode. */
  public CompletableFuture<FileStatus> mkdir(WeftPath path, int mode) {
    return mkdir(path, mode, false);
  }

  /** Makes a directory and those missing above it; one that exists is no error. */
  public CompletableFuture<FileStatus> mkdirs(WeftPath path, int mode) {
    return mkdir(path, mode, true);
  }

  private CompletableFuture<FileStatus> mkdir(WeftPath path, int mode, boolean createParents) {
    int checked = FileModes.check(mode);
    return status(
        path, at(path, calls -> calls.mkdir(path.toString(), checked, umask, createParents)));
  }

  /**
   * Makes a file and opens it for writing. Its name is there at once; its length shows when it is
   * closed. EXISTS if there is one and the options do not say to overwrite. With that, a file that
   * is being written is replaced at once, and its writer's next call fails with GRANT_REVOKED.
   */
  public CompletableFuture<WeftOutput> create(WeftPath path, CreateOptions options) {
    VolumeCalls.Creation wanted = options.creation(umask);
    CompletableFuture<WeftOutput> created =
        at(
            path,
            calls ->
                calls
                    .create(path.toString(), wanted)
                    .thenApply(
                        answer ->
                            new WeftOutput(
                                path, writing.created(path.toString(), calls, answer), callbacks)));
    return callbacks.deliver(
        created,
        unwanted -> {
          var unused = unwanted.abort();
        });
  }

  /**
   * Opens a file for reading, up to the length published now. It can be read until it is closed,
   * also if it loses its name meanwhile.
   */
  public CompletableFuture<WeftInput> open(WeftPath path) {
    return open(path, ReadOptions.defaults());
  }

  /** The same, for a caller that knows how the file will be read. */
  public CompletableFuture<WeftInput> open(WeftPath path, ReadOptions options) {
    return open(path, calls -> calls.openForReading(path.toString()), options);
  }

  /**
   * Opens a file for reading by its handle, whatever its name is by now; NOT_FOUND if it is no
   * more, HANDLE_INVALID if its volume did not make the handle.
   *
   * @param path a name that the file had: it says in which volume, and stands in messages
   */
  public CompletableFuture<WeftInput> open(WeftPath path, FileHandle handle) {
    return open(
        path, again(path, handle.object().value(), handle.encode()), ReadOptions.defaults());
  }

  private static Function<VolumeCalls, CompletableFuture<SessionReply<OpenReply>>> again(
      WeftPath path, long objectId, ByteString handle) {
    return calls -> calls.openAgain(path.toString(), objectId, handle);
  }

  /** Calls for many files at once, a bounded number under way at a time. */
  public BulkCalls bulk(BulkOptions options) {
    return new BulkCalls(this, options);
  }

  private CompletableFuture<WeftInput> open(
      WeftPath path,
      Function<VolumeCalls, CompletableFuture<SessionReply<OpenReply>>> opening,
      ReadOptions options) {
    return callbacks.deliver(
        opened(path, opening, options).thenApply(opened -> input(path, opened, options)),
        WeftInput::close);
  }

  private WeftInput input(WeftPath path, WeftInput.Opened opened, ReadOptions options) {
    return new WeftInput(opened, reopen(path, opened, options), callbacks);
  }

  private Supplier<CompletableFuture<WeftInput.Opened>> reopen(
      WeftPath path, WeftInput.Opened first, ReadOptions options) {
    var opening = again(path, first.status().objectId(), first.handle());
    return () -> opened(path, opening, options);
  }

  private CompletableFuture<WeftInput.Opened> opened(
      WeftPath path,
      Function<VolumeCalls, CompletableFuture<SessionReply<OpenReply>>> opening,
      ReadOptions options) {
    return at(
        path,
        calls -> opening.apply(calls).thenApply(answer -> opened(path, calls, answer, options)));
  }

  WeftInput.Opened opened(
      WeftPath path, VolumeCalls calls, SessionReply<OpenReply> answer, ReadOptions options) {
    return WeftInput.Opened.of(path, calls, answer, dataOf, options);
  }

  /**
   * Gives a file or directory another name, atomically.
   *
   * @param replace a file replaces a file that exists, a directory an empty directory; else EXISTS
   */
  public CompletableFuture<Void> rename(WeftPath source, WeftPath target, boolean replace) {
    String from = source.toString();
    String to = target.toString();
    return callbacks.deliver(
        router.moving("rename", from, to, calls -> calls.rename(from, to, replace)));
  }

  /** Removes a file; IS_DIRECTORY for a directory. */
  public CompletableFuture<Void> unlink(WeftPath path) {
    return removing(path, calls -> calls.unlink(path.toString(), path.plainNames()));
  }

  /** Removes an empty directory; NOT_EMPTY if it is not. */
  public CompletableFuture<Void> rmdir(WeftPath path) {
    return removing(path, calls -> calls.rmdir(path.toString(), path.plainNames()));
  }

  private CompletableFuture<Void> removing(
      WeftPath path, Function<VolumeCalls, CompletableFuture<Void>> removal) {
    return callbacks.deliver(router.removing("remove", path.toString(), removal));
  }

  /** The space of the root volume. */
  public CompletableFuture<SpaceStatus> statfs() {
    return callbacks.deliver(at(WeftPath.ROOT, VolumeCalls::statfs).thenApply(SpaceStatus::raw));
  }

  /**
   * The space at the path: what a quota of bytes limits it to, in bytes of files; without one the
   * space of the volume that holds it, in raw bytes.
   */
  public CompletableFuture<SpaceStatus> statfs(WeftPath path) {
    return callbacks.deliver(
        at(path, calls -> calls.quotas().space(path.toString())).thenApply(SpaceStatus::at));
  }

  /**
   * Opens a file for writing behind its end. BEING_WRITTEN if another client writes it and goes on
   * doing so for a lease. Positions of the output count from the file's beginning.
   */
  public CompletableFuture<WeftOutput> append(WeftPath path) {
    return append(path, OptionalInt.empty());
  }

  /** As the other one; waits that long for another client that writes the file. */
  public CompletableFuture<WeftOutput> append(WeftPath path, OptionalInt writerPatienceMillis) {
    CompletableFuture<WeftOutput> opened =
        at(
            path,
            calls ->
                calls
                    .openForWriting(path.toString(), false, writerPatienceMillis)
                    .thenCompose(answer -> writing.appending(path.toString(), calls, answer))
                    .thenApply(appending -> new WeftOutput(path, appending, callbacks)));
    return callbacks.deliver(
        opened,
        unwanted -> {
          var unused = unwanted.close();
        });
  }

  /**
   * Opens a file for writing at any positions, cutting and punching. BEING_WRITTEN as for {@link
   * #append}.
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
    return callbacks.deliver(
        update(path, options).thenApply(file -> (WeftFile) new OpenedForUpdate(path, file)),
        unwanted -> {
          var unused = unwanted.close();
        });
  }

  private CompletableFuture<WritableFile<FileStatus>> update(WeftPath path, UpdateOptions options) {
    return at(
        path,
        calls ->
            calls
                .openForWriting(path.toString(), options.shared(), OptionalInt.empty())
                .thenCompose(
                    answer ->
                        writing.changing(FileStatus.named(path), calls, answer, options.wanted())));
  }

  /** What open files are written with. */
  WriteOpenings writing() {
    return writing;
  }

  /**
   * Cuts a file, or lets it read as zeros up to there, also beside clients that have it open
   * shared. Throws where no file has that length.
   */
  public CompletableFuture<FileStatus> truncate(WeftPath path, long sizeBytes) {
    FileLengths.require(path.toString(), sizeBytes);
    return callbacks.deliver(
        update(path, UpdateOptions.alone().withShared(true))
            .thenCompose(file -> file.resize(sizeBytes)));
  }

  /** As {@link #attributes}, but of a symbolic link itself. */
  public CompletableFuture<FileStatus> linkAttributes(WeftPath path) {
    return status(
        path,
        at(path, calls -> calls.nodes().attributes(path.toString(), true, false))
            .thenApply(AttributesReply::getAttributes));
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
   */
  public CompletableFuture<Boolean> recoverLease(WeftPath path) {
    return callbacks.deliver(
        at(path, calls -> calls.grants().recoverLease(path.toString()))
            .thenApply(RecoverLeaseReply::getClosed));
  }

  /** Gives a file another name; EXISTS if the name is taken. */
  public CompletableFuture<FileStatus> link(WeftPath existing, WeftPath path) {
    String file = existing.toString();
    String name = path.toString();
    return status(path, router.within("link", file, name, calls -> calls.nodes().link(file, name)));
  }

  /**
   * Makes a symbolic link.
   *
   * @param target a path relative to the link's directory, or absolute in the cluster
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
   * Sets one extended attribute.
   *
   * @param name with its name space: "user.", "trusted.", "security." or "system."
   */
  public CompletableFuture<Void> setXattr(
      WeftPath path, String name, byte[] value, XattrMode mode) {
    return callbacks.deliver(
        at(path, calls -> calls.nodes().setXattr(path.toString(), name, value, mode)));
  }

  /** Removes one extended attribute; NOT_FOUND if there is none of that name. */
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
   * Changes access control lists at once, with the mode that shows them.
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
   * Says how new files of a directory are cut; new directories below inherit it.
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
   * Limits what the directory's tree may hold, for the superuser; without limits clears its quota.
   * A tree that was never counted is counted in the background before anything is refused.
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
