package org.weft.nfs.mount;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileService;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcProgram;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/** The program and its procedures, RFC 1813 section 5.2. */
public final class Mount3 {
  public static final int PROGRAM = 100_005;
  public static final int VERSION = 3;

  /** MNTPATHLEN and MNTNAMLEN, section 5.1.4. */
  static final int MAX_PATH_BYTES = 1_024;

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
            in -> call -> CompletableFuture.completedFuture(this::dump),
            3,
            this::unmount,
            4,
            this::unmountAll,
            5,
            in -> call -> CompletableFuture.completedFuture(this::exports));
    return new RpcProgram(PROGRAM, "mount").version(VERSION, procedures);
  }

  /** What each client mounted last, as far as it is known. */
  public Map<InetAddress, String> mounted() {
    Map<InetAddress, String> paths = new HashMap<>();
    mounts.all().forEach(each -> paths.put(each.client(), each.path()));
    return paths;
  }

  /** DUMP, section 5.2.2. */
  private void dump(XdrWriter out) {
    for (MountList.Mounted mounted : mounts.all()) {
      out.bool(true).string(mounted.client().getHostAddress()).string(mounted.path());
    }
    out.bool(false);
  }

  /** UMNT, section 5.2.3. */
  private RpcTask unmount(XdrReader in) throws MalformedXdrException {
    String path = in.string(MAX_PATH_BYTES);
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

  /** EXPORT, section 5.2.5. */
  private void exports(XdrWriter out) {
    for (Export export : gate.exports().all()) {
      out.bool(true).string(export.path());
      export.clients().forEach(network -> out.bool(true).string(network.toString()));
      out.bool(false);
    }
    out.bool(false);
  }
}
