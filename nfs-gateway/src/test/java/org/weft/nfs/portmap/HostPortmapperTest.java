package org.weft.nfs.portmap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.oncrpc.OncRpcListener;
import org.weft.nfs.oncrpc.RpcProgram;
import org.weft.nfs.oncrpc.RpcTask;

/** Registration with a portmapper that does what RFC 1833 section 3.2 says, as rpcbind does. */
class HostPortmapperTest {
  private final ModelFileService files = new ModelFileService();
  private final ModelGateway gateway = new ModelGateway(files, files.root());

  /** Rows such as "100024 1 udp 7350". */
  private final Set<String> rows = new ConcurrentSkipListSet<>();

  private OncRpcListener portmapper;
  private HostPortmapper host;

  @BeforeEach
  void start() {
    RpcProgram program =
        new RpcProgram(Portmapper.PROGRAM, "portmap")
            .version(
                2,
                Map.of(
                    1,
                    in -> {
                      Mapping mapping = Mapping.read(in);
                      return (RpcTask) call -> answer(set(mapping));
                    },
                    2,
                    in -> {
                      Mapping mapping = Mapping.read(in);
                      return (RpcTask) call -> answer(unset(mapping));
                    }));
    portmapper =
        ModelGateway.now(
            gateway
                .transport()
                .listen(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), List.of(program)));
    host = new HostPortmapper(gateway.transport(), portmapper.address(), false, Runnable::run);
  }

  @AfterEach
  void stop() {
    ModelGateway.now(portmapper.stop());
    gateway.close();
  }

  private static CompletableFuture<org.weft.nfs.oncrpc.OncReply> answer(boolean done) {
    return CompletableFuture.completedFuture(out -> out.bool(done));
  }

  private static String key(Mapping mapping) {
    return mapping.program() + " " + mapping.version() + " ";
  }

  /** False where another port is registered for that version and protocol. */
  private boolean set(Mapping mapping) {
    String row = key(mapping) + (mapping.protocol() == Mapping.UDP ? "udp " : "tcp ");
    return rows.stream().noneMatch(each -> each.startsWith(row)) && rows.add(row + mapping.port());
  }

  /** The protocol and the port of the arguments are ignored. */
  private boolean unset(Mapping mapping) {
    return rows.removeIf(each -> each.startsWith(key(mapping)));
  }

  @Test
  void aProgramOfTwoProtocolsIsRegisteredForBoth() {
    List<Registration> ours =
        List.of(
            new Registration(100_003, 3, 7_350),
            new Registration(100_024, 1, 7_350),
            new Registration(100_024, 1, 7_350, true));
    Set<String> wanted = Set.of("100003 3 tcp 7350", "100024 1 tcp 7350", "100024 1 udp 7350");
    ModelGateway.now(host.register(ours));
    assertEquals(wanted, rows);
    rows.clear();
    rows.addAll(Set.of("100024 1 tcp 9", "100024 1 udp 9", "100000 2 tcp 111"));
    ModelGateway.now(host.register(ours));
    rows.remove("100000 2 tcp 111");
    assertEquals(wanted, rows, "in place of those of a gateway that was killed");
    ModelGateway.now(host.unregister(ours));
    assertEquals(Set.of(), rows);
  }
}
