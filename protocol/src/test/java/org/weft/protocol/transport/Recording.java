package org.weft.protocol.transport;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.rpc.Endpoint;

/**
 * Stands between clients and a server: first it passes frames on and keeps what the server says,
 * then it says the same to the next client, frame for frame.
 */
final class Recording implements AutoCloseable {
  private final ServerSocket listener;
  private final Endpoint server;
  private final List<byte[]> answers = new ArrayList<>();
  private final List<Socket> sockets = new ArrayList<>();
  private volatile boolean replaying;

  private Recording(Endpoint server) throws IOException {
    this.server = server;
    this.listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
  }

  static Recording of(Endpoint server) throws IOException {
    Recording recording = new Recording(server);
    Thread thread = new Thread(recording::serve, "recording");
    thread.setDaemon(true);
    thread.start();
    return recording;
  }

  Endpoint address() {
    return new Endpoint("127.0.0.1", listener.getLocalPort());
  }

  /** From the next connection on, the server is not asked any more. */
  void replay() {
    replaying = true;
  }

  private void serve() {
    try {
      while (!listener.isClosed()) {
        Socket client = kept(listener.accept());
        if (replaying) {
          repeat(client);
        } else {
          pass(client, kept(new Socket(server.host(), server.port())));
        }
      }
    } catch (SocketException e) {
      if (!listener.isClosed()) {
        throw new AssertionError(e);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private synchronized Socket kept(Socket socket) {
    sockets.add(socket);
    return socket;
  }

  private void pass(Socket client, Socket there) throws IOException {
    for (byte[] frame = frame(client); frame.length > 0; frame = frame(client)) {
      there.getOutputStream().write(frame);
      byte[] answer = frame(there);
      answers.add(answer);
      client.getOutputStream().write(answer);
    }
  }

  private void repeat(Socket client) throws IOException {
    for (byte[] answer : answers) {
      if (frame(client).length > 0) {
        client.getOutputStream().write(answer);
      }
    }
  }

  /** The next frame but PINGs; empty at the end. */
  private static byte[] frame(Socket from) throws IOException {
    InputStream in = from.getInputStream();
    while (true) {
      byte[] length = in.readNBytes(4);
      if (length.length < 4) {
        return new byte[0];
      }
      int bytes = java.nio.ByteBuffer.wrap(length).getInt();
      ByteArrayOutputStream frame = new ByteArrayOutputStream();
      frame.write(length);
      frame.write(in.readNBytes(bytes));
      byte[] whole = frame.toByteArray();
      if (whole.length >= FrameHeader.BYTES && whole[5] != 8) {
        return whole;
      }
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    List<Socket> open;
    synchronized (this) {
      open = List.copyOf(sockets);
    }
    for (Socket socket : open) {
      socket.close();
    }
  }
}
