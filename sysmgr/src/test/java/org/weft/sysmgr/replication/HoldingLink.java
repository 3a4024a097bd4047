package org.weft.sysmgr.replication;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.weft.protocol.rpc.Endpoint;

/**
 * The way to a server on this machine, with an address of its own. What is open or opened during a
 * cut passes nothing on, for ever, and does not end: as a connection whose packets were lost, and
 * that TCP sends again late. What is opened after the cut works. Thread-safe.
 */
final class HoldingLink implements AutoCloseable {
  private static final int CHUNK_BYTES = 8 << 10;

  private final ServerSocket entrance;
  private final int targetPort;
  private final List<Pair> pairs = new CopyOnWriteArrayList<>();
  private volatile boolean cut;

  private static final class Pair {
    private final Socket caller;
    private volatile Socket server;
    private volatile boolean dead;

    private Pair(Socket caller, boolean dead) {
      this.caller = caller;
      this.dead = dead;
    }
  }

  HoldingLink(int targetPort) throws IOException {
    this.targetPort = targetPort;
    this.entrance = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    background(this::accept);
  }

  Endpoint address() {
    return new Endpoint("127.0.0.1", entrance.getLocalPort());
  }

  void cut() {
    cut = true;
    pairs.forEach(pair -> pair.dead = true);
  }

  void mend() {
    cut = false;
  }

  private void accept() {
    while (!entrance.isClosed()) {
      try {
        Pair pair = new Pair(entrance.accept(), cut);
        pairs.add(pair);
        background(() -> join(pair));
      } catch (IOException e) {
        // The test is over.
        return;
      }
    }
  }

  private void join(Pair pair) {
    if (pair.dead) {
      drain(pair);
      return;
    }
    try {
      Socket server = new Socket("127.0.0.1", targetPort);
      pair.server = server;
      background(() -> pass(pair, server, pair.caller));
      pass(pair, pair.caller, server);
    } catch (IOException e) {
      // Nothing listens there: the caller sees a connection that ends at once.
      end(pair);
    }
  }

  private static void drain(Pair pair) {
    byte[] chunk = new byte[CHUNK_BYTES];
    try {
      InputStream in = pair.caller.getInputStream();
      while (in.read(chunk) >= 0) {
        // Lost on the way.
        continue;
      }
    } catch (IOException e) {
      // It has ended, too.
    }
    end(pair);
  }

  private static void pass(Pair pair, Socket from, Socket to) {
    byte[] chunk = new byte[CHUNK_BYTES];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
        if (!pair.dead) {
          out.write(chunk, 0, read);
          out.flush();
        }
      }
    } catch (IOException e) {
      // One end is gone: so is the other, unless the network hides it.
    }
    if (!pair.dead) {
      end(pair);
    }
  }

  private static void end(Pair pair) {
    try {
      pair.caller.close();
      if (pair.server != null) {
        pair.server.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void background(Runnable task) {
    Thread thread = new Thread(task, "holding-link");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    entrance.close();
    pairs.forEach(HoldingLink::end);
  }
}
