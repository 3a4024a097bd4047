package org.weft.simulator.gateway;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.weft.client.LockMode;
import org.weft.client.WeftClient;
import org.weft.client.ids.NodeId;
import org.weft.client.internal.ClientParts;
import org.weft.client.lock.RangeHolder;
import org.weft.client.lock.RangeOwner;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.ExportTable;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.exports.HandleCodec;
import org.weft.nfs.exports.NumberTable;
import org.weft.nfs.exports.Policy;
import org.weft.nfs.exports.Squash;
import org.weft.nfs.locks.ClientLocks;
import org.weft.nfs.locks.LockPeer;
import org.weft.nfs.locks.OwnerLocks;
import org.weft.nfs.locks.procedure.Nlm4;
import org.weft.nfs.monitor.MonitoredClient;
import org.weft.nfs.monitor.Watching;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.CallMark;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.RpcProgram;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.layout.ByteRange;
import org.weft.simulator.node.ClientNode;

/**
 * A gateway as far as its lock manager goes: the production's, with its client library, in a
 * process of the world. Calls come as bytes, without a network of their own.
 */
final class LockGateway extends GatewayProcess {
  private static final int RESERVED_PORT = 700;
  private static final int PORT = 2_049;
  private static final NumberTable NUMBERS =
      new NumberTable(Map.of(0, "root", 65_534, "nobody"), Map.of(0, "root", 65_534, "nogroup"));

  private final GatewayScene scene;
  private ClientLocks locks;
  private Gatekeeper gate;
  private RpcProgram program;
  private WeftClient client;
  private int calls;
  private final Map<String, OwnerLocks> lockedBy = new HashMap<>();

  LockGateway(GatewayScene scene, ClientNode node) {
    super(scene, node);
    this.scene = scene;
  }

  @Override
  void serve(WeftClient opened) {
    client = opened;
    Export export = new Export(1, "/", NodeId.of(1, 1), List.of(), false, Squash.NONE, true);
    HandleCodec handles =
        new HandleCodec(new ClusterId("0".repeat(32)), 1, new byte[HandleCodec.KEY_BYTES]);
    Policy policy = new Policy(1, Optional.of(handles), new ExportTable(List.of(export)), NUMBERS);
    gate = new Gatekeeper(() -> policy);
    Watching watching =
        new Watching() {
          @Override
          public CompletableFuture<Verdict> watched(MonitoredClient host) {
            return CompletableFuture.completedFuture(Verdict.WATCHED);
          }

          @Override
          public boolean serves(InetAddress server) {
            return scene.isServedBy(server, LockGateway.this);
          }
        };
    locks =
        ClientLocks.start(
            (by, file, owner) ->
                ClientParts.of(opened)
                    .locksById()
                    .open(by, file, owner)
                    .thenApply(locks -> noted(owner, OwnerLocks.of(locks))),
            (owner, message, asMessage) -> scene.tell(this, owner.client(), message),
            watching,
            node().environment());
    program = new Nlm4(locks, gate, LockGateway::noHostHasAskedSo).program();
  }

  /** Hosts here use the forms that are replied to. */
  private static CompletableFuture<Void> noHostHasAskedSo(
      LockPeer peer, NlmProcedure procedure, NlmMessage message) {
    throw new AssertionError(procedure + " for " + peer);
  }

  /** Remembers by which of its sessions an owner has locked last. */
  private OwnerLocks noted(RangeOwner owner, OwnerLocks of) {
    String key = owner.key().toStringUtf8();
    String name = key.substring(0, key.lastIndexOf(':'));
    return new OwnerLocks() {
      private <T> CompletableFuture<T> noting(CompletableFuture<T> asked) {
        CompletableFuture<?> unused = asked.thenRun(() -> lockedBy.put(name, of));
        return asked;
      }

      @Override
      public CompletableFuture<Void> lockAgain(ByteRange range, LockMode mode, Duration patience) {
        return noting(of.lockAgain(range, mode, patience));
      }

      @Override
      public CompletableFuture<Boolean> reclaim(ByteRange range, LockMode mode) {
        return of.reclaim(range, mode);
      }

      @Override
      public CompletableFuture<Boolean> takeOver(ByteRange range, LockMode mode) {
        return noting(of.takeOver(range, mode));
      }

      @Override
      public CompletableFuture<Boolean> unlock(ByteRange range) {
        return of.unlock(range);
      }

      @Override
      public CompletableFuture<Optional<RangeHolder>> test(ByteRange range, LockMode mode) {
        return of.test(range, mode);
      }

      @Override
      public boolean isHeld() {
        return of.isHeld();
      }
    };
  }

  /** Asks whether the session goes on by which a process has just locked. */
  BooleanSupplier session(String host, int process) {
    OwnerLocks by = lockedBy.get("nfs:" + host + ":" + process);
    int life = node().life();
    return () -> by != null && isServing() && node().life() == life && by.isHeld();
  }

  @Override
  boolean hasBegun() {
    return program != null;
  }

  @Override
  void forget() {
    program = null;
    locks = null;
    client = null;
    lockedBy.clear();
  }

  /** An address has gone to another gateway's host, as this one sees. */
  void lost(InetAddress server) {
    ClientLocks now = locks;
    if (now != null) {
      node().tasks().execute(() -> now.lost(server));
    }
  }

  CompletableFuture<NodeId> find(String path) {
    return ClientParts.of(client).filesById().resolve(path).thenApply(found -> found.id());
  }

  /** What it hands out for a file; the same at all. */
  NetObject handle(NodeId file) {
    Export export = gate.exports().byId(1).orElseThrow();
    return new NetObject(gate.handle(export, file));
  }

  /** Carries a call out; never completes if the process dies before. */
  CompletableFuture<NlmStatus> call(
      NlmProcedure procedure, NlmMessage message, InetAddress host, InetAddress server) {
    CompletableFuture<NlmStatus> answer = new CompletableFuture<>();
    RpcProgram served = program;
    RpcCall call =
        new RpcCall(
            ++calls,
            NlmProcedure.PROGRAM,
            NlmProcedure.VERSION,
            procedure.number(),
            new RpcCredential.Sys(0, "host", 0, 0, List.of()),
            new InetSocketAddress(host, RESERVED_PORT),
            new InetSocketAddress(server, PORT),
            CallMark.NONE);
    node()
        .tasks()
        .execute(
            () -> {
              try {
                var unused =
                    served
                        .procedure(NlmProcedure.VERSION, procedure.number())
                        .orElseThrow()
                        .read(XdrReader.of(XdrWriter.bytes(message::write)))
                        .run(call)
                        .thenAccept(
                            reply ->
                                answer.complete(
                                    procedure == NlmProcedure.FREE_ALL
                                        ? NlmStatus.GRANTED
                                        : status(XdrWriter.bytes(reply::write))));
              } catch (MalformedXdrException e) {
                throw new IllegalStateException(e);
              }
            });
    return answer;
  }

  private static NlmStatus status(byte[] reply) {
    try {
      return NlmMessage.Answer.read(XdrReader.of(reply)).status();
    } catch (MalformedXdrException e) {
      throw new IllegalStateException(e);
    }
  }
}
