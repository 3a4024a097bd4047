package org.weft.client;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.weft.client.volume.Answer;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.RecoverLeaseReply;
import org.weft.protocol.wire.StatfsReply;
import org.weft.protocol.wire.XattrMode;

/**
 * The files of a cluster, asynchronously. Thread-safe. Every future completes on the client's
 * callback executor; failures are {@link RpcException}s whose text begins with the path. Every
 * change is durable in the manager's journal when its future completes.
 *
 * <p>A request that meets a restarting manager or a lost connection is repeated until it is
 * answered or the client's request timeout is over, and is never carried out twice (P 6.4).
 */
public final class WeftFileSystem {
  static final int DEFAULT_PAGE_ENTRIES = 1_000;

  private final VolumeCalls calls;
  private final FileData data;
  private final int umask;
  private final Callbacks callbacks;

  WeftFileSystem(VolumeCalls calls, FileData data, int umask, Callbacks callbacks) {
    this.calls = calls;
    this.data = data;
    this.umask = umask;
    this.callbacks = callbacks;
  }

  /** What is known of a file or directory; NOT_FOUND if there is none. */
  public CompletableFuture<FileStatus> attributes(WeftPath path) {
    return status(path, calls.attributes(path.toString()));
  }

  /** Sets what the changes name; gives the attributes after that. */
  public CompletableFuture<FileStatus> setAttributes(WeftPath path, AttributeChanges changes) {
    return status(
        path,
        calls.setAttributes(
            path.toString(),
            new VolumeCalls.Changes(
                changes.mode(),
                changes.owner(),
                changes.group(),
                changes.mtimeMillis(),
                changes.atimeMillis())));
  }

  /**
   * The entries of a directory, page by page; a page that fails says NOT_FOUND or NOT_DIRECTORY.
   */
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
    return new DirectoryListing(
        directory,
        (path, cookie) -> calls.readdir(path, cookie, pageEntries, withAttributes),
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
    return status(path, calls.mkdir(path.toString(), FileModes.check(mode), umask, createParents));
  }

  /**
   * Makes a file and opens it for writing. Its name is there at once; its length shows when it is
   * closed. EXISTS if there is one and the options do not say to overwrite; BEING_WRITTEN if
   * another client writes it and goes on doing so for a lease.
   */
  public CompletableFuture<WeftOutput> create(WeftPath path, CreateOptions options) {
    CompletableFuture<WeftOutput> created =
        calls
            .create(
                path.toString(),
                new VolumeCalls.Creation(
                    options.mode(),
                    umask,
                    options.overwrite(),
                    options.createParents(),
                    options.layout().map(LayoutWish::toMessage)))
            .thenApply(answer -> output(path, answer));
    return callbacks.deliver(
        created,
        unwanted -> {
          var unused = unwanted.abort();
        });
  }

  private WeftOutput output(WeftPath path, Answer<CreateReply> answer) {
    FileAttributes attributes = answer.body().getAttributes();
    WriteGrant grant =
        new SessionGrant(
            calls,
            path.toString(),
            answer.sessionId(),
            attributes.getObjectId(),
            answer.body().getGrant().getNumber());
    FileSink sink = data.sink(attributes, answer.body().getGrant());
    return new WeftOutput(path, sink, grant, callbacks);
  }

  /** Opens a file for reading, up to the length published now. */
  public CompletableFuture<WeftInput> open(WeftPath path) {
    return callbacks.deliver(
        opened(path).thenApply(opened -> new WeftInput(opened, () -> opened(path), callbacks)));
  }

  private CompletableFuture<WeftInput.Opened> opened(WeftPath path) {
    return calls.openForReading(path.toString()).thenApply(answer -> opened(path, answer));
  }

  private WeftInput.Opened opened(WeftPath path, Answer<OpenReply> answer) {
    OpenReply reply = answer.body();
    return new WeftInput.Opened(
        FileStatus.fromMessage(path, reply.getAttributes()),
        data.source(reply.getAttributes(), reply.getGrant()));
  }

  /**
   * Gives a file or directory another name, atomically.
   *
   * @param replace a file replaces a file that exists, a directory an empty directory; else EXISTS
   */
  public CompletableFuture<Void> rename(WeftPath source, WeftPath target, boolean replace) {
    return callbacks.deliver(calls.rename(source.toString(), target.toString(), replace));
  }

  /** Removes a file; IS_DIRECTORY for a directory. */
  public CompletableFuture<Void> unlink(WeftPath path) {
    return callbacks.deliver(calls.unlink(path.toString()));
  }

  /** Removes an empty directory; NOT_EMPTY if it is not. */
  public CompletableFuture<Void> rmdir(WeftPath path) {
    return callbacks.deliver(calls.rmdir(path.toString()));
  }

