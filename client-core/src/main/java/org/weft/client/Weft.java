package org.weft.client;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.HostName;
import org.weft.protocol.system.SystemEnvironment;

/**
 * A cluster as a program reaches it: a {@link WeftClient} with an environment of its own.
 *
 * <pre>{@code
 * try (Weft weft = Weft.connect("storage0:7300")) {
 *   weft.files().write(WeftPath.of("/tmp/hello"), source);
 * }
 * }</pre>
 *
 * <p>One of these serves any number of threads; a process needs no second one for the same cluster
 * and user. It has a few threads, which end with {@link #close}.
 */
public final class Weft implements AutoCloseable {
  private static final int MIN_CALLBACK_THREADS = 4;
  private static final int CALLBACK_QUEUE_LIMIT = 100_000;

  private final SystemEnvironment system;
  private final OwnedExecutor callbacks;
  private final WeftClient client;
  private final AtomicBoolean closed = new AtomicBoolean();

  private Weft(SystemEnvironment system, OwnedExecutor callbacks, WeftClient client) {
    this.system = system;
    this.callbacks = callbacks;
    this.client = client;
  }

  /**
   * Connects as the user of this process, with default settings.
   *
   * @param cluster SysMgr's address, {@code HOST:PORT}; of a cluster with several members those of
   *     all, separated by commas
   * @throws IllegalArgumentException if that is not an address
   * @throws org.weft.protocol.error.WeftException UNAVAILABLE if no SysMgr or no manager answers
   *     within the time that the settings say
   * @throws IOException if the thread is interrupted
   */
  public static Weft connect(String cluster) throws IOException {
    return connect(cluster, settings -> settings);
  }

  /**
   * Connects with other settings than the defaults.
   *
   * @param settings changes what differs, as in {@code settings -> settings.cachedEntries(10_000)}
   * @throws IllegalArgumentException if a setting or the address is not valid
   * @throws IOException as {@link #connect(String)}
   */
  public static Weft connect(String cluster, UnaryOperator<ClientOptions.Builder> settings)
      throws IOException {
    List<Endpoint> sysmgrs = Endpoint.parseAll(cluster);
    SystemEnvironment system = SystemEnvironment.create();
    OwnedExecutor callbacks =
        system
            .environment()
            .scheduler()
            .newPool(
                "weft-callbacks",
                Math.max(MIN_CALLBACK_THREADS, Runtime.getRuntime().availableProcessors()),
                CALLBACK_QUEUE_LIMIT);
    try {
      ClientOptions.Builder usual =
          ClientOptions.builder(sysmgrs, System.getProperty("user.name"), callbacks);
      HostName.own().ifPresent(usual::host);
      ClientOptions options = settings.apply(usual).build();
      WeftClient client = Blocking.await(WeftClient.connect(options, system.environment()));
      return new Weft(system, callbacks, client);
    } catch (IOException | RuntimeException | Error e) {
      callbacks.close();
      system.close();
      throw e;
    }
  }

  /** Files and directories, for code that blocks. */
  public WeftFiles files() {
    return client.files();
  }

  /**
   * The same with futures. They complete on a pool of a few threads: what hangs on them may block
   * briefly, and hands longer work on.
   */
  public WeftFileSystem fileSystem() {
    return client.fileSystem();
  }

  /** Byte-range locks on files. */
  public FileLocks locks() {
    return client.locks();
  }

  /** The client that it is made of. It ends with {@link #close} of this. */
  public WeftClient client() {
    return client;
  }

  /**
   * Ends the session, all connections and threads. Files that are still being written are given up:
   * close their streams before. May be called again. Must not be called from a future's callback.
   */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      client.close();
      callbacks.close();
      system.close();
    }
  }
}
