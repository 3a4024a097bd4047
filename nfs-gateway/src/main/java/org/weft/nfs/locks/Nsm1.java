package org.weft.nfs.locks;

import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.ToIntFunction;
import org.weft.nfs.nsm.NsmMessage;
import org.weft.nfs.nsm.NsmProcedure;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcProgram;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;

/**
 * The status monitor as clients call it, C702 chapter 11: NOTIFY, that they have started again, so
 * that the locks which they had are unlocked. It watches no host for others: it refuses MON and
 * STAT, and answers UNMON and UNMON_ALL that no host is watched. SIMU_CRASH, with which a host
 * notifies all its clients, is not served.
 */
public final class Nsm1 {
  private final ClientLocks locks;
  private final ToIntFunction<InetAddress> state;

  /**
   * @param state of this gateway at one of its addresses
   */
  public Nsm1(ClientLocks locks, ToIntFunction<InetAddress> state) {
    this.locks = locks;
    this.state = state;
  }

  public RpcProgram program() {
    return new RpcProgram(NsmProcedure.PROGRAM, "nsm")
        .version(
            NsmProcedure.VERSION,
            Map.of(
                NsmProcedure.STAT.number(),
                in -> {
                  var unused = NsmMessage.Name.read(in);
                  return this::unwatched;
                },
                NsmProcedure.MON.number(),
                in -> {
                  var unused = NsmMessage.Monitor.read(in);
                  return this::unwatched;
                },
                NsmProcedure.UNMON.number(),
                in -> {
                  var unused = NsmMessage.Watch.read(in);
                  return this::state;
                },
                NsmProcedure.UNMON_ALL.number(),
                in -> {
                  var unused = NsmMessage.Callback.read(in);
                  return this::state;
                },
                NsmProcedure.NOTIFY.number(),
                this::told));
  }

  /** STAT_FAIL. */
  private CompletionStage<OncReply> unwatched(RpcCall call) {
    return CompletableFuture.completedFuture(
        new NsmMessage.Watched(false, state.applyAsInt(call.server().getAddress()))::write);
  }

  private CompletionStage<OncReply> state(RpcCall call) {
    return CompletableFuture.completedFuture(
        new NsmMessage.State(state.applyAsInt(call.server().getAddress()))::write);
  }

  private RpcTask told(XdrReader in) throws MalformedXdrException {
    NsmMessage.Notice notice = NsmMessage.Notice.read(in);
    return call ->
        locks
            .freeAll(call.client(), notice.host(), notice.state())
            .thenApply(done -> OncReply.NOTHING);
  }
}
