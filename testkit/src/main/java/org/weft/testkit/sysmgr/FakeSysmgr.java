package org.weft.testkit.sysmgr;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Transport;
import org.weft.protocol.wire.AcquireVolumesRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.GetTableReply;
import org.weft.protocol.wire.GetTableRequest;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.JoinRequest;
import org.weft.protocol.wire.ReadmitOsdRequest;
import org.weft.protocol.wire.VolumeFormattedRequest;
import org.weft.protocol.wire.VolumeRecoveredRequest;
import org.weft.protocol.wire.VolumeStepRequest;

/**
 * A member of SysMgr that answers GET_TABLE, JOIN_OSD, JOIN_MANAGER, HEARTBEAT, ACQUIRE_VOLUMES,
 * VOLUME_FORMATTED and VOLUME_STEP for a {@link FakeCluster}. Several members may share one
 * cluster.
 *
 * <p>Like the real one it refuses what is not signed with the join secret. Faults: {@link #lead}
 * makes a member answer NOT_LEADER, {@link #mute} makes it answer nothing at all, {@link #close}
 * stops it. {@link #impersonate} makes it one that does not know the secret.
 */
public final class FakeSysmgr implements RpcService, AutoCloseable {
  private static final Endpoint ANY_PORT = new Endpoint("127.0.0.1", 0);

  private final FakeCluster cluster;
  private final AtomicBoolean leading = new AtomicBoolean(true);
  private final AtomicBoolean muted = new AtomicBoolean();
  private final AtomicBoolean impostor = new AtomicBoolean();
  private final AtomicInteger answers = new AtomicInteger();
  private RpcListener listener;

  private FakeSysmgr(FakeCluster cluster) {
    this.cluster = cluster;
  }

  /** Listens on any free port of the loopback; blocks until it does. */
  public static FakeSysmgr start(Transport transport, FakeCluster cluster) {
    return start(transport, cluster, ANY_PORT);
  }

  /** Listens on that address; blocks until it does. */
  public static FakeSysmgr start(Transport transport, FakeCluster cluster, Endpoint listen) {
    FakeSysmgr member = new FakeSysmgr(cluster);
    ListenOptions options =
        ListenOptions.of(() -> Optional.of(cluster.clusterId()), "sysmgr-fake", 0);
    member.listener = transport.listen(listen, options, member).toCompletableFuture().join();
    return member;
  }

  public Endpoint address() {
    return listener.address();
  }

  /** False: every request is answered NOT_LEADER from now on. */
  public void lead(boolean leads) {
    leading.set(leads);
  }

  /** True: nothing is answered any more. */
  public void mute(boolean silent) {
    muted.set(silent);
  }

  /** True: it answers all requests, and signs nothing, as one does that lacks the join secret. */
  public void impersonate(boolean lacksSecret) {
    impostor.set(lacksSecret);
  }

  /** How many requests it has answered, other than by a refusal. */
  public int answers() {
    return answers.get();
  }

  @Override
  public void handle(InboundRequest request) {
    if (muted.get()) {
      return;
    }
    try {
      request.reply(answer(request));
      answers.incrementAndGet();
    } catch (WeftException e) {
      request.fail(e);
    }
  }

  private MessageLite answer(InboundRequest request) throws WeftException {
    boolean isSigned = impostor.get() || request.signedWith(cluster.joinSecret());
    if (!leading.get()) {
      throw new WeftException(ErrorCode.NOT_LEADER, "this member does not lead; ask another");
    }
    Opcode opcode = Opcode.of(request.opcodeNumber()).orElseThrow(() -> unsupported(request));
    if (opcode == Opcode.GET_TABLE) {
      return table(request.parse(GetTableRequest.parser()));
    }
    if (!isSigned) {
      throw new WeftException(
          ErrorCode.UNAUTHENTICATED, opcode + " is not signed with this cluster's join token");
    }
    return switch (opcode) {
      case JOIN_OSD -> cluster.joinOsd(request.parse(JoinRequest.parser()));
      case JOIN_MANAGER -> cluster.joinManager(request.parse(JoinRequest.parser()));
      case HEARTBEAT -> cluster.heartbeat(request.parse(HeartbeatRequest.parser()));
      case ACQUIRE_VOLUMES -> acquire(request.parse(AcquireVolumesRequest.parser()));
      case VOLUME_STEP -> {
        cluster.step(request.parse(VolumeStepRequest.parser()));
        yield Empty.getDefaultInstance();
      }
      case READMIT_OSD -> {
        cluster.readmit(request.parse(ReadmitOsdRequest.parser()));
        yield Empty.getDefaultInstance();
      }
      case VOLUME_FORMATTED -> {
        cluster.formatted(request.parse(VolumeFormattedRequest.parser()).getVolumeId());
        yield Empty.getDefaultInstance();
      }
      case VOLUME_RECOVERED -> {
        cluster.recovery(request.parse(VolumeRecoveredRequest.parser()).getVolumeId(), false);
        yield Empty.getDefaultInstance();
      }
      default -> throw unsupported(request);
    };
  }

  private MessageLite acquire(AcquireVolumesRequest request) throws WeftException {
    return request.getVolumeId() == 0
        ? cluster.acquire(request.getManagerId(), request.getNonce())
        : cluster.acquire(request.getManagerId(), request.getNonce(), request.getVolumeId());
  }

  private MessageLite table(GetTableRequest request) {
    var table = cluster.table();
    return request.getKnownVersion() == table.getVersion()
        ? GetTableReply.newBuilder().setUnchanged(true).build()
        : GetTableReply.newBuilder().setTable(table).build();
  }

  private static WeftException unsupported(InboundRequest request) {
    return new WeftException(
        ErrorCode.UNSUPPORTED, "the fake SysMgr does not answer opcode " + request.opcodeNumber());
  }

  @Override
  public void close() {
    listener.close();
  }
}
