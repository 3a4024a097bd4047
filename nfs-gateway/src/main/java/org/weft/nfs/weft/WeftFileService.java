package org.weft.nfs.weft;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.weft.client.ids.Answers;
import org.weft.client.ids.FilesById;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.RequestBy;
import org.weft.client.ids.WriteStability;
import org.weft.nfs.files.AccessRight;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.AttributeChange;
import org.weft.nfs.files.Attributes;
import org.weft.nfs.files.Change;
import org.weft.nfs.files.CreateMode;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileId;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.FileService;
import org.weft.nfs.files.NewNode;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.ServiceLimits;
import org.weft.nfs.files.Stability;
import org.weft.nfs.files.Touched;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.Environment;

/**
 * The files of a cluster. Names and attributes are durable in the manager's journal when they are
 * answered. Bytes that were written UNSTABLE lie in the memory of the gateway until they were sent;
 * bytes written DATA or FILE, and all that a commit answers, are on the disks of all OSDs that the
 * file's map calls present (hsync). Where a part of the cluster is away, requests wait, and are
 * then answered with TRY_LATER and never with an error of a disk.
 */
public final class WeftFileService implements FileService {
  private static final int MOST_TRANSFER_BYTES = 1 << 20;
  private static final int STRIPE_BYTES = 256 << 10;
  private static final int MOST_LIST_BYTES = 64 << 10;
  private static final int MOST_LINKS = 65_000;
  private static final int MOST_ENTRIES = 1_000;

  /** That a file takes at least where space is told in files. */
  private static final long SMALLEST_FILE_BYTES = 4_096;

  /** In the gateway's own name. */
  private static final RequestBy SELF =
      RequestBy.caller(new OnBehalfOf("nfs-gateway", List.of("nfs-gateway"), true));

  private static final ServiceLimits LIMITS =
      new ServiceLimits(
          MOST_TRANSFER_BYTES,
          MOST_TRANSFER_BYTES,
          STRIPE_BYTES,
          MOST_LIST_BYTES,
          FileLimits.MAX_FILE_BYTES,
          MOST_LINKS);

  private final Supplier<Optional<FilesById>> files;
  private final Verifier verifier;
  private final Patience patience;
  private final RecentLosses losses;
  private final HeldCalls held;
  private final UnstableBytes unstable;

  /**
   * @param files empty as long as the cluster was not reached
   * @param unstableBytes that may lie in memory, answered UNSTABLE; beyond them writes are stable
   */
  public WeftFileService(
      Supplier<Optional<FilesById>> files, long unstableBytes, Environment environment) {
    this.files = files;
    this.verifier = new Verifier(environment.random().nextLong());
    this.patience = new Patience(environment.scheduler(), environment.ticker());
    this.losses = new RecentLosses(environment.ticker());
    this.held = new HeldCalls(environment.ticker());
    this.unstable = new UnstableBytes(unstableBytes);
  }

  @FunctionalInterface
  private interface Asked<T> {
    CompletableFuture<T> of(FilesById files);
  }

  private <T> CompletableFuture<T> look(Request by, FileId of, Asked<T> asked) {
    return look(by, of, asked, unwanted -> {});
  }

  private <T> CompletableFuture<T> look(
      Request by, FileId of, Asked<T> asked, Consumer<T> unwanted) {
    return held.carryOut(
        by.origin().client(), of.volume(), () -> patience.look(() -> ask(asked), unwanted));
  }

  private <T> CompletableFuture<T> change(Request by, FileId of, Asked<T> asked) {
    return held.carryOut(
        by.origin().client(), of.volume(), () -> patience.change(() -> ask(asked)));
  }

