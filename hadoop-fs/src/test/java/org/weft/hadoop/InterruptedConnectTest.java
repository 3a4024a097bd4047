package org.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class InterruptedConnectTest {
  private static final Path ROOT = new Path("/");

  /** The contact of the cluster, which answers nobody before it is let go. */
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

    private interface Work {
      void run() throws Exception;
    }

    /** Until a socket is closed. */
    private static void start(Work work) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  work.run();
                } catch (Exception e) {
                  Thread.currentThread().interrupt();
                }
              },
              "slow-contact");
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

  private static CompletableFuture<FileStatus> looking(FileSystem fs, Thread[] thread) {
    CompletableFuture<FileStatus> status = new CompletableFuture<>();
    thread[0] =
        new Thread(
            () -> {
              try {
                status.complete(fs.getFileStatus(ROOT));
              } catch (IOException | UncheckedIOException e) {
                status.completeExceptionally(e);
              }
            });
    thread[0].start();
    return status;
  }

  @Test
  void whoIsInterruptedWhileAllWaitForTheSameConnectionSpoilsItForNobody() throws Exception {
    try (SlowContact contact = new SlowContact(URI.create(SharedCluster.get().uri()));
        FileSystem fs = FileSystem.newInstance(contact.uri(), new Configuration())) {
      Thread[] first = new Thread[1];
      CompletableFuture<FileStatus> connecting = looking(fs, first);
      contact.met.await();
      Thread[] second = new Thread[1];
      CompletableFuture<FileStatus> waiting = looking(fs, second);
      while (second[0].getState() != Thread.State.WAITING
          && second[0].getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      second[0].interrupt();
      Exception interrupted =
          assertThrows(Exception.class, () -> waiting.get(60, TimeUnit.SECONDS));
      assertThrows(
          InterruptedIOException.class,
          () -> {
            throw interrupted.getCause();
          });
      contact.letGo.countDown();
      assertNotNull(connecting.get(60, TimeUnit.SECONDS));
      assertNotNull(fs.getFileStatus(ROOT));
    }
  }
}
