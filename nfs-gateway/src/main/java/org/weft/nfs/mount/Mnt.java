package org.weft.nfs.mount;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.nfs.exports.ExportTable;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.Attributes;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.FileService;
import org.weft.nfs.files.FileType;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcReply;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/**
 * MNT, RFC 1813 section 5.2.1. A path may lead below an export; directories on the way have to be
 * searchable for the caller, and links are not followed.
 */
final class Mnt implements RpcProcedure {
  private static final Logger LOG = LoggerFactory.getLogger(Mnt.class);

  /** mountres3_ok. */
  record Done(byte[] handle) implements RpcReply {
    @Override
    public void write(XdrWriter out) {
      out.int32(MountStatus.OK.number()).opaque(handle);
      out.int32(1).int32(RpcCredential.SYS_FLAVOR);
    }
  }

  record Failed(MountStatus status) implements RpcReply {
    @Override
    public void write(XdrWriter out) {
      out.int32(status.number());
    }
  }

  private final FileService files;
  private final Gatekeeper gate;
  private final MountList mounts;

  Mnt(FileService files, Gatekeeper gate, MountList mounts) {
    this.files = files;
    this.gate = gate;
    this.mounts = mounts;
  }

  @Override
  public RpcTask read(XdrReader in) throws MalformedXdrException {
    String path = new String(in.opaque(Mount3.MOST_PATH_BYTES), StandardCharsets.UTF_8);
    return call -> run(call, path);
  }

  private CompletionStage<RpcReply> run(RpcCall call, String path) {
    CompletionStage<Done> mounting;
    try {
      mounting = mount(call, path);
    } catch (FileException e) {
      mounting = CompletableFuture.failedFuture(e);
    }
    return mounting.handle((done, failure) -> failure == null ? done : failed(path, failure));
  }

  private static RpcReply failed(String path, Throwable thrown) {
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
    CompletionStage<Attributes> walk = files.attributes(entry.by(), entry.file());
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
          if (node.type() != FileType.DIRECTORY) {
            return CompletableFuture.failedFuture(
                new FileException(FileError.NOT_DIRECTORY, path + " is no directory"));
          }
          mounts.add(call.client().getAddress(), path);
          return CompletableFuture.completedFuture(
              new Done(gate.handle(match.export(), node.id())));
        });
  }
}
