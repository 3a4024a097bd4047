package org.weft.nfs.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.nsm.NsmProcedure;
import org.weft.nfs.oncrpc.DatagramListener;
import org.weft.nfs.oncrpc.OncRpcOptions;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.nfs.portmap.Portmapper;
import org.weft.nfs.portmap.Registration;
import org.weft.protocol.system.SystemEnvironment;

/** NOTIFY on the wire: C702 section 11.3, over UDP. */
class StatusMonitorCallsTest {
  private static final String ACCEPTED = "00000001" + "00".repeat(16);

  private final InetAddress here = InetAddress.getLoopbackAddress();
  private final SystemEnvironment system = SystemEnvironment.create();
  private OncRpcTransport rpc;
  private DatagramSocket statd;

  @BeforeEach
  void open() throws Exception {
    rpc =
        new OncRpcTransport(
            OncRpcOptions.USUAL,
            system.environment().scheduler(),
            system.environment().ticker(),
            system.environment().random());
    statd = new DatagramSocket(new InetSocketAddress(here, 0));
    statd.setSoTimeout((int) TimeUnit.SECONDS.toMillis(30));
  }

  @AfterEach
  void close() {
    statd.close();
    rpc.close();
    system.close();
  }

  private StatusMonitorCalls calls(List<Registration> known) {
    DatagramListener portmap =
        ModelGateway.now(
            rpc.listenDatagrams(
                new InetSocketAddress(here, 0),
                List.of(Portmapper.datagrams(known, system.environment().clock()))));
    return new StatusMonitorCalls(
        rpc, portmap.address().getPort(), new Random(95_720_001), Runnable::run);
  }

  private StatusMonitorCalls calls() {
    return calls(
        List.of(
            new Registration(
                NsmProcedure.PROGRAM, NsmProcedure.VERSION, statd.getLocalPort(), true)));
  }

  private DatagramPacket receive() throws Exception {
    DatagramPacket packet = new DatagramPacket(new byte[4_096], 4_096);
    statd.receive(packet);
    return packet;
  }

  private static String hex(DatagramPacket packet) {
    return HexFormat.of().formatHex(Arrays.copyOf(packet.getData(), packet.getLength()));
  }

  private void reply(DatagramPacket to, String hex) throws Exception {
    byte[] bytes = HexFormat.of().parseHex(hex);
    statd.send(new DatagramPacket(bytes, bytes.length, to.getSocketAddress()));
  }

  @Test
  void noticeHasItsGoldenBytesAndIsRepeatedUntilAnswered() throws Exception {
    CompletableFuture<Void> told = calls().tell(here, here, 101, true).toCompletableFuture();
    DatagramPacket first = receive();
    String call = hex(first);
    String head = "00000000" + "00000002" + "000186b8" + "00000001" + "00000006";
    String credential =
        "00000001" + "0000001c" + "00000000" + "00000008" + "776566742d6e6673" + "00".repeat(12);
    String none = "00".repeat(8);
    String notice = "00000009" + "3132372e302e302e31000000" + "00000065";
    assertEquals(head + credential + none + notice, call.substring(8));
    DatagramPacket second = receive();
    assertEquals(call, hex(second), "the same number, so that it counts once");
    reply(second, "ffffffff" + ACCEPTED);
    reply(second, call.substring(0, 8) + ACCEPTED);
    told.get(30, TimeUnit.SECONDS);
  }

  @Test
  void refusalByTheMonitorIsNoDelivery() throws Exception {
    CompletableFuture<Void> told = calls().tell(here, here, 101, true).toCompletableFuture();
    DatagramPacket call = receive();
    reply(call, hex(call).substring(0, 8) + "00000001" + "00".repeat(12) + "00000001");
    assertThrows(ExecutionException.class, () -> told.get(30, TimeUnit.SECONDS));
  }

  @Test
  void aHostWithoutAMonitorIsNamed() {
    ExecutionException failure =
        assertThrows(
            ExecutionException.class,
            () ->
                calls(List.of())
                    .tell(here, here, 101, true)
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS));
    assertTrue(failure.getMessage().contains("knows of no status monitor"), failure::toString);
  }
}
