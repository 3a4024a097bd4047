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
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.CreateWish;
import org.weft.client.ids.FilesById;
import org.weft.client.ids.NewNode;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeChange;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.RequestBy;
import org.weft.client.ids.WriteStability;
import org.weft.nfs.files.AccessRight;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.FileService;
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
 * answered. Bytes that were written UNSTABLE lie in the gateway's memory until they are sent. Bytes
 * written DATA or FILE, and all that a commit answers, are durable (hsync). They are then on the
 * disks of all OSDs that the file's map calls present. Where a part of the cluster is away,
 * requests wait, and are then answered with TRY_LATER and never with an error of a disk.
 */
public final class WeftFileService implements FileService {
  private static final int MAX_TRANSFER_BYTES = 1 << 20;
  private static final int STRIPE_BYTES = 256 << 10;
  private static final int MAX_LIST_BYTES = 64 << 10;
  private static final int MAX_LINKS = 65_000;
  private static final int MAX_ENTRIES = 1_000;

  /** What a file takes at least where space is counted in files. */
  private static final long MIN_FILE_BYTES = 4_096;

  /** In the gateway's own name. */
  private static final RequestBy SELF =
      RequestBy.caller(new OnBehalfOf("nfs-gateway", List.of("nfs-gateway"), true));

  private static final ServiceLimits LIMITS =
      new ServiceLimits(
          MAX_TRANSFER_BYTES,
          MAX_TRANSFER_BYTES,
          STRIPE_BYTES,
          MAX_LIST_BYTES,
          FileLimits.MAX_FILE_BYTES,
          MAX_LINKS);

  private final Supplier<Optional<FilesById>> files;
  private final Verifier verifier;
  private final Patience patience;
  private final RecentLosses losses;
  private final HeldCalls held;
  private final UnstableBytes unstable;

  /**
   * @param files empty while the cluster was not reached
   * @param unstableBytes that may lie in memory, answered UNSTABLE; beyond them writes are stable
   */
  public WeftFileService(
      Supplier<Optional<FilesById>> files, long unstableBytes, Environment environment) {
    this.files = files;
    this.verifier = new Verifier(environment.random().nextLong());
    this.patience = new Patience(environment.scheduler(), environment.ticker());
    this.losses = new RecentLosses(environment.ticker());
    this.held = new HeldCalls(environment.scheduler(), environment.ticker());
    this.unstable = new UnstableBytes(unstableBytes);
  }

  @FunctionalInterface
  private interface Asked<T> {
    CompletableFuture<T> of(FilesById files, RequestBy asker);
  }

  private <T> CompletableFuture<T> look(Request by, NodeId of, Asked<T> asked) {
    RequestBy asker = RequestCodec.by(by);
    return held.carryOut(
        by.origin().client(),
        of.volume(),
        () -> patience.look(() -> ask(of, asked, asker), unwanted -> {}));
  }

  /** The same while memory is held for so many bytes. */
  private <T> CompletableFuture<T> look(
      Request by, NodeId of, int dataBytes, Asked<T> asked, Consumer<T> unwanted) {
    RequestBy asker = RequestCodec.by(by);
    return held.carryOut(
        by.origin().client(),
        of.volume(),
        dataBytes,
        () -> patience.look(() -> ask(of, asked, asker), unwanted),
        unwanted);
  }

  private <T> CompletableFuture<T> change(Request by, NodeId of, Asked<T> asked) {
    RequestBy asker = RequestCodec.by(by);
    return held.carryOut(
        by.origin().client(), of.volume(), () -> patience.change(() -> ask(of, asked, asker)));
  }

