package org.weft.protocol.transport;

import com.google.protobuf.MessageLite;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.frame.FrameLimits;
import org.weft.protocol.frame.FrameMac;
import org.weft.protocol.frame.Handshake;
import org.weft.protocol.frame.VersionRange;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.HelloReply;
import org.weft.protocol.wire.RpcError;

/** A client that sends any bytes it is told to, over a blocking socket. */
final class RawClient implements AutoCloseable {
  private static final int READ_TIMEOUT_MILLIS = 20_000;

  /** A frame as read from the server. */
  record Frame(FrameHeader header, byte[] body, byte[] payload) {
    RpcError error() throws IOException {
      return RpcError.parseFrom(body);
    }
  }

  private final Socket socket;
  private final OutputStream out;
  private final DataInputStream in;
  private byte[] nonce = new byte[FrameMac.NONCE_BYTES];
  private long counter;

  RawClient(Endpoint server) throws IOException {
    socket = new Socket(server.host(), server.port());
    socket.setSoTimeout(READ_TIMEOUT_MILLIS);
    out = socket.getOutputStream();
    in = new DataInputStream(socket.getInputStream());
  }

  /** Connected and greeted. */
  static RawClient greeted(Endpoint server) throws IOException {
    RawClient client = new RawClient(server);
    client.send(
        client.frame(
            FrameKind.HELLO,
            0,
            0,
            Handshake.hello(
                VersionRange.SUPPORTED, ConnectOptions.to(Optional.empty(), "raw"), new byte[16]),
            new byte[0],
            null));
    HelloReply reply = HelloReply.parseFrom(client.read().body());
    client.nonce = reply.getNonce().toByteArray();
    return client;
  }

  long nextCounter() {
    return counter + 1;
  }

  void counter(long next) {
    counter = next - 1;
  }

  byte[] nonce() {
    return nonce;
  }

  byte[] request(Opcode opcode, long requestId, MessageLite body, byte[] payload, byte[] secret) {
    return frame(FrameKind.REQUEST, opcode.number(), requestId, body, payload, secret);
  }

  byte[] frame(
      FrameKind kind, int opcode, long requestId, MessageLite body, byte[] payload, byte[] secret) {
    byte[] bodyBytes = body.toByteArray();
    ByteBuffer frame = ByteBuffer.allocate(FrameHeader.BYTES + bodyBytes.length + payload.length);
    int millis = kind == FrameKind.REQUEST ? 60_000 : 0;
    new FrameHeader(kind, opcode, 0, requestId, ++counter, millis, bodyBytes.length, payload.length)
        .encode(frame);
    frame.put(bodyBytes).put(payload);
    if (secret != null) {
      frame.put(
          FrameHeader.MAC_OFFSET,
          FrameMac.ofFrame(
              secret, nonce, ByteBuffer.wrap(frame.array()), ByteBuffer.wrap(bodyBytes)));
    }
    return frame.array();
  }

  void send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  /** Something has come that was not read yet. */
  boolean hasArrivals() {
    try {
      return in.available() > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Frame read() throws IOException {
    byte[] head = new byte[FrameHeader.BYTES];
    in.readFully(head);
    FrameHeader header = FrameHeader.decode(ByteBuffer.wrap(head), FrameLimits.MAX);
    byte[] body = new byte[header.bodyBytes()];
    in.readFully(body);
    byte[] payload = new byte[header.payloadBytes()];
    in.readFully(payload);
    return new Frame(header, body, payload);
  }

  /** Reads, past PINGs, until the server ends the connection. */
  boolean endedByServer() throws IOException {
    try {
      FrameKind kind = FrameKind.PING;
      while (kind == FrameKind.PING) {
        kind = read().header().kind();
      }
      return false;
    } catch (java.io.EOFException | java.net.SocketException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
