package org.weft.it.attack;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.frame.Handshake;
import org.weft.protocol.frame.VersionRange;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;

/**
 * Many connections to one RPC port, of a client without any secret. They shake hands and then send
 * requests as fast as the server takes them, or nothing. They never read. A connection that the
 * server ends is opened again. Runs in a thread of its own until it is closed.
 */
final class Flood implements AutoCloseable {
  private static final int FRAMES_AT_A_TIME = 256;
  private static final int SELECT_MILLIS = 50;
  private static final int DEADLINE_MILLIS = 60_000;
  private static final long JOIN_MILLIS = 10_000;

  private final InetSocketAddress target;
  private final int connections;
  private final Optional<Opcode> opcode;
  private final Selector selector;
  private final Thread thread;
  private volatile boolean closed;
  private volatile int greeted;
  private volatile IOException failure;

  /** What one connection has yet to send. */
  private static final class Sender {
    private ByteBuffer left = hello();
    private long counter = 1;
    private long requestId;

    private static ByteBuffer hello() {
      byte[] body =
          Handshake.hello(
                  VersionRange.SUPPORTED,
                  ConnectOptions.to(Optional.empty(), "flood"),
                  new byte[16])
              .toByteArray();
      ByteBuffer frame = ByteBuffer.allocate(FrameHeader.BYTES + body.length);
      FrameHeader.plain(FrameKind.HELLO, 0, 1, body.length).encode(frame);
      return frame.put(body).flip();
    }

    private void refill(Opcode opcode) {
      left = ByteBuffer.allocate(FRAMES_AT_A_TIME * FrameHeader.BYTES);
      while (left.hasRemaining()) {
        new FrameHeader(
                FrameKind.REQUEST,
                opcode.number(),
                0,
                ++requestId,
                ++counter,
                DEADLINE_MILLIS,
                0,
                0)
            .encode(left);
      }
      left.flip();
    }
  }

  private Flood(Endpoint target, int connections, Optional<Opcode> opcode) throws IOException {
    this.target = new InetSocketAddress(target.host(), target.port());
    this.connections = connections;
    this.opcode = opcode;
    this.selector = Selector.open();
    this.thread = new Thread(this::run, "flood");
    thread.setDaemon(true);
  }

  /** Connections that pipeline requests of that opcode, with an empty body. */
  static Flood ofRequests(Endpoint target, int connections, Opcode opcode) throws IOException {
    return start(new Flood(target, connections, Optional.of(opcode)));
  }

  /** Connections that shake hands and say nothing more. */
  static Flood ofQuietConnections(Endpoint target, int connections) throws IOException {
    return start(new Flood(target, connections, Optional.empty()));
  }

  private static Flood start(Flood flood) {
    flood.thread.start();
    return flood;
  }

  /** How many connections have sent their HELLO so far, those that were ended since included. */
  int greeted() {
    return greeted;
  }

  /**
   * @throws IOException if this process could not go on flooding
   */
  void check() throws IOException {
    if (failure != null) {
      throw new IOException("the flood has ended: " + failure.getMessage(), failure);
    }
  }

  private void run() {
    try (selector) {
      for (int i = 0; i < connections && !closed; i++) {
        open();
        step(0);
      }
      while (!closed) {
        step(SELECT_MILLIS);
      }
      for (SelectionKey key : selector.keys()) {
        key.channel().close();
      }
    } catch (IOException e) {
      failure = e;
    }
  }

  private void open() throws IOException {
    SocketChannel channel = SocketChannel.open();
    channel.configureBlocking(false);
    channel.connect(target);
    channel.register(selector, SelectionKey.OP_CONNECT, new Sender());
  }

  private void step(int waitMillis) throws IOException {
    if (waitMillis == 0) {
      selector.selectNow();
    } else {
      selector.select(waitMillis);
    }
    int lost = 0;
    for (SelectionKey key : selector.selectedKeys()) {
      try {
        send(key);
      } catch (IOException e) {
        // The server has ended it: that is what this is about.
        key.channel().close();
        lost++;
      }
    }
    selector.selectedKeys().clear();
    for (int i = 0; i < lost; i++) {
      open();
    }
  }

  private void send(SelectionKey key) throws IOException {
    SocketChannel channel = (SocketChannel) key.channel();
    Sender sender = (Sender) key.attachment();
    if (key.isConnectable()) {
      channel.finishConnect();
      key.interestOps(SelectionKey.OP_WRITE);
    }
    if (!sender.left.hasRemaining()) {
      sender.refill(opcode.orElseThrow());
    }
    channel.write(sender.left);
    if (sender.counter == 1 && !sender.left.hasRemaining()) {
      greeted++;
      key.interestOps(opcode.isPresent() ? SelectionKey.OP_WRITE : 0);
    }
  }

  @Override
  public void close() {
    closed = true;
    selector.wakeup();
    try {
      thread.join(JOIN_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Floods a port for a while: {@code HOST:PORT CONNECTIONS SECONDS OPCODE}, where the opcode is a
   * name, or "quiet".
   */
  public static void main(String[] arguments) throws Exception {
    Endpoint target = Endpoint.parse(arguments[0]);
    int connections = Integer.parseInt(arguments[1]);
    Duration length = Duration.ofSeconds(Integer.parseInt(arguments[2]));
    try (Flood flood =
        arguments[3].equals("quiet")
            ? ofQuietConnections(target, connections)
            : ofRequests(target, connections, Opcode.valueOf(arguments[3]))) {
      flood.thread.join(length.toMillis());
      flood.check();
      System.out.println(flood.greeted() + " connections were opened");
    }
  }
}
