package org.weft.it.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageLite;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.transport.TransportMetrics;
import org.weft.protocol.transport.TransportOptions;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.HeartbeatReply;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.JoinRequest;
import org.weft.sysmgr.SysmgrDaemon;
import org.weft.sysmgr.SysmgrOptions;
import org.weft.testkit.process.Await;

/** Floods of SysMgr by a client without secrets, over real sockets. */
class FloodTest {
  private static final Endpoint ANY = new Endpoint("127.0.0.1", 0);
  private static final int CALL_SECONDS = 20;
  private static final int CALL_MILLIS = 1_000 * CALL_SECONDS;
  private static final int CROWD = 200;

  @TempDir Path data;

  private SystemEnvironment world;
  private SystemEnvironment caller;
  private SysmgrDaemon sysmgr;

  @BeforeEach
  void start() throws Exception {
    world = SystemEnvironment.create(TransportOptions.defaults(), TransportMetrics.NONE);
    caller = SystemEnvironment.create(TransportOptions.defaults(), TransportMetrics.NONE);
    sysmgr =
        SysmgrDaemon.start(
            SysmgrOptions.single(data.resolve("sysmgr"), ANY, ANY, ANY, "flooded", "root"),
            world.environment());
  }

  @AfterEach
  void stop() throws Exception {
    sysmgr.close();
    caller.close();
    world.close();
  }

  private RpcConnection connect() throws Exception {
    return caller
        .environment()
        .transport()
        .connect(sysmgr.address(), ConnectOptions.to(Optional.empty(), "osd"))
        .toCompletableFuture()
        .get(CALL_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * Asks again, as an OSD does, while SysMgr elects: a JVM that was paused has no leader a while.
   */
  private RpcReply call(RpcConnection to, Opcode opcode, MessageLite body) throws Exception {
    byte[] secret = JoinSecret.of(sysmgr.joinToken());
    AtomicReference<RpcReply> reply = new AtomicReference<>();
    Await.until(
        CALL_SECONDS,
        () -> opcode + " is not answered",
        () -> {
          try {
            reply.set(
                to.call(new RpcRequest(opcode, body, Payload.EMPTY, CALL_MILLIS, secret))
                    .get(CALL_MILLIS, TimeUnit.MILLISECONDS));
            return true;
          } catch (ExecutionException e) {
            if (WeftException.of(e).code() == ErrorCode.NOT_LEADER) {
              return false;
            }
            throw e;
          }
        });
    return reply.get();
  }

  private JoinReply join(RpcConnection to) throws Exception {
    AddressMessage address = AddressMessage.newBuilder().setHost("127.0.0.1").setPort(7400).build();
    return call(
            to,
            Opcode.JOIN_OSD,
            JoinRequest.newBuilder()
                .setIdentity("a")
                .setIncarnation(1)
                .setHost("h")
                .addAddresses(address)
                .build())
        .parse(JoinReply.parser());
  }

  private ClusterStatus status(RpcConnection to) throws Exception {
    return to.call(
            new RpcRequest(
                Opcode.GET_STATUS, Empty.getDefaultInstance(), Payload.EMPTY, CALL_MILLIS, null))
        .get(CALL_MILLIS, TimeUnit.MILLISECONDS)
        .parse(ClusterStatus.parser());
  }

  @Test
  void heartbeatsAndStatusSurviveAFloodWithoutReads() throws Exception {
    RpcConnection osd = connect();
    JoinReply joined = join(osd);
    HeartbeatRequest beat =
        HeartbeatRequest.newBuilder()
            .setOsdId(joined.getNodeId())
            .setIncarnation(1)
            .setPartitionsVersion(joined.getPartitionsVersion())
            .build();
    try (Flood flood = Flood.ofRequests(sysmgr.address(), CROWD, Opcode.GET_STATUS)) {
      Await.until(CALL_SECONDS, () -> "the flood has not begun", () -> flood.greeted() >= CROWD);
      for (int i = 0; i < 20; i++) {
        HeartbeatReply reply = call(osd, Opcode.HEARTBEAT, beat).parse(HeartbeatReply.parser());
        assertTrue(reply.getTableVersion() > 0);
      }
      assertEquals(1, status(connect()).getTable().getOsdsCount());
      flood.check();
    }
  }

  @Test
  void quietConnectionsOfOneHostShutNoClientOut() throws Exception {
    int most = TransportOptions.defaults().maxConnections() / 4;
    RpcConnection signed = connect();
    join(signed);
    try (Flood flood = Flood.ofQuietConnections(sysmgr.address(), most + 50)) {
      Await.until(CALL_SECONDS, () -> "the flood has not begun", () -> flood.greeted() >= most);
      Await.until(CALL_SECONDS, () -> "a new connection is not served", this::isServed);
      assertTrue(signed.isOpen(), "what has signed a request stays");
      flood.check();
    }
  }

  private boolean isServed() throws Exception {
    try {
      return status(connect()).hasTable();
    } catch (ExecutionException e) {
      return false;
    }
  }

  @Test
  void halfRequestsShutNoClientOutOfRest() throws Exception {
    Endpoint rest = sysmgr.restAddress();
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < 285; i++) {
        Socket socket = new Socket(rest.host(), rest.port());
        sockets.add(socket);
        String half =
            i % 2 == 0
                ? "GET /api/v1/st"
                : "POST /api/v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx";
        socket.getOutputStream().write(half.getBytes(StandardCharsets.US_ASCII));
      }
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://" + rest + "/api/v1/status")).build();
      HttpResponse<String> answer =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      assertEquals(200, answer.statusCode(), answer.body());
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }
}
