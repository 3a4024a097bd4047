package org.weft.osd.crowd;

import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.frame.FrameLimits;
import org.weft.protocol.frame.FrameMac;
import org.weft.protocol.frame.Handshake;
import org.weft.protocol.frame.VersionRange;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.HelloReply;
import org.weft.protocol.wire.ReadRequest;
import org.weft.protocol.wire.WriteRequest;

/**
 * A client that asks for much and takes little, over a socket that holds little. What it is to send
 * lies ready; {@link #move} sends and reads a few bytes of it and never waits.
 */
final class SlowClient implements AutoCloseable {
  private static final int SOCKET_BYTES = 8 << 10;
  private static final int HANDSHAKE_MILLIS = 30_000;
  private static final int DEADLINE_MILLIS = 300_000;

  private final SocketChannel channel;
  private final byte[] nonce;
  private final int sendBytes;
  private final ByteBuffer taken;
  private ByteBuffer toSend = ByteBuffer.allocate(0);
  private long counter;
  private boolean ended;

  /**
   * Connects and says its name.
   *
   * @param sendBytes what it sends in one move at most
   * @param takeBytes what it reads in one move at most
   */
  SlowClient(Endpoint osd, ClusterId cluster, int sendBytes, int takeBytes) throws IOException {
    this.sendBytes = sendBytes;
    this.taken = ByteBuffer.allocate(takeBytes);
    channel = SocketChannel.open();
    channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BYTES);
    channel.connect(new InetSocketAddress(osd.host(), osd.port()));
    channel.socket().setSoTimeout(HANDSHAKE_MILLIS);
    var options = ConnectOptions.to(Optional.of(cluster), "slow");
    MessageLite hello =
        Handshake.hello(VersionRange.SUPPORTED, options, new byte[FrameMac.NONCE_BYTES]);
    channel.write(frame(FrameKind.HELLO, 0, 0, hello, 0, new byte[FrameMac.NONCE_BYTES], null));
    nonce = HelloReply.parseFrom(readBody()).getNonce().toByteArray();
    channel.configureBlocking(false);
  }

  private byte[] readBody() throws IOException {
    var in = Channels.newInputStream(channel);
    byte[] head = in.readNBytes(FrameHeader.BYTES);
    FrameHeader header = FrameHeader.decode(ByteBuffer.wrap(head), FrameLimits.MAX);
    return in.readNBytes(header.bodyBytes());
  }

  /** Has so many READs of the range ready to be sent. */
  void askFor(SignedCapability capability, long object, int lengthBytes, int times) {
    ReadRequest request =
        ReadRequest.newBuilder()
            .setCapability(capability.encoded())
            .setObjectId(object)
            .setLength(lengthBytes)
            .build();
    ByteBuffer all = ByteBuffer.allocate(times * (FrameHeader.BYTES + request.getSerializedSize()));
    for (int id = 1; id <= times; id++) {
      all.put(frame(FrameKind.REQUEST, Opcode.READ.number(), id, request, 0, nonce, capability));
    }
    toSend = all.flip();
  }

  /** Has a WRITE ready, of whose payload only a part will ever come. */
  void beginToWrite(
      SignedCapability capability, WriteRequest request, int payloadBytes, int comingBytes) {
    ByteBuffer head =
        frame(
            FrameKind.REQUEST, Opcode.WRITE.number(), 1, request, payloadBytes, nonce, capability);
    toSend = ByteBuffer.allocate(head.remaining() + comingBytes).put(head).position(0);
  }

  private ByteBuffer frame(
      FrameKind kind,
      int opcode,
      long requestId,
      MessageLite body,
      int payloadBytes,
      byte[] agreed,
      SignedCapability signer) {
    byte[] bodyBytes = body.toByteArray();
    ByteBuffer frame = ByteBuffer.allocate(FrameHeader.BYTES + bodyBytes.length);
    int millis = kind == FrameKind.REQUEST ? DEADLINE_MILLIS : 0;
    new FrameHeader(kind, opcode, 0, requestId, ++counter, millis, bodyBytes.length, payloadBytes)
        .encode(frame);
    frame.put(bodyBytes).flip();
    if (signer != null) {
      frame.put(
          FrameHeader.MAC_OFFSET,
          FrameMac.ofFrame(signer.secret(), agreed, frame.duplicate(), ByteBuffer.wrap(bodyBytes)));
    }
    return frame;
  }

  /** Sends and takes as much as it does at once; an end of the connection is noted. */
  void move() {
    if (ended) {
      return;
    }
    try {
      ByteBuffer now = toSend.slice();
      now.limit(Math.min(now.limit(), sendBytes));
      toSend.position(toSend.position() + channel.write(now));
      ended = taken.capacity() > 0 && channel.read(taken.clear()) < 0;
    } catch (IOException e) {
      ended = true;
    }
  }

  /** The server has ended the connection, as far as this side took notice. */
  boolean ended() {
    return ended;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
