package org.weft.nfs.crowd;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A client that sends what lies ready little by little, and takes little or nothing. What it sends
 * comes again from its start. Never waits.
 */
final class SlowNfsClient implements AutoCloseable {
  private static final int SOCKET_BYTES = 8 << 10;

  private final InetSocketAddress server;
  private final byte[] sent;
  private final int sendBytes;
  private final ByteBuffer taken;
  private final boolean comesBack;
  private SocketChannel channel;
  private int at;
  private long ends;

  /**
   * Connects.
   *
   * @param sent again and again; nothing: it is idle
   * @param sendBytes in one move at most
   * @param takeBytes in one move at most
   * @param comesBack connects again when the server has ended its connection
   */
  SlowNfsClient(
      InetSocketAddress server, byte[] sent, int sendBytes, int takeBytes, boolean comesBack)
      throws IOException {
    this.server = server;
    this.sent = sent;
    this.sendBytes = sendBytes;
    this.taken = ByteBuffer.allocate(takeBytes);
    this.comesBack = comesBack;
    connect();
  }

  private void connect() throws IOException {
    channel = SocketChannel.open();
    channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BYTES);
    channel.connect(server);
    channel.configureBlocking(false);
    at = 0;
  }

  /** Sends and takes as much as it does at once. */
  void move() throws IOException {
    try {
      if (sent.length > 0) {
        int count = Math.min(sendBytes, sent.length - at);
        at = (at + channel.write(ByteBuffer.wrap(sent, at, count))) % sent.length;
      }
      if (channel.read(taken.clear()) >= 0) {
        return;
      }
    } catch (IOException e) {
      // The server has ended it; so did the read that found its end.
      ends++;
      again();
      return;
    }
    ends++;
    again();
  }

  private void again() throws IOException {
    if (comesBack) {
      channel.close();
      connect();
    }
  }

  /** How often the server has ended its connection. */
  long ends() {
    return ends;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
