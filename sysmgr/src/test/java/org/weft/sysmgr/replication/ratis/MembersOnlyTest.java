package org.weft.sysmgr.replication.ratis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.thirdparty.io.grpc.Server;
import org.apache.ratis.thirdparty.io.grpc.netty.NettyServerBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The port between members takes so many connections, and goes on when some have ended. */
class MembersOnlyTest {
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NO_SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};
  private static final int GO_AWAY = 7;
  private static final long DEADLINE_SECONDS = 30;

  private final List<Socket> sockets = new ArrayList<>();
  private Server server;

  @BeforeEach
  void start() throws IOException {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    server =
        new MembersOnly(() -> false)
            .customize(builder, EnumSet.allOf(GrpcServices.Type.class))
            .build()
            .start();
  }

  @AfterEach
  void stop() throws Exception {
    for (Socket socket : sockets) {
      socket.close();
    }
    server.shutdownNow();
    assertTrue(server.awaitTermination(DEADLINE_SECONDS, TimeUnit.SECONDS));
  }

  private Socket connect(boolean speaks) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getPort());
    sockets.add(socket);
    socket.setSoTimeout(100);
    if (speaks) {
      socket.getOutputStream().write(PREFACE);
      socket.getOutputStream().write(NO_SETTINGS);
      socket.getOutputStream().flush();
    }
    return socket;
  }

  /** The server has closed it, or has said that it will. */
  private static boolean isEnded(Socket socket) throws IOException {
    try {
      byte[] head = new byte[9];
      while (true) {
        if (socket.getInputStream().readNBytes(head, 0, head.length) < head.length) {
          return true;
        }
        if (head[3] == GO_AWAY) {
          return true;
        }
        int length = (head[0] & 0xff) << 16 | (head[1] & 0xff) << 8 | head[2] & 0xff;
        socket.getInputStream().skipNBytes(length);
      }
    } catch (SocketTimeoutException e) {
      return false;
    } catch (SocketException e) {
      // It was closed while bytes were on their way to it.
      return true;
    }
  }

  /** It is greeted with the server's settings. */
  private static boolean isServed(Socket socket) {
    try {
      socket.setSoTimeout(5_000);
      return socket.getInputStream().readNBytes(9).length == 9;
    } catch (IOException e) {
      return false;
    }
  }

  private long ended() throws IOException {
    long count = 0;
    for (Socket socket : List.copyOf(sockets)) {
      if (isEnded(socket)) {
        sockets.remove(socket);
        socket.close();
        count++;
      }
    }
    return count;
  }

  private void awaitEnded(int expected) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    long seen = 0;
    while (seen < expected) {
      seen += ended();
      assertTrue(System.nanoTime() < deadline, seen + " of " + expected + " connections ended");
    }
    assertEquals(expected, seen);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void connectionsBeyondTheBoundAreEndedAndThoseThatLeaveMakeRoom(boolean speaks)
      throws IOException {
    int more = 16;
    for (int number = 0; number < MembersOnly.MAX_CONNECTIONS + more; number++) {
      try {
        connect(speaks);
      } catch (SocketException e) {
        // It was ended before it had spoken, and is among the sockets.
        assertTrue(number >= MembersOnly.MAX_CONNECTIONS, "ended as number " + number);
      }
    }
    awaitEnded(more);
    for (Socket left : List.copyOf(sockets.subList(0, more))) {
      left.close();
      sockets.remove(left);
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    boolean taken = false;
    while (!taken) {
      assertTrue(System.nanoTime() < deadline, "a connection that ended leaves no room");
      Socket next = connect(true);
      taken = isServed(next);
      if (!taken) {
        sockets.remove(next);
      }
    }
  }
}
