package org.weft.protocol.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.weft.protocol.transport.TestWire.await;
import static org.weft.protocol.transport.TestWire.get;

import io.netty.channel.epoll.Epoll;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.frame.FrameLimits;
import org.weft.protocol.frame.FrameMac;
import org.weft.protocol.frame.Handshake;
import org.weft.protocol.frame.VersionRange;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.Hello;
import org.weft.protocol.wire.HelloReply;

/** Processes of one machine talk past TCP, and only to the process that they mean to talk to. */
class LocalSocketTest {
  private static final String LOCAL = "this machine";

  /** Answers everything, and knows from where it was asked and its connected peers. */
  private static final class Server implements RpcService {
    private final List<RpcPeer> connected = new CopyOnWriteArrayList<>();
    private final Set<String> threads = ConcurrentHashMap.newKeySet();

    @Override
    public void handle(InboundRequest request) {
      threads.add(Thread.currentThread().getName());
      request.reply(Empty.getDefaultInstance());
    }

    @Override
    public void connected(RpcPeer peer) {
      connected.add(peer);
    }

    @Override
    public void disconnected(RpcPeer peer) {
      connected.remove(peer);
    }

    private List<String> hosts() {
      return connected.stream().map(peer -> peer.info().address().host()).toList();
    }
  }

  @BeforeEach
  void needsEpoll() {
    assumeTrue(Epoll.isAvailable(), () -> "epoll: " + Epoll.unavailabilityCause());
  }

  /** Asks something, so that the connection has been taken up on both sides. */
  private static RpcConnection asked(RpcConnection connection) throws Exception {
    get(connection.call(RpcRequest.unsigned(Opcode.OSD_STATUS, Empty.getDefaultInstance(), 5_000)));
    return connection;
  }

  private static ListenOptions osd(int number) {
    return ListenOptions.of(Optional::empty, "osd-" + number, 7);
  }

  @Test
  void aClientOfTheSameMachineGoesOverToTheLocalSocket() throws Exception {
    Server server = new Server();
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(server)) {
      RpcConnection connection = asked(wire.connect(listener));
      await("a local connection alone", () -> server.hosts().equals(List.of(LOCAL)));
      assertEquals(listener.address(), connection.peer().address());
    }
  }

  @Test
  void localConnectionsAreSpreadOverTheEventLoops() throws Exception {
    Server server = new Server();
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(server)) {
      for (int i = 0; i < 4; i++) {
        asked(wire.connect(listener));
      }
      assertEquals(2, server.threads.size(), server.threads::toString);
    }
  }

  @Test
  void aListenerWithoutLocalSocketsIsReachedOverTcp() throws Exception {
    Server server = new Server();
    try (TestWire wire = new TestWire(TestWire.options(true, 1 << 20, 5_000, 10_000));
        RpcListener listener = wire.listen(server)) {
      asked(wire.connect(listener));
      assertEquals(List.of("127.0.0.1"), server.hosts());
    }
  }

  @Test
  void aServerOfAnotherMachineIsReachedOverTcp() throws Exception {
    Server server = new Server();
    try (TestWire wire = new TestWire()) {
      Environment world = wire.environment();
      try (NettyTransport elsewhere =
              new NettyTransport(
                  TransportOptions.defaults(),
                  world.scheduler(),
                  world.ticker(),
                  world.random(),
                  TransportMetrics.NONE,
                  () -> "another boot");
          RpcListener listener =
              get(elsewhere.listen(new Endpoint("127.0.0.1", 0), osd(1), server))) {
        asked(wire.connect(listener));
        assertEquals(List.of("127.0.0.1"), server.hosts());
      }
    }
  }

  @Test
  void aSocketThatIsNotThereOrLeadsElsewhereIsNotUsed() throws Exception {
    Server other = new Server();
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(osd(2), other)) {
      String machine = wire.environment().bootIdentity().bootId();
      assertStaysWithTcp(wire, LocalSocket.fresh(machine, wire.environment().random()));

      assertStaysWithTcp(wire, ((NettyListener) listener).local().orElseThrow());
      await("the end of the connection to the other", () -> other.connected.isEmpty());
    }
  }

  /** Connects to a server that tells of that socket. */
  private static void assertStaysWithTcp(TestWire wire, LocalSocket told) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      Endpoint address = new Endpoint("127.0.0.1", server.getLocalPort());
      var connecting = wire.client.connect(address, ConnectOptions.to(Optional.empty(), "client"));
      try (Socket accepted = server.accept()) {
        greet(accepted, told);
        RpcConnection connection = get(connecting);
        assertEquals("osd-1", connection.peer().name());
        assertTrue(connection.isOpen());
        connection.close();
      }
    }
  }

  private static void greet(Socket accepted, LocalSocket told) throws Exception {
    InputStream in = accepted.getInputStream();
    ByteBuffer head = ByteBuffer.wrap(in.readNBytes(FrameHeader.BYTES));
    Hello hello =
        Hello.parseFrom(in.readNBytes(FrameHeader.decode(head, FrameLimits.HANDSHAKE).bodyBytes()));
    HelloReply.Builder reply =
        Handshake.accept(hello, VersionRange.SUPPORTED, osd(1), new byte[FrameMac.NONCE_BYTES])
            .toBuilder();
    told.tell(reply);
    byte[] body = reply.build().toByteArray();
    ByteBuffer frame = ByteBuffer.allocate(FrameHeader.BYTES + body.length);
    new FrameHeader(FrameKind.HELLO_REPLY, 0, 0, 0, 1, 0, body.length, 0).encode(frame);
    accepted.getOutputStream().write(frame.put(FrameHeader.BYTES, body).array());
  }
}
