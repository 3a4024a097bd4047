package org.weft.nfs.mount;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeType;
import org.weft.nfs.exports.ExportTable;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.FileService;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * MNT, RFC 1813 section 5.2.1. A path may lead below an export; directories on the way have to be
 * searchable for the caller, and links are not followed.
 *
 * <p>The protocol has no status that says "try later", and a client's mount fails for good with an
 * IO. So a mount waits while it is not known yet where its export leads: right after the export was
 * added, or while managers are away.
 */
final class Mnt implements RpcProcedure {
  private static final Logger LOG = LoggerFactory.getLogger(Mnt.class);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** As all calls that only look wait. */
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** mountres3_ok. */
  record Done(byte[] handle) implements OncReply {
    @Override
    public void write(XdrWriter out) {
      out.int32(MountStatus.OK.number()).opaque(handle);
      out.int32(1).int32(RpcCredential.SYS_FLAVOR);
    }
  }

  record Failed(MountStatus status) implements OncReply {
    @Override
    public void write(XdrWriter out) {
      out.int32(status.number());
    }
  }

  private final FileService files;
  private final Gatekeeper gate;
  private final MountList mounts;
  private final Scheduler scheduler;
  private final Ticker ticker;

  Mnt(FileService files, Gatekeeper gate, MountList mounts, Scheduler scheduler, Ticker ticker) {
    this.files = files;
    this.gate = gate;
    this.mounts = mounts;
    this.scheduler = scheduler;
    this.ticker = ticker;
  }

  @Override
  public RpcTask read(XdrReader in) throws MalformedXdrException {
    String path = ExportTable.clean(Mount3.path(in));
    return call -> run(call, path);
  }

  private CompletionStage<OncReply> run(RpcCall call, String path) {
    CompletableFuture<OncReply> reply = new CompletableFuture<>();
    attempt(call, path, ticker.nowNanos() + WAIT_NANOS, reply);
    return reply;
  }

  private void attempt(
      RpcCall call, String path, long deadlineNanos, CompletableFuture<OncReply> reply) {
    CompletionStage<Done> mounting;
    try {
      mounting = mount(call, path);
    } catch (FileException e) {
      mounting = CompletableFuture.failedFuture(e);
    }
    var unused =
        mounting.whenComplete(
            (done, failure) -> {
              if (failure == null) {
                reply.complete(done);
              } else if (FileException.of(failure).error() == FileError.TRY_LATER
                  && ticker.nowNanos() + PAUSE_NANOS - deadlineNanos < 0) {
                scheduler.schedule(
                    PAUSE_NANOS, Runnable::run, () -> attempt(call, path, deadlineNanos, reply));
              } else {
                reply.complete(failed(path, failure));
              }
            });
  }

  private static OncReply failed(String path, Throwable thrown) {
    FileException failure = FileException.of(thrown);
    LOG.info("{} was not mounted: {}", path, failure.getMessage());
    return new Failed(MountStatus.of(failure.error()));
  }

  private CompletionStage<Done> mount(RpcCall call, String path) throws FileException {
    ExportTable.Match match =
        gate.exports()
            .containing(path)
            .orElseThrow(() -> new FileException(FileError.NOT_FOUND, path + " is not exported"));
    Gatekeeper.Entry entry =
        gate.enter(match.export(), Gatekeeper.requireRoot(match.export()), call);
    CompletionStage<NodeAttributes> walk = files.attributes(entry.by(), entry.file());
    for (String part : match.below().split("/", -1)) {
      if (!part.isEmpty()) {
        FileName name = FileName.of(part.getBytes(StandardCharsets.UTF_8));
        walk =
            walk.thenCompose(
                node -> files.lookUp(entry.by(), node.id(), name).thenApply(found -> found.node()));
      }
    }
    return walk.thenCompose(
        node -> {
          if (node.type() != NodeType.DIRECTORY) {
            return CompletableFuture.failedFuture(
                new FileException(FileError.NOT_DIRECTORY, path + " is no directory"));
          }
          mounts.add(call.client().getAddress(), path);
          return CompletableFuture.completedFuture(
              new Done(gate.handle(match.export(), node.id())));
        });
  }
}
