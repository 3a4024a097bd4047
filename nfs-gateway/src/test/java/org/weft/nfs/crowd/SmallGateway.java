package org.weft.nfs.crowd;

import io.netty.buffer.ByteBufAllocator;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.oncrpc.OncRpcOptions;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.protocol.system.PolledWait;

/**
 * The gateway's server on the model, in a JVM of its own. It prints where it listens, and what it
 * holds for each line {@code held}. It ends with its input.
 */
final class SmallGateway {
  private static final OncRpcOptions USUAL = OncRpcOptions.USUAL;
  private static final long MEMORY_BYTES = 24L << 20;
  private static final long STALL_MILLIS = 20_000;
  private static final int FILE_BYTES = 8 << 20;

  private SmallGateway() {}

  /**
   * Waits for a second at most until one connection is left and holds nothing. The collector does
   * not run meanwhile: asked for again and again, it would leave the server no time.
   */
  private static void awaitSettled(OncRpcTransport transport) throws IOException {
    PolledWait wait = PolledWait.every(Duration.ofMillis(10)).atMost(Duration.ofSeconds(1));
    var unused =
        wait.until(() -> transport.counters().connections() <= 1 && transport.usedBytes() == 0);
  }

  public static void main(String[] args) throws IOException {
    OncRpcOptions options =
        new OncRpcOptions(
            USUAL.eventLoopThreads(),
            USUAL.mostConnections(),
            USUAL.mostRecordBytes(),
            USUAL.mostCallsUnderWay(),
            4L << 20,
            MEMORY_BYTES,
            STALL_MILLIS,
            USUAL.stopGraceMillis(),
            1_024);
    ModelFileService files = new ModelFileService(FILE_BYTES);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (ModelGateway gateway = new ModelGateway(files, files.root(), 0, options)) {
      System.out.println("READY " + gateway.address().getPort());
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.equals("settled")) {
          awaitSettled(gateway.transport());
        } else {
          System.gc();
        }
        System.out.println(
            "HELD "
                + (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory())
                + " "
                + directBytes()
                + " "
                + gateway.transport().usedBytes()
                + " "
                + gateway.transport().counters().connections());
      }
    }
  }

  /** Outside the heap: what Java counts, and what the transport's buffers take. */
  private static long directBytes() {
    long counted =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum();
    return ByteBufAllocator.DEFAULT
            instanceof io.netty.buffer.ByteBufAllocatorMetricProvider provider
        ? Math.max(counted, provider.metric().usedDirectMemory())
        : counted;
  }
}
