package org.weft.nfs.oncrpc;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.HexFormat;

/** A plain socket that sends and receives records as hexadecimal text. */
public final class RawConnection implements AutoCloseable {
  private static final int DEADLINE_MILLIS = 30_000;

  private final Socket socket = new Socket();
  private final DataInputStream in;

  public RawConnection(InetSocketAddress to) throws IOException {
    this(to, null, 0);
  }

  /**
   * @param from an address of this host; null for any
   */
  RawConnection(InetSocketAddress to, InetSocketAddress from) throws IOException {
    this(to, from, 0);
  }

  /**
   * Connects with a buffer of the kernel's for what comes.
   *
   * @param receiveBytes of that buffer, which does not grow; 0 leaves it to the kernel
   */
  RawConnection(InetSocketAddress to, int receiveBytes) throws IOException {
    this(to, null, receiveBytes);
  }

  private RawConnection(InetSocketAddress to, InetSocketAddress from, int receiveBytes)
      throws IOException {
    socket.bind(from);
    socket.setSoTimeout(DEADLINE_MILLIS);
    if (receiveBytes > 0) {
      socket.setReceiveBufferSize(receiveBytes);
    }
    socket.connect(to);
    in = new DataInputStream(socket.getInputStream());
  }

  /** One record in one fragment. */
  public void send(String hex) throws IOException {
    sendBytes("%08x".formatted(hex.length() / 2 | 1 << 31) + hex);
  }

  public void sendBytes(String hex) throws IOException {
    socket.getOutputStream().write(HexFormat.of().parseHex(hex));
  }

  public void sendBytes(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  public String receive() throws IOException {
    int mark = in.readInt();
    if (mark >= 0) {
      throw new IOException("replies have one fragment");
    }
    byte[] record = new byte[mark & Integer.MAX_VALUE];
    in.readFully(record);
    return HexFormat.of().formatHex(record);
  }

  /** Waits until the server has closed the connection. */
  public boolean isClosedByServer() throws IOException {
    try {
      in.transferTo(OutputStream.nullOutputStream());
      return true;
    } catch (EOFException | SocketException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
