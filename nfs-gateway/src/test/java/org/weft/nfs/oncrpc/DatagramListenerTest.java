package org.weft.nfs.oncrpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.nfs.model.ModelGateway;
import org.weft.protocol.system.SystemEnvironment;

/** Calls by datagrams: one reply to each, none to what is no call. */
class DatagramListenerTest {
  private static final String AUTH = "00".repeat(16);

  private final SystemEnvironment system = SystemEnvironment.create();
  private final AtomicInteger carriedOut = new AtomicInteger();
  private final CompletableFuture<OncReply> held = new CompletableFuture<>();
  private OncRpcTransport rpc;
  private DatagramListener listener;
  private DatagramSocket socket;

  @BeforeEach
  void open() throws Exception {
    rpc =
        new OncRpcTransport(
            OncRpcOptions.USUAL,
            system.environment().scheduler(),
            system.environment().ticker(),
            system.environment().random());
    RpcProgram program =
        new RpcProgram(77, "test")
            .version(
                1,
                Map.of(
                    1,
                    in -> {
                      int value = in.int32();
                      return call -> {
                        carriedOut.incrementAndGet();
                        return CompletableFuture.completedFuture(out -> out.int32(value + 1));
                      };
                    },
                    2,
                    in ->
                        call -> {
                          carriedOut.incrementAndGet();
                          return held;
                        }));
    listener =
        ModelGateway.now(
            rpc.listenDatagrams(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), List.of(program)));
    socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(30));
  }

  @AfterEach
  void close() {
    socket.close();
    rpc.close();
    system.close();
  }

  private void send(byte[] bytes) throws Exception {
    socket.send(new DatagramPacket(bytes, bytes.length, listener.address()));
  }

  private void call(int xid, int program, int procedure, String arguments) throws Exception {
    send(
        HexFormat.of()
            .parseHex(
                "%08x0000000000000002%08x00000001%08x".formatted(xid, program, procedure)
                    + AUTH
                    + arguments));
  }

  private String receive() throws Exception {
    DatagramPacket packet = new DatagramPacket(new byte[8_192], 8_192);
    socket.receive(packet);
    return HexFormat.of().formatHex(Arrays.copyOf(packet.getData(), packet.getLength()));
  }

  @Test
  void datagramCallsAreAnsweredAlsoWithARefusal() throws Exception {
    call(7, 77, 1, "00000005");
    assertEquals("00000007" + "00000001" + "00".repeat(16) + "00000006", receive());
    call(8, 78, 1, "");
    assertEquals("00000008" + "00000001" + "00".repeat(12) + "00000001", receive());
    call(9, 77, 3, "");
    assertEquals("00000009" + "00000001" + "00".repeat(12) + "00000003", receive());
    call(10, 77, 1, "00");
    assertEquals("0000000a" + "00000001" + "00".repeat(12) + "00000004", receive());
  }

  @Test
  void aRepeatOfACallThatIsUnderWayJoinsIt() throws Exception {
    call(7, 77, 2, "");
    call(7, 77, 2, "");
    call(8, 77, 1, "00000001");
    assertEquals("00000008" + "00000001" + "00".repeat(16) + "00000002", receive());
    held.complete(OncReply.NOTHING);
    assertEquals("00000007" + "00000001" + "00".repeat(16), receive());
    assertEquals("00000007" + "00000001" + "00".repeat(16), receive());
    assertEquals(2, carriedOut.get());
  }

  @Test
  void malformedDatagramGetsNoReply() throws Exception {
    Random random = new Random(95_720_003);
    for (int i = 0; i < 500; i++) {
      byte[] bytes = new byte[random.nextInt(300)];
      random.nextBytes(bytes);
      if (bytes.length > 8) {
        ByteBuffer.wrap(bytes).putInt(4, 1 + random.nextInt(5));
      }
      send(bytes);
    }
    send(new byte[60_000]);
    // The system may have dropped some datagrams, and this one among them.
    socket.setSoTimeout(500);
    String reply = "";
    for (int i = 0; reply.isEmpty() && i < 60; i++) {
      call(7, 77, 1, "00000005");
      try {
        reply = receive();
      } catch (java.net.SocketTimeoutException e) {
        reply = "";
      }
    }
    assertEquals("00000007" + "00000001" + "00".repeat(16) + "00000006", reply);
    assertEquals(0, rpc.usedBytes());
  }
}
