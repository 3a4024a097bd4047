package org.weft.nfs.mount;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.ExportTable;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileService;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcProgram;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.rpc.Network;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/** The program and its procedures, RFC 1813 section 5.2. */
public final class Mount3 {
  public static final int PROGRAM = 100_005;
  public static final int VERSION = 3;

  /** MNTPATHLEN and MNTNAMLEN, section 5.1.4. */
  static final int MAX_PATH_BYTES = 1_024;

  /** An entry of EXPORT, section 5.2.5. */
  private record Exported(Export export) implements EntriesTask.Entry {
    @Override
    public int bytes() {
      int bytes = EntriesTask.opaqueBytes(Mount3.bytes(export.path()).length) + Integer.BYTES;
      for (Network network : export.clients()) {
        bytes += Integer.BYTES + EntriesTask.opaqueBytes(network.toString().length());
      }
      return bytes;
    }

    @Override
    public void write(XdrWriter out) {
      out.opaque(Mount3.bytes(export.path()));
      export.clients().forEach(network -> out.bool(true).string(network.toString()));
      out.bool(false);
    }
  }

  private final FileService files;
  private final Gatekeeper gate;
  private final Scheduler scheduler;
  private final Ticker ticker;
  private final MountList mounts = new MountList();

  public Mount3(FileService files, Gatekeeper gate, Scheduler scheduler, Ticker ticker) {
    this.files = files;
    this.gate = gate;
    this.scheduler = scheduler;
    this.ticker = ticker;
  }

  public RpcProgram program() {
    Map<Integer, RpcProcedure> procedures =
        Map.of(
            1,
            new Mnt(files, gate, mounts, scheduler, ticker),
            2,
            in -> EntriesTask.of(mounts.all()),
            3,
            this::unmount,
            4,
            this::unmountAll,
            5,
            in -> EntriesTask.of(gate.exports().all().stream().map(Exported::new).toList()));
    return new RpcProgram(PROGRAM, "mount").version(VERSION, procedures);
  }

  /** What each client mounted last, as far as it is known. */
  public Map<InetAddress, String> mounted() {
    Map<InetAddress, String> paths = new HashMap<>();
    mounts.all().forEach(each -> paths.put(each.client(), each.path()));
    return paths;
  }

  /** UMNT, section 5.2.3. */
  private RpcTask unmount(XdrReader in) throws MalformedXdrException {
    String path = ExportTable.clean(path(in));
    return call -> {
      mounts.remove(call.client().getAddress(), path);
      return CompletableFuture.completedFuture(OncReply.NOTHING);
    };
  }

  /** UMNTALL, section 5.2.4. */
  private RpcTask unmountAll(XdrReader in) {
    return call -> {
      mounts.removeAll(call.client().getAddress());
      return CompletableFuture.completedFuture(OncReply.NOTHING);
    };
  }

  /** A path as clients send it: UTF-8, as all names are. */
  static String path(XdrReader in) throws MalformedXdrException {
    return new String(in.opaque(MAX_PATH_BYTES), StandardCharsets.UTF_8);
  }

  static byte[] bytes(String path) {
    return path.getBytes(StandardCharsets.UTF_8);
  }
}
