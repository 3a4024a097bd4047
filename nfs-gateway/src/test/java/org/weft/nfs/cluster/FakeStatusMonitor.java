package org.weft.nfs.cluster;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.nsm.NsmMessage;
import org.weft.nfs.nsm.NsmProcedure;
import org.weft.nfs.oncrpc.DatagramListener;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.nfs.oncrpc.RpcProgram;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.portmap.Portmapper;
import org.weft.nfs.portmap.Registration;
import org.weft.protocol.seam.Clock;

/** A client's side over UDP: its portmapper, and its status monitor that hears of starts. */
final class FakeStatusMonitor implements AutoCloseable {
  private final DatagramListener statd;
  private final DatagramListener portmap;

  /** What it was told, in that order. */
  final Queue<NsmMessage.Notice> told = new ConcurrentLinkedQueue<>();

  FakeStatusMonitor(OncRpcTransport rpc, Clock clock) {
    RpcProgram program =
        new RpcProgram(NsmProcedure.PROGRAM, "statd")
            .version(
                NsmProcedure.VERSION,
                Map.of(
                    NsmProcedure.NOTIFY.number(),
                    in -> {
                      NsmMessage.Notice notice = NsmMessage.Notice.read(in);
                      return (RpcTask)
                          call -> {
                            told.add(notice);
                            return CompletableFuture.completedFuture(OncReply.NOTHING);
                          };
                    }));
    statd = listen(rpc, program);
    portmap =
        listen(
            rpc,
            Portmapper.datagrams(
                Registration.ofDatagrams(List.of(program), statd.address().getPort()), clock));
  }

  private static DatagramListener listen(OncRpcTransport rpc, RpcProgram program) {
    return ModelGateway.now(
        rpc.listenDatagrams(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), List.of(program)));
  }

  int portmapPort() {
    return portmap.address().getPort();
  }

  @Override
  public void close() {
    ModelGateway.now(portmap.stop());
    ModelGateway.now(statd.stop());
  }
}
