package org.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.weft.testkit.process.Await;

@Timeout(120)
class InterruptedConnectTest {
  private static final Path ROOT = new Path("/");

  /** The contact of the cluster, which answers no client before it is let go. */
  private static final class SlowContact implements AutoCloseable {
    private final ServerSocket server;
    private final CountDownLatch met = new CountDownLatch(1);
    private final CountDownLatch letGo = new CountDownLatch(1);

    SlowContact(URI cluster) throws IOException {
      server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      start(
          () -> {
            while (true) {
              Socket from = server.accept();
              met.countDown();
              letGo.await();
              Socket to = new Socket(cluster.getHost(), cluster.getPort());
              start(() -> from.getInputStream().transferTo(to.getOutputStream()));
              start(() -> to.getInputStream().transferTo(from.getOutputStream()));
            }
          });
    }

    /** Ends with the exception of the first socket that is closed. */
    private static void start(Callable<?> work) {
      Thread thread = new Thread(new FutureTask<>(work), "slow-contact");
      thread.setDaemon(true);
      thread.start();
    }

    URI uri() {
      return URI.create("weft://127.0.0.1:" + server.getLocalPort() + "/");
    }

    @Override
    public void close() throws IOException {
      server.close();
    }
  }

  @Test
  void theFirstCallerIsInterruptedAloneWhileOthersWaitForItsConnection() throws Exception {
    Configuration conf = new Configuration();
    try (SlowContact contact = new SlowContact(URI.create(SharedCluster.get().uri()));
        FileSystem fs = FileSystem.newInstance(contact.uri(), conf)) {
      FutureTask<FileStatus> connecting = new FutureTask<>(() -> fs.getFileStatus(ROOT));
      Thread first = new Thread(connecting);
      first.start();
      contact.met.await();
      FutureTask<FileStatus> waiting = new FutureTask<>(() -> fs.getFileStatus(ROOT));
      new Thread(waiting).start();
      first.interrupt();
      Exception interrupted =
          assertThrows(ExecutionException.class, () -> connecting.get(60, TimeUnit.SECONDS));
      assertInstanceOf(InterruptedIOException.class, interrupted.getCause());
      contact.letGo.countDown();
      assertNotNull(waiting.get(60, TimeUnit.SECONDS));
    }
  }

  @Test
  void interruptedThreadLeavesTheSharedConnectionIntact() throws Exception {
    try (SlowContact contact = new SlowContact(URI.create(SharedCluster.get().uri()));
        FileSystem fs = FileSystem.newInstance(contact.uri(), new Configuration())) {
      FutureTask<FileStatus> connecting = new FutureTask<>(() -> fs.getFileStatus(ROOT));
      new Thread(connecting).start();
      contact.met.await();
      FutureTask<FileStatus> waiting = new FutureTask<>(() -> fs.getFileStatus(ROOT));
      Thread waiter = new Thread(waiting);
      waiter.start();
      Await.that(
          () ->
              waiter.getState() == Thread.State.WAITING
                  || waiter.getState() == Thread.State.TIMED_WAITING);
      waiter.interrupt();
      Exception interrupted =
          assertThrows(ExecutionException.class, () -> waiting.get(60, TimeUnit.SECONDS));
      assertInstanceOf(InterruptedIOException.class, interrupted.getCause());
      contact.letGo.countDown();
      assertNotNull(connecting.get(60, TimeUnit.SECONDS));
      assertNotNull(fs.getFileStatus(ROOT));
    }
  }
}