  private <T> CompletableFuture<T> ask(Asked<T> asked) {
    Optional<FilesById> there = files.get();
    if (there.isEmpty()) {
      return CompletableFuture.failedFuture(
          new WeftException(ErrorCode.UNAVAILABLE, "the gateway has not reached the cluster yet"));
    }
    try {
      return asked.of(there.get());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public ServiceLimits limits() {
    return LIMITS;
  }

  @Override
  public CompletionStage<Attributes> attributes(Request by, FileId file) {
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(file);
    return look(by, file, files -> files.attributes(asker, node)).thenApply(Forms::attributes);
  }

  @Override
  public CompletionStage<Change> setAttributes(
      Request by, FileId file, AttributeChange wanted, OptionalLong guardNanos) {
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(file);
    return change(
            by, file, files -> files.setAttributes(asker, node, Forms.wish(wanted), guardNanos))
        .thenApply(Forms::change);
  }

  @Override
  public CompletionStage<FileReply.Found> lookUp(Request by, FileId directory, FileName name) {
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(directory);
    return look(by, directory, files -> files.lookUp(asker, node, name.value()))
        .thenApply(WeftFileService::found);
  }

  private static FileReply.Found found(Answers.Found found) {
    return new FileReply.Found(Forms.attributes(found.node()), Forms.attributes(found.directory()));
  }

  @Override
  public CompletionStage<FileReply.Found> parent(Request by, FileId directory) {
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(directory);
    return look(by, directory, files -> files.parent(asker, node))
        .thenApply(WeftFileService::found);
  }

  @Override
  public CompletionStage<FileReply.Granted> access(Request by, FileId file, Set<AccessRight> wanted) {
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(file);
    return look(by, file, files -> files.rights(asker, node))
        .thenApply(rights -> granted(rights, wanted));
  }

  private static FileReply.Granted granted(Answers.Rights rights, Set<AccessRight> wanted) {
    Set<AccessRight> granted = EnumSet.noneOf(AccessRight.class);
    for (AccessRight right : wanted) {
      if (has(rights, right)) {
        granted.add(right);
      }
    }
    return new FileReply.Granted(granted, Forms.attributes(rights.node()));
  }

  private static boolean has(Answers.Rights rights, AccessRight right) {
    boolean directory = rights.node().type() == NodeType.DIRECTORY;
    return switch (right) {
      case READ -> rights.read();
      case LOOK_UP -> directory && rights.execute();
      case MODIFY, EXTEND -> rights.write();
      case DELETE -> directory && rights.write();
      case EXECUTE -> !directory && rights.execute();
    };
  }

  @Override
  public CompletionStage<FileReply.Target> readLink(Request by, FileId link) {
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(link);
    return look(by, link, files -> files.attributes(asker, node))
        .thenCompose(WeftFileService::target);
  }

  private static CompletionStage<FileReply.Target> target(NodeAttributes node) {
    Attributes attributes = Forms.attributes(node);
    return node.type() == NodeType.SYMLINK
        ? CompletableFuture.completedFuture(
            new FileReply.Target(node.symlinkTarget().toByteArray(), attributes))
        : CompletableFuture.failedFuture(
            new FileException(
                FileError.INVALID, node.id() + " is no link", Touched.node(attributes)));
  }

  @Override
  public CompletionStage<FileReply.Bytes> read(
      Request by, FileId file, long offsetBytes, int countBytes) {
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(file);
    return look(
            by,
            file,
            files -> files.read(asker, node, offsetBytes, countBytes),
            late -> late.bytes().release())
        .thenApply(
            read -> new FileReply.Bytes(read.bytes(), read.atEnd(), Forms.attributes(read.node())));
  }

  /**
   * Not asked again here: the bytes are given away with the first attempt. Nor is anything answered
   * before the outcome is known: bytes of a write that is in doubt could come upon newer ones.
   */
  @Override
  public CompletionStage<FileReply.Written> write(
      Request by, FileId file, long offsetBytes, Payload bytes, Stability stability) {
    Optional<FilesById> there = files.get();
    if (there.isEmpty()) {
      bytes.release();
      return CompletableFuture.failedFuture(
          NfsFailures.later("the gateway has not reached the cluster yet"));
    }
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(file);
    int count = bytes.lengthBytes();
    long lost = losses.seen(there.get().losses());
    // A reason that lasts, such as a full disk, is told to the writer itself by a stable write.
    boolean mayWait =
        stability == Stability.UNSTABLE && !losses.areRecent() && unstable.take(file, count);
    WriteStability wanted = mayWait ? WriteStability.UNSTABLE : WriteStability.STABLE;
    long covered = unstable.writes(file);
    CompletableFuture<FileReply.Written> written =
        there
            .get()
            .write(asker, node, offsetBytes, bytes, wanted)
            .handle(
                (done, failure) -> {
                  if (failure != null) {
                    throw new CompletionException(NfsFailures.of(failure));
                  }
                  if (done.stability() == WriteStability.STABLE) {
                    unstable.committed(file, covered);
                  }
                  return new FileReply.Written(
                      done.countBytes(),
                      Forms.stability(done.stability()),
                      verifier.after(lost),
                      Forms.change(done.node()));
                });
    unstable.oldest().forEach(old -> relieve(there.get(), old));
    return written;
  }

  /** Commits a file for room in memory; what it fails with the file's own writers hear. */
  private void relieve(FilesById there, FileId old) {
    long covered = unstable.writes(old);
    var unused =
        there
            .commit(SELF, Forms.id(old))
            .whenComplete(
                (done, failure) -> {
                  unstable.ended(old);
                  boolean gone =
                      failure != null && WeftException.of(failure).code() == ErrorCode.STALE;
                  if (failure == null || gone) {
                    unstable.committed(old, covered);
                  }
                });
  }

  @Override
  public CompletionStage<FileReply.Committed> commit(
      Request by, FileId file, long offsetBytes, long countBytes) {
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(file);
    long covered = unstable.writes(file);
    // What was lost while the commit waited counts: it found nothing left to bring there.
    return look(
        by,
        file,
        files ->
            files
                .commit(asker, node)
                .thenApply(
                    committed -> {
                      unstable.committed(file, covered);
                      return new FileReply.Committed(
                          verifier.after(losses.seen(files.losses())), Forms.change(committed));
                    }));
  }

  @Override
  public CompletionStage<FileReply.Made> create(
      Request by, FileId directory, FileName name, CreateMode mode) {
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(directory);
    return change(by, directory, files -> files.create(asker, node, name.value(), Forms.wish(mode)))
        .thenApply(WeftFileService::made);
  }

  private static FileReply.Made made(Answers.Made made) {
    return new FileReply.Made(Forms.attributes(made.node()), Forms.change(made.directory()));
  }

  @Override
  public CompletionStage<FileReply.Made> make(
      Request by, FileId directory, FileName name, NewNode wanted) {
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(directory);
    return change(by, directory, files -> files.make(asker, node, name.value(), Forms.node(wanted)))
        .thenApply(WeftFileService::made);
  }

  @Override
  public CompletionStage<FileReply.Removed> remove(Request by, FileId directory, FileName name) {
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(directory);
    return change(by, directory, files -> files.remove(asker, node, name.value()))
        .thenApply(removed -> new FileReply.Removed(Forms.change(removed.directory())));
  }

  @Override
  public CompletionStage<FileReply.Removed> removeDirectory(
      Request by, FileId directory, FileName name) {
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(directory);
    return change(by, directory, files -> files.removeDirectory(asker, node, name.value()))
        .thenApply(removed -> new FileReply.Removed(Forms.change(removed.directory())));
  }

  @Override
  public CompletionStage<FileReply.Renamed> rename(
      Request by, FileId from, FileName oldName, FileId to, FileName newName) {
    RequestBy asker = Forms.by(by);
    NodeId source = Forms.id(from);
    NodeId target = Forms.id(to);
    return change(
            by,
            from,
            files -> files.rename(asker, source, oldName.value(), target, newName.value()))
        .thenApply(
            renamed ->
                new FileReply.Renamed(Forms.change(renamed.from()), Forms.change(renamed.to())));
  }

  @Override
  public CompletionStage<FileReply.Linked> link(
      Request by, FileId file, FileId directory, FileName name) {
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(file);
    NodeId target = Forms.id(directory);
    return change(by, directory, files -> files.link(asker, node, target, name.value()))
        .thenApply(
            linked ->
                new FileReply.Linked(Forms.change(linked.node()), Forms.change(linked.directory())));
  }

  @Override
  public CompletionStage<FileReply.Listing> list(
      Request by, FileId directory, long behindCookie, int mostEntries, boolean withAttributes) {
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(directory);
    int most = Math.min(mostEntries, MOST_ENTRIES);
    return look(by, directory, files -> files.list(asker, node, behindCookie, most, withAttributes))
        .thenApply(
            page ->
                new FileReply.Listing(
                    page.entries().stream().map(Forms::entry).toList(),
                    page.atEnd(),
                    Forms.attributes(page.directory()),
                    Forms.id(page.parent())));
  }

  @Override
  public CompletionStage<FileReply.Space> space(Request by, FileId file) {
    RequestBy asker = Forms.by(by);
    NodeId node = Forms.id(file);
    return look(by, file, files -> files.space(asker, node))
        .thenApply(
            space -> {
              long freeFiles = space.freeBytes() / SMALLEST_FILE_BYTES;
              return new FileReply.Space(
                  space.totalBytes(),
                  space.freeBytes(),
                  space.files() + freeFiles,
                  freeFiles,
                  Forms.attributes(space.node()));
            });
  }
}
