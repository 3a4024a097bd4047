package org.weft.it.nfs;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.weft.nfs.model.RpcCaller;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/**
 * The connection of a hard mount: a call waits until it is answered, for ever. When the connection
 * ends, a new one is made, and unanswered calls are sent again with the same bytes and number. A
 * call that was not answered for a minute is sent again on the same connection. Thread-safe.
 */
final class HardConnection implements RpcCaller, AutoCloseable {
  private static final int LAST_FRAGMENT = 1 << 31;
  private static final int MAX_RECORD_BYTES = 2 << 20;
  private static final int CONNECT_MILLIS = 5_000;
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** A call without a reply. */
  private static final class Pending {
    final byte[] record;
    final CompletableFuture<byte[]> reply = new CompletableFuture<>();
    volatile long sentNanos = System.nanoTime();

    Pending(byte[] record) {
      this.record = record;
    }
  }

  private final List<InetSocketAddress> servers;
  private final ConcurrentSkipListMap<Integer, Pending> pending = new ConcurrentSkipListMap<>();
  private final AtomicInteger nextXid;
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicLong repeats = new AtomicLong();
  private final Object sending = new Object();
  private final Thread reader;

  /** Guarded by what is sent under; null while there is none. */
  private Socket socket;

  private volatile boolean closed;

  /**
   * Connects, now or later.
   *
   * @param servers the first one is connected to; when it is gone, the next one, and so on
   * @param firstXid drawn at random, as kernels draw it
   */
  HardConnection(String name, List<InetSocketAddress> servers, int firstXid) {
    this.servers = List.copyOf(servers);
    this.nextXid = new AtomicInteger(firstXid);
    this.reader = new Thread(this::run, "connection of " + name);
    reader.setDaemon(true);
    reader.start();
  }

  /** How many connections there were so far: one more each time that the former one ended. */
  int connections() {
    return connections.get();
  }

  /** Calls that were sent again. */
  long repeats() {
    return repeats.get();
  }

  /** The connection stands, as far as this side knows. */
  boolean isConnected() {
    synchronized (sending) {
      return socket != null;
    }
  }

  @Override
  public <T> T call(
      OncRpcClient.Target target,
      RpcCredential credential,
      Consumer<XdrWriter> arguments,
      OncRpcClient.ResultReader<T> results) {
    int xid = nextXid.getAndIncrement();
    byte[] record =
        XdrWriter.bytes(
            out -> {
              out.int32(0).int32(xid).int32(0).int32(2);
              out.int32(target.program()).int32(target.version()).int32(target.procedure());
              credential.write(out);
              out.int32(0).int32(0);
              arguments.accept(out);
            });
    ByteBuffer.wrap(record).putInt(0, LAST_FRAGMENT | (record.length - Integer.BYTES));
    Pending call = new Pending(record);
    pending.put(xid, call);
    send(call);
    byte[] reply = call.reply.join();
    try {
      XdrReader in = XdrReader.of(reply);
      accepted(target, in);
      return results.read(in);
    } catch (MalformedXdrException e) {
      throw new AssertionError("a reply to " + target + " cannot be read", e);
    }
  }

  private static void accepted(OncRpcClient.Target target, XdrReader in)
      throws MalformedXdrException {
    in.int32();
    int message = in.int32();
    int denied = in.int32();
    if (message != 1 || denied != 0) {
      throw new AssertionError(target + " was denied: " + in.int32());
    }
    in.int32();
    in.opaque(400);
    int status = in.int32();
    if (status != 0) {
      throw new AssertionError(target + " was refused with accept_stat " + status);
    }
  }

  private void send(Pending call) {
    synchronized (sending) {
      if (socket == null) {
        return;
      }
      try {
        call.sentNanos = System.nanoTime();
        socket.getOutputStream().write(call.record);
      } catch (IOException e) {
        // The reader notices the end, and sends it again on the next connection.
        closeQuietly(socket);
      }
    }
  }

  /** Sends again what has waited for too long. To be called now and then. */
  void repeatLateCalls() {
    long now = System.nanoTime();
    for (Pending call : pending.values()) {
      if (now - call.sentNanos > LATE_NANOS) {
        repeats.incrementAndGet();
        send(call);
      }
    }
  }

  private void run() {
    int server = 0;
    while (!closed) {
      Socket fresh = new Socket();
      try (fresh) {
        fresh.setTcpNoDelay(true);
        fresh.connect(servers.get(server % servers.size()), CONNECT_MILLIS);
        begin(fresh);
        read(new DataInputStream(fresh.getInputStream()));
      } catch (IOException e) {
        // It has ended, or is not there: another one is made.
        server++;
        LockSupport.parkNanos(AGAIN_NANOS);
      } finally {
        synchronized (sending) {
          socket = null;
        }
      }
    }
  }

  private void begin(Socket fresh) throws IOException {
    synchronized (sending) {
      socket = fresh;
      connections.incrementAndGet();
      for (Pending call : pending.values()) {
        repeats.incrementAndGet();
        call.sentNanos = System.nanoTime();
        fresh.getOutputStream().write(call.record);
      }
    }
  }

  private void read(DataInputStream in) throws IOException {
    while (true) {
      int mark = in.readInt();
      int length = mark & Integer.MAX_VALUE;
      if (mark >= 0 || length > MAX_RECORD_BYTES || length < Integer.BYTES) {
        throw new IOException("no reply has this mark: " + mark);
      }
      byte[] reply = new byte[length];
      in.readFully(reply);
      Pending call = pending.remove(ByteBuffer.wrap(reply).getInt());
      // A second reply to a call that was sent twice finds none.
      if (call != null) {
        call.reply.complete(reply);
      }
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException("a socket cannot be closed", e);
    }
  }

  /** Ends it; calls that wait fail. */
  @Override
  public void close() {
    closed = true;
    synchronized (sending) {
      if (socket != null) {
        closeQuietly(socket);
      }
    }
    pending
        .values()
        .forEach(
            call ->
                call.reply.completeExceptionally(
                    new IllegalStateException("the mount is taken away")));
  }
}
