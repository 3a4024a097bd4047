package org.weft.it.attack;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.weft.protocol.rpc.Endpoint;

/**
 * Stands between one client and a daemon, and keeps what the client sends until it leaves for a
 * socket of the machine: how it begins.
 */
final class Recorder implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 20_000;

  private final Endpoint daemon;
  private final ServerSocket listener;
  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
  private final Thread relay = new Thread(this::run, "recorder");

  private Recorder(Endpoint daemon) throws IOException {
    this.daemon = daemon;
    this.listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    relay.start();
  }

  static Recorder before(Endpoint daemon) throws IOException {
    return new Recorder(daemon);
  }

  /** Where the client is to connect to. */
  Endpoint address() {
    return new Endpoint("127.0.0.1", listener.getLocalPort());
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(daemon.host(), daemon.port());
    socket.setSoTimeout(TIMEOUT_MILLIS);
    return socket;
  }

  private void run() {
    try (Socket client = listener.accept();
        Socket server = connect()) {
      Thread back = new Thread(() -> copy(server, client, OutputStream.nullOutputStream()), "back");
      back.start();
      copy(client, server, sent);
      back.join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void copy(Socket from, Socket to, OutputStream kept) {
    byte[] buffer = new byte[8 << 10];
    try {
      InputStream in = from.getInputStream();
      for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
        kept.write(buffer, 0, count);
        to.getOutputStream().write(buffer, 0, count);
      }
      to.shutdownOutput();
    } catch (IOException e) {
      // One of the two has gone, and the other is told.
      closeBoth(from, to);
    }
  }

  private static void closeBoth(Socket one, Socket other) {
    try (one;
        other) {
      return;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Begins a connection as the client did, and sends a frame on it that was made for another one.
   *
   * @param until what the answers are read up to
   */
  String replay(byte[] frame, String until) throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(sent.toByteArray());
      socket.getOutputStream().write(frame);
      StringBuilder answers = new StringBuilder();
      byte[] buffer = new byte[8 << 10];
      InputStream in = socket.getInputStream();
      int count = in.read(buffer);
      while (count > 0) {
        answers.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
        count = answers.indexOf(until) < 0 ? in.read(buffer) : 0;
      }
      return answers.toString();
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
