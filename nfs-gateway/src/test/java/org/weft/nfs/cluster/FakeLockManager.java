package org.weft.nfs.cluster;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.OncRpcListener;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.nfs.oncrpc.RpcProgram;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.portmap.Portmapper;
import org.weft.nfs.portmap.Registration;
import org.weft.protocol.seam.Clock;

/** A client's side: its portmapper, and its lock manager that is told of locks. */
final class FakeLockManager implements AutoCloseable {
  private final OncRpcListener locks;
  private final OncRpcListener portmap;

  /** What it was told, in that order. */
  final Queue<NlmMessage.Test> told = new ConcurrentLinkedQueue<>();

  /** What it answers next; GRANTED when there is none left. */
  final Queue<NlmStatus> answers = new ConcurrentLinkedQueue<>();

  FakeLockManager(OncRpcTransport rpc, Clock clock) {
    RpcProgram program =
        new RpcProgram(NlmProcedure.PROGRAM, "nlm")
            .version(
                NlmProcedure.VERSION,
                Map.of(
                    NlmProcedure.GRANTED.number(),
                    in -> {
                      NlmMessage.Test lock = NlmMessage.Test.read(in);
                      return (RpcTask) call -> answer(lock);
                    }));
    locks = listen(rpc, program);
    portmap =
        listen(
            rpc,
            new Portmapper(Registration.of(List.of(program), locks.address().getPort()), clock)
                .program());
  }

  private static OncRpcListener listen(OncRpcTransport rpc, RpcProgram program) {
    return ModelGateway.now(
        rpc.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), List.of(program)));
  }

  private CompletableFuture<org.weft.nfs.oncrpc.OncReply> answer(NlmMessage.Test lock) {
    NlmStatus next = answers.poll();
    told.add(lock);
    return CompletableFuture.completedFuture(
        new NlmMessage.Answer(lock.cookie(), next == null ? NlmStatus.GRANTED : next)::write);
  }

  int portmapPort() {
    return portmap.address().getPort();
  }

  @Override
  public void close() {
    ModelGateway.now(portmap.stop());
    ModelGateway.now(locks.stop());
  }
}
