package org.weft.cli.daemon;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.function.IntSupplier;
import org.weft.cli.config.ConfigException;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.cli.metrics.NfsMeters;
import org.weft.cli.metrics.ProcessMeters;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.daemon.NfsOptions;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.transport.TransportOptions;

/**
 * An NFS gateway in the process of a manager ({@code manager.nfs}). The gateway reaches all
 * managers, the one beside it too, by connections like any other gateway. It has a transport,
 * timers, threads and buffers of its own. So a lease is never renewed on a thread that serves NFS.
 * The manager runs whether the gateway does or not.
 *
 * <p>Durable is what {@link NfsDaemon} says; a kill of the process is a kill of both.
 */
final class GatewayBeside {
  private static final String WHAT = "the NFS gateway";

  /** The gateway may have one part of the heap, and all but one of what is outside. */
  private static final int SHARE = 3;

  /** Part of what is outside the heap that nfs.memory is at most, unless it is set. */
  private static final int USUAL_SHARE = 4;

  /** A gateway and the world that it has for itself. */
  private record Own(SystemEnvironment system, NfsDaemon daemon) implements AutoCloseable {
    @Override
    public void close() {
      try {
        daemon.close();
      } finally {
        system.close();
      }
    }
  }

  private GatewayBeside() {}

  /** Whether one is wanted. */
  static boolean isWanted(WeftConf conf) {
    return conf.flag(ConfigKey.MANAGER_NFS);
  }

  /** What is left to the manager of so much heap. */
  static long heapOfManager(WeftConf conf, long heapBytes) {
    return isWanted(conf) ? heapBytes - heapBytes / SHARE : heapBytes;
  }

  /**
   * Prepares a gateway; it starts with {@link Beside#begin}.
   *
   * @param manager its number, which is known by then
   * @param out gets a line when the gateway listens
   * @throws ConfigException if a setting is wrong, or the process has too little memory
   */
  static Beside<? extends AutoCloseable> prepare(
      WeftConf conf, IntSupplier manager, ProcessMeters meters, PrintWriter out)
      throws IOException {
    long outsideHeapBytes = TransportOptions.memoryOutsideHeapBytes();
    NfsOptions options =
        NfsSettings.of(
            conf, Math.min(NfsSettings.USUAL_MEMORY_BYTES, outsideHeapBytes / USUAL_SHARE));
    requireMemory(options.memoryBytes(), outsideHeapBytes);
    TransportOptions transport = DaemonRun.transport(conf);
    Beside<Own> beside =
        new Beside<>(WHAT, () -> start(options.beside(manager.getAsInt()), transport, meters, out));
    NfsMeters figures = new NfsMeters(meters);
    figures.gateways(() -> beside.running().stream().map(Own::daemon).toList());
    figures.beside(() -> beside.running().size(), beside::failedStarts);
    return beside;
  }

  private static Own start(
      NfsOptions options, TransportOptions transport, ProcessMeters meters, PrintWriter out)
      throws IOException {
    SystemEnvironment system = SystemEnvironment.create(transport, meters.transport());
    try {
      NfsDaemon daemon = NfsDaemon.start(options, system.environment());
      out.println("nfs gateway in this process listens on " + daemon.address());
      out.flush();
      return new Own(system, daemon);
    } catch (IOException | RuntimeException | Error e) {
      system.close();
      throw e;
    }
  }

  /** Else the manager could find none when it needs some. */
  static void requireMemory(long memoryBytes, long outsideHeapBytes) {
    long needed = NfsOptions.outsideHeapBytes(memoryBytes);
    if (needed > outsideHeapBytes - outsideHeapBytes / SHARE) {
      throw new ConfigException(
          "%s: a gateway beside the manager needs two and a quarter times %s, %d bytes, and leaves a third of the memory outside the heap to the manager; there are %d bytes. Lower %s, or set WEFT_JAVA_OPTS=-XX:MaxDirectMemorySize=%dm"
              .formatted(
                  ConfigKey.MANAGER_NFS.key(),
                  ConfigKey.NFS_MEMORY.key(),
                  needed,
                  outsideHeapBytes,
                  ConfigKey.NFS_MEMORY.key(),
                  (needed * SHARE / 2 >> 20) + 1));
    }
  }
}