  /** The space of the volume. */
  public CompletableFuture<SpaceStatus> statfs() {
    return callbacks.deliver(calls.statfs().thenApply(WeftFileSystem::space));
  }

  private static SpaceStatus space(StatfsReply reply) {
    return new SpaceStatus(
        reply.getCapacityBytes(), reply.getUsedBytes(), reply.getFreeBytes(), reply.getFiles());
  }

  /**
   * Opens a file for writing behind its end. BEING_WRITTEN if another client writes it and goes on
   * doing so for a lease.
   */
  public CompletableFuture<WeftOutput> append(WeftPath path) {
    return unsupported(path, "appending to a file", "write a new file");
  }

  /**
   * Opens a file for writing at any positions, cutting and punching. BEING_WRITTEN as for {@link
   * #append}.
   */
  public CompletableFuture<WeftFile> openForUpdate(WeftPath path) {
    return unsupported(
        path, "writing at a position of a file", "write the file from its beginning");
  }

  /** Sets the length of a file: cuts it, or lets it read as zeros up to there. */
  public CompletableFuture<FileStatus> truncate(WeftPath path, long sizeBytes) {
    return unsupported(path, "cutting a file to " + sizeBytes + " bytes", "write a new file");
  }

  /** As {@link #attributes}, but of a symbolic link itself. */
  public CompletableFuture<FileStatus> linkAttributes(WeftPath path) {
    return status(
        path,
        calls
            .nodes()
            .attributes(path.toString(), true, false)
            .thenApply(AttributesReply::getAttributes));
  }

  /** True if nobody writes the file, and nothing of it waits for recovery. */
  public CompletableFuture<Boolean> isClosed(WeftPath path) {
    return callbacks.deliver(
        calls
            .nodes()
            .attributes(path.toString(), false, false)
            .thenApply(reply -> !reply.getBeingWritten()));
  }

  /**
   * Takes a file from whoever writes it; what that client acknowledged stays. True once nobody
   * writes it any more and it is in order: to be repeated until then.
   */
  public CompletableFuture<Boolean> recoverLease(WeftPath path) {
    return callbacks.deliver(
        calls.grants().recoverLease(path.toString()).thenApply(RecoverLeaseReply::getClosed));
  }

  /** Gives a file another name; EXISTS if the name is taken. */
  public CompletableFuture<FileStatus> link(WeftPath existing, WeftPath path) {
    return status(path, calls.nodes().link(existing.toString(), path.toString()));
  }

  /**
   * Makes a symbolic link.
   *
   * @param target a path relative to the link's directory, or absolute in the cluster
   */
  public CompletableFuture<FileStatus> symlink(String target, WeftPath path) {
    return status(path, calls.nodes().symlink(target, path.toString()));
  }

  /** All extended attributes, in order of their names. */
  public CompletableFuture<SortedMap<String, byte[]>> xattrs(WeftPath path) {
    return callbacks.deliver(
        calls
            .nodes()
            .attributes(path.toString(), false, true)
            .thenApply(reply -> xattrs(reply.getAttributes())));
  }

  private static SortedMap<String, byte[]> xattrs(FileAttributes attributes) {
    SortedMap<String, byte[]> all = new TreeMap<>();
    attributes
        .getXattrList()
        .forEach(xattr -> all.put(xattr.getName(), xattr.getValue().toByteArray()));
    return all;
  }

  /**
   * Sets one extended attribute.
   *
   * @param name with its name space: "user.", "trusted.", "security." or "system."
   */
  public CompletableFuture<Void> setXattr(
      WeftPath path, String name, byte[] value, XattrMode mode) {
    return callbacks.deliver(calls.nodes().setXattr(path.toString(), name, value, mode));
  }

  /** Removes one extended attribute; NOT_FOUND if there is none of that name. */
  public CompletableFuture<Void> removeXattr(WeftPath path, String name) {
    return callbacks.deliver(calls.nodes().removeXattr(path.toString(), name));
  }

  /**
   * Says how new files of a directory are cut; new directories below inherit it.
   *
   * @param layout empty: by the volume's default again
   */
  public CompletableFuture<FileStatus> setLayout(WeftPath directory, Optional<LayoutWish> layout) {
    return status(
        directory,
        calls.nodes().setLayout(directory.toString(), layout.map(LayoutWish::toMessage)));
  }

  private <T> CompletableFuture<T> unsupported(WeftPath path, String what, String instead) {
    return callbacks.deliver(
        CompletableFuture.failedFuture(
            new RpcException(
                ErrorCode.UNSUPPORTED, path + ": " + what + " is not supported yet; " + instead)));
  }

  private CompletableFuture<FileStatus> status(
      WeftPath path, CompletableFuture<FileAttributes> attributes) {
    return callbacks.deliver(
        attributes.thenApply(message -> FileStatus.fromMessage(path, message)));
  }
}