  private <T> CompletableFuture<T> ask(NodeId of, Asked<T> asked, RequestBy asker) {
    Optional<FilesById> there = files.get();
    if (there.isEmpty()) {
      return CompletableFuture.failedFuture(
          new WeftException(ErrorCode.UNAVAILABLE, "the gateway has not reached the cluster yet"));
    }
    try {
      return refusing(of, there.get(), asked.of(there.get(), asker));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Its failure has the attributes that the manager returned with it. */
  private static <T> CompletableFuture<T> refusing(
      NodeId of, FilesById files, CompletableFuture<T> answer) {
    CompletableFuture<T> told = new CompletableFuture<>();
    var unused =
        answer.whenComplete(
            (result, failure) -> {
              if (failure == null) {
                told.complete(result);
              } else {
                told.completeExceptionally(
                    NfsFailures.isFinal(failure)
                        ? NfsFailures.of(failure, files.lookedAt(of, failure))
                        : failure);
              }
            });
    return told;
  }

  @Override
  public ServiceLimits limits() {
    return LIMITS;
  }

  @Override
  public CompletionStage<NodeAttributes> attributes(Request by, NodeId file) {
    return look(by, file, (files, asker) -> files.attributes(asker, file));
  }

  @Override
  public CompletionStage<NodeChange> setAttributes(
      Request by, NodeId file, AttributesWish wanted, OptionalLong guardNanos) {
    return change(by, file, (files, asker) -> files.setAttributes(asker, file, wanted, guardNanos));
  }

  @Override
  public CompletionStage<Answers.Found> lookUp(Request by, NodeId directory, FileName name) {
    return look(by, directory, (files, asker) -> files.lookUp(asker, directory, name.value()));
  }

  @Override
  public CompletionStage<Answers.Found> parent(Request by, NodeId directory) {
    return look(by, directory, (files, asker) -> files.parent(asker, directory));
  }

  @Override
  public CompletionStage<FileReply.Granted> access(
      Request by, NodeId file, Set<AccessRight> wanted) {
    return look(by, file, (files, asker) -> files.rights(asker, file))
        .thenApply(rights -> granted(rights, wanted));
  }

  private static FileReply.Granted granted(Answers.Rights rights, Set<AccessRight> wanted) {
    Set<AccessRight> granted = EnumSet.noneOf(AccessRight.class);
    for (AccessRight right : wanted) {
      if (has(rights, right)) {
        granted.add(right);
      }
    }
    return new FileReply.Granted(granted, rights.node());
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
  public CompletionStage<NodeAttributes> readLink(Request by, NodeId link) {
    return look(by, link, (files, asker) -> files.attributes(asker, link))
        .thenApply(WeftFileService::requireLink);
  }

  private static NodeAttributes requireLink(NodeAttributes node) {
    if (node.type() != NodeType.SYMLINK) {
      throw new CompletionException(
          new FileException(FileError.INVALID, node.id() + " is no link", Touched.node(node)));
    }
    return node;
  }

  @Override
  public CompletionStage<Answers.BytesRead> read(
      Request by, NodeId file, long offsetBytes, int countBytes) {
    return look(
        by,
        file,
        countBytes,
        (files, asker) -> files.read(asker, file, offsetBytes, countBytes),
        late -> late.bytes().release());
  }

  /**
   * The look-up before may end with TRY_LATER. From then on nothing is asked again, as the bytes
   * are given away. Nor is anything answered before the outcome is known: bytes of a write that is
   * in doubt could come upon newer ones.
   */
  @Override
  public CompletionStage<FileReply.Written> write(
      Request by, NodeId file, long offsetBytes, Payload bytes, Stability stability) {
    Optional<FilesById> there = files.get();
    if (there.isEmpty()) {
      bytes.release();
      return CompletableFuture.failedFuture(
          NfsFailures.later("the gateway has not reached the cluster yet"));
    }
    int count = bytes.lengthBytes();
    long lost = losses.seen(there.get().losses());
    // A lasting reason, such as a full disk, reaches the writer itself by a stable write.
    boolean mayWait =
        stability == Stability.UNSTABLE && !losses.areRecent() && unstable.take(file, count);
    WriteStability wanted = mayWait ? WriteStability.UNSTABLE : WriteStability.STABLE;
    long covered = unstable.writes(file);
    CompletableFuture<FileReply.Written> written =
        look(
                by,
                file,
                count,
                (files, asker) -> files.writable(asker, file, count, wanted),
                unwanted -> {})
            .whenComplete(
                (allowed, failure) -> {
                  if (failure != null) {
                    bytes.release();
                  }
                })
            .thenCompose(
                allowed ->
                    allowed
                        .write(offsetBytes, bytes)
                        .handle((done, failure) -> written(file, covered, lost, done, failure)));
    unstable.oldest().forEach(old -> relieve(there.get(), old));
    return written;
  }

  private FileReply.Written written(
      NodeId file, long covered, long lost, Answers.BytesWritten done, Throwable failure) {
    if (failure != null) {
      throw new CompletionException(NfsFailures.of(failure));
    }
    if (done.stability() == WriteStability.STABLE) {
      unstable.committed(file, covered);
    }
    return new FileReply.Written(
        done.countBytes(),
        RequestCodec.stability(done.stability()),
        verifier.after(lost),
        done.node());
  }

  /** Commits a file for room in memory. The file's own writers get its failures. */
  private void relieve(FilesById there, NodeId old) {
    long covered = unstable.writes(old);
    var unused =
        there
            .commit(SELF, old)
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
      Request by, NodeId file, long offsetBytes, long countBytes) {
    long covered = unstable.writes(file);
    // What was lost while the commit waited counts: it found nothing left to bring there.
    return look(
        by,
        file,
        (files, asker) ->
            files
                .commit(asker, file)
                .thenApply(
                    committed -> {
                      unstable.committed(file, covered);
                      return new FileReply.Committed(
                          verifier.after(losses.seen(files.losses())), committed);
                    }));
  }

  @Override
  public CompletionStage<Answers.Made> create(
      Request by, NodeId directory, FileName name, CreateWish mode) {
    return change(
        by, directory, (files, asker) -> files.create(asker, directory, name.value(), mode));
  }

  @Override
  public CompletionStage<Answers.Made> make(
      Request by, NodeId directory, FileName name, NewNode wanted) {
    return change(
        by, directory, (files, asker) -> files.make(asker, directory, name.value(), wanted));
  }

  @Override
  public CompletionStage<Answers.Removed> remove(Request by, NodeId directory, FileName name) {
    return change(by, directory, (files, asker) -> files.remove(asker, directory, name.value()));
  }

  @Override
  public CompletionStage<Answers.Removed> removeDirectory(
      Request by, NodeId directory, FileName name) {
    return change(
        by, directory, (files, asker) -> files.removeDirectory(asker, directory, name.value()));
  }

  @Override
  public CompletionStage<Answers.Renamed> rename(
      Request by, NodeId from, FileName oldName, NodeId to, FileName newName) {
    return change(
        by,
        from,
        (files, asker) -> files.rename(asker, from, oldName.value(), to, newName.value()));
  }

  @Override
  public CompletionStage<Answers.Linked> link(
      Request by, NodeId file, NodeId directory, FileName name) {
    return change(
        by, directory, (files, asker) -> files.link(asker, file, directory, name.value()));
  }

  @Override
  public CompletionStage<Answers.Page> list(
      Request by, NodeId directory, long behindCookie, int mostEntries, boolean withAttributes) {
    int most = Math.min(mostEntries, MAX_ENTRIES);
    return look(
        by,
        directory,
        (files, asker) -> files.list(asker, directory, behindCookie, most, withAttributes));
  }

  @Override
  public CompletionStage<FileReply.Space> space(Request by, NodeId file) {
    return look(by, file, (files, asker) -> files.space(asker, file))
        .thenApply(
            space -> {
              long freeFiles = space.freeBytes() / MIN_FILE_BYTES;
              return new FileReply.Space(
                  space.totalBytes(),
                  space.freeBytes(),
                  space.files() + freeFiles,
                  freeFiles,
                  space.node());
            });
  }
}
