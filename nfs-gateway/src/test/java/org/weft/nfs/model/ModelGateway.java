package org.weft.nfs.model;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.weft.client.ids.NodeId;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.ExportTable;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.exports.HandleCodec;
import org.weft.nfs.exports.NumberTable;
import org.weft.nfs.exports.Policy;
import org.weft.nfs.exports.Squash;
import org.weft.nfs.files.FileService;
import org.weft.nfs.mount.Mount3;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.OncRpcListener;
import org.weft.nfs.oncrpc.OncRpcOptions;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.nfs.oncrpc.RpcProgram;
import org.weft.nfs.portmap.Portmapper;
import org.weft.nfs.portmap.Registration;
import org.weft.nfs.v3.Nfs3;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.system.SystemEnvironment;

/** A gateway on the loopback address that serves a file service. */
public final class ModelGateway implements AutoCloseable {
  public static final int OPEN = 1;
  public static final int READ_ONLY = 2;
  public static final int SQUASHED = 3;
  public static final int ELSEWHERE = 4;

  private static final long DEADLINE_SECONDS = 30;

  public static final NumberTable NUMBERS =
      new NumberTable(
          Map.of(0, "root", 1_000, "alice", 1_001, "bob", 65_534, "nobody"),
          Map.of(0, "root", 100, "users", 101, "staff", 65_534, "nogroup"));

  private final SystemEnvironment system = SystemEnvironment.create();
  private final OncRpcTransport transport;
  private final OncRpcListener listener;
  private final Gatekeeper gate;
  private final HandleCodec handles;
  private final OncRpcListener portmap;

  public ModelGateway(FileService files, NodeId root, int port, OncRpcOptions options) {
    Environment environment = system.environment();
    transport =
        new OncRpcTransport(
            options, environment.scheduler(), environment.ticker(), environment.random());
    byte[] key = new byte[HandleCodec.KEY_BYTES];
    Arrays.fill(key, (byte) 5);
    handles = new HandleCodec(new ClusterId("0123456789abcdef".repeat(2)), 1, key);
    ExportTable table =
        new ExportTable(
            List.of(
                new Export(OPEN, "/", root, List.of(), false, Squash.NONE, true),
                new Export(READ_ONLY, "/read-only", root, List.of(), true, Squash.NONE, true),
                new Export(SQUASHED, "/squashed", root, List.of(), false, Squash.ROOT, true),
                new Export(ELSEWHERE, "/elsewhere", root, List.of(), false, Squash.NONE, false)));
    Policy policy = new Policy(1, Optional.of(handles), table, NUMBERS);
    gate = new Gatekeeper(() -> policy);
    List<RpcProgram> programs =
        List.of(
            new Nfs3(files, gate).program(),
            new Mount3(files, gate, environment.scheduler(), environment.ticker()).program());
    InetAddress loopback = InetAddress.getLoopbackAddress();
    listener = now(transport.listen(new InetSocketAddress(loopback, port), programs));
    portmap =
        now(
            transport.listen(
                new InetSocketAddress(loopback, 0),
                List.of(
                    new Portmapper(
                            Registration.of(programs, listener.address().getPort()),
                            environment.clock())
                        .program())));
  }

  public ModelGateway(FileService files, NodeId root) {
    this(files, root, 0, OncRpcOptions.USUAL);
  }

  public Gatekeeper gate() {
    return gate;
  }

  public InetSocketAddress address() {
    return listener.address();
  }

  public InetSocketAddress portmap() {
    return portmap.address();
  }

  public OncRpcTransport transport() {
    return transport;
  }

  public Environment environment() {
    return system.environment();
  }

  public byte[] handle(int export, NodeId file) {
    return gate.handle(gate.exports().byId(export).orElseThrow(), file);
  }

  /** A handle of an export that need not be there. */
  public byte[] handleOfExport(int export, NodeId file) {
    return handles.encode(export, file);
  }

  public OncRpcClient connect(InetSocketAddress to) {
    return now(transport.connect(to, OptionalInt.empty(), 30_000, Runnable::run));
  }

  /** Waits for the stage, with a deadline. */
  public static <T> T now(java.util.concurrent.CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    now(listener.stop());
    now(portmap.stop());
    transport.close();
    system.close();
  }
}
