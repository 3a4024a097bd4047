package org.weft.nfs.cluster;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.OncRpcListener;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcProgram;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.portmap.Portmapper;
import org.weft.nfs.portmap.Registration;
import org.weft.protocol.seam.Clock;
import org.weft.testkit.process.Await;

/** A client's side: its portmapper, and its lock manager that is told of locks and results. */
final class FakeLockManager implements AutoCloseable {
  /** A message that came, in the asynchronous forms. */
  record Heard(NlmProcedure procedure, NlmMessage message) {}

  private final OncRpcListener locks;
  private final OncRpcListener portmap;

  /** What it was told with GRANTED, in that order. */
  final Queue<NlmMessage.Test> told = new ConcurrentLinkedQueue<>();

  /** Results and GRANTED_MSG, in the order in which they came. */
  final Queue<Heard> heard = new ConcurrentLinkedQueue<>();

  /** What it answers next; GRANTED when there is none left. */
  final Queue<NlmStatus> answers = new ConcurrentLinkedQueue<>();

  /** It gives no reply to messages, as some kernels do. */
  volatile boolean silent;

  FakeLockManager(OncRpcTransport rpc, Clock clock) {
    Map<Integer, RpcProcedure> procedures = new HashMap<>();
    procedures.put(
        NlmProcedure.GRANTED.number(),
        in -> {
          NlmMessage.Test lock = NlmMessage.Test.read(in);
          return (RpcTask) call -> answer(lock);
        });
    hear(procedures, NlmProcedure.GRANTED_MSG, NlmMessage.Test::read);
    hear(procedures, NlmProcedure.TEST_RES, NlmMessage.Tested::read);
    hear(procedures, NlmProcedure.LOCK_RES, NlmMessage.Answer::read);
    hear(procedures, NlmProcedure.CANCEL_RES, NlmMessage.Answer::read);
    hear(procedures, NlmProcedure.UNLOCK_RES, NlmMessage.Answer::read);
    hear(procedures, NlmProcedure.GRANTED_RES, NlmMessage.Answer::read);
    RpcProgram program =
        new RpcProgram(NlmProcedure.PROGRAM, "nlm").version(NlmProcedure.VERSION, procedures);
    locks = listen(rpc, program);
    portmap =
        listen(
            rpc,
            new Portmapper(Registration.of(List.of(program), locks.address().getPort()), clock)
                .program());
  }

  private void hear(
      Map<Integer, RpcProcedure> procedures,
      NlmProcedure procedure,
      OncRpcClient.ResultReader<? extends NlmMessage> reader) {
    procedures.put(
        procedure.number(),
        in -> {
          NlmMessage message = reader.read(in);
          return (RpcTask)
              call -> {
                heard.add(new Heard(procedure, message));
                return silent
                    ? new CompletableFuture<>()
                    : CompletableFuture.completedFuture(OncReply.NOTHING);
              };
        });
  }

  /** The next message, once it is there. */
  Heard next() {
    Await.until("a message came", () -> !heard.isEmpty());
    return heard.poll();
  }

  private static OncRpcListener listen(OncRpcTransport rpc, RpcProgram program) {
    return ModelGateway.now(
        rpc.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), List.of(program)));
  }

  private CompletableFuture<OncReply> answer(NlmMessage.Test lock) {
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
