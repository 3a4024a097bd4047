package org.weft.hadoop.connect;

import java.lang.ref.Cleaner;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.hadoop.util.ShutdownHookManager;
import org.weft.client.WeftClient;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.transport.TransportMetrics;
import org.weft.protocol.transport.TransportOptions;

/**
 * The clients of this process, one for each {@link ClientKey}, over one transport: its event loops,
 * timers and buffers. A client is made for the first instance that needs it. It ends some time
 * after the last reference to it was given back. The transport ends with the last client.
 *
 * <p>{@link #ofThisJvm} is state of the whole JVM, as Hadoop's cache of file systems is. A {@code
 * FileContext} makes a file system of its own and has no close. A program that opens one for each
 * file would run out of threads, descriptors and direct memory. No other place knows all of them.
 *
 * <p>Thread-safe. The monitor guards the fields and the counts of {@link SharedClient}. No thread
 * waits while it holds the monitor.
 */
public final class SharedClients {
  private static final SharedClients OF_THIS_JVM =
      new SharedClients(SharedClients::environment, WeftClient::connect);

  /** The name for Netty in the client jar, which relocates it. */
  private static final String EVENTS_OF_NETTY = "io.netty.jfr.enabled";

  /** What Netty's names begin with in the client jar, which has no native code. */
  private static final String RELOCATED = "org.weft.";

  /** After FileSystem's own hook, which closes the files that are being written. */
  private static final int SHUTDOWN_PRIORITY = 1;

  private static final long RETRY_MILLIS = 1_000;

  private final Supplier<SystemEnvironment> environments;
  private final SharedClient.Connector connector;
  private final Runnable atShutdown = this::endAll;

  // Guarded by this.
  private final Map<ClientKey, SharedClient> clients = new HashMap<>();
  private SystemEnvironment system;
  private int living;
  private Cleaner cleaner;

  /**
   * Another registry than that of the JVM, for tests.
   *
   * @param environments makes the transport
   */
  SharedClients(Supplier<SystemEnvironment> environments, SharedClient.Connector connector) {
    this.environments = environments;
    this.connector = connector;
  }

  /**
   * Netty can tell the flight recorder of each buffer. Getting ready for that takes a sixth of all
   * CPU time that a short command needs, and happens whether anything is recorded or not. In the
   * client jar Netty would look for a native library in every jar of the class path.
   */
  private static SystemEnvironment environment() {
    if (System.getProperty(EVENTS_OF_NETTY) == null) {
      System.setProperty(EVENTS_OF_NETTY, "false");
    }
    boolean nativeSockets = !EVENTS_OF_NETTY.startsWith(RELOCATED);
    return SystemEnvironment.create(
        TransportOptions.ofClient(nativeSockets), TransportMetrics.NONE);
  }

  /** Those of all instances of this process. */
  public static SharedClients ofThisJvm() {
    return OF_THIS_JVM;
  }

  /** Takes a reference to the client of that key, which may still be connecting. */
  SharedClient acquire(ClientKey key) {
    SharedClient client;
    SystemEnvironment used;
    boolean made;
    synchronized (this) {
      client = clients.get(key);
      made = client == null;
      if (made) {
        client = make(key);
      }
      client.refer();
      used = system;
    }
    if (made) {
      SharedClient attempt = client;
      client.connect(connector, used.environment(), () -> failed(attempt));
    }
    return client;
  }

  private SharedClient make(ClientKey key) {
    if (system == null) {
      system = environments.get();
      addHook();
    }
    try {
      SharedClient client = new SharedClient(key, system.environment());
      clients.put(key, client);
      living++;
      return client;
    } catch (RuntimeException | Error e) {
      takeUnused().ifPresent(unused -> elsewhere(unused::close));
      throw e;
    }
  }

  private void addHook() {
    ShutdownHookManager hooks = ShutdownHookManager.get();
    if (!hooks.isShutdownInProgress()) {
      hooks.addShutdownHook(atShutdown, SHUTDOWN_PRIORITY);
    }
  }

  /**
   * Gives a reference back.
   *
   * @param keepMillis how long the client stays if this was the last one
   */
  void release(SharedClient client, long keepMillis) {
    synchronized (this) {
      if (client.unrefer() && client.isIdle()) {
        client.endsBy(later(keepMillis, () -> endIfIdle(client)));
      }
    }
  }

  private synchronized Scheduler.Timer later(long delayMillis, Runnable task) {
    return system
        .environment()
        .scheduler()
        .schedule(TimeUnit.MILLISECONDS.toNanos(delayMillis), Runnable::run, task);
  }

  private void endIfIdle(SharedClient client) {
    synchronized (this) {
      if (!client.isIdle()) {
        return;
      }
      boolean unused = remove(client);
    }
    endElsewhere(client);
  }

  /** The next request for a client makes another one. */
  private void failed(SharedClient client) {
    synchronized (this) {
      if (!remove(client)) {
        return;
      }
    }
    endElsewhere(client);
  }

  private boolean remove(SharedClient client) {
    clients.remove(client.key(), client);
    return client.leave();
  }

  /** A process that has no thread for it just now tries again. */
  private void endElsewhere(SharedClient client) {
    try {
      elsewhere(() -> end(client));
    } catch (OutOfMemoryError e) {
      var unused = later(RETRY_MILLIS, () -> endElsewhere(client));
    }
  }

  /** What the threads of a client or of the transport cannot do: end them. */
  private static void elsewhere(Runnable task) {
    Thread thread = new Thread(task, "weft-hadoop-end");
    thread.setDaemon(true);
    thread.start();
  }

  private void end(SharedClient client) {
    try {
      client.end();
    } finally {
      ended().ifPresent(SystemEnvironment::close);
    }
  }

  private synchronized Optional<SystemEnvironment> ended() {
    living--;
    return takeUnused();
  }

  private Optional<SystemEnvironment> takeUnused() {
    if (living > 0 || system == null) {
      return Optional.empty();
    }
    SystemEnvironment last = system;
    system = null;
    ShutdownHookManager hooks = ShutdownHookManager.get();
    if (!hooks.isShutdownInProgress()) {
      boolean unused = hooks.removeShutdownHook(atShutdown);
    }
    return Optional.of(last);
  }

  /**
   * Ends all clients at the end of the process, so that managers need not wait for their leases.
   */
  private void endAll() {
    List<SharedClient> last;
    synchronized (this) {
      last = clients.values().stream().filter(SharedClient::leave).toList();
      clients.clear();
    }
    last.forEach(this::end);
  }

  /** Runs the action once, when the object has become unreachable or when asked to. */
  public synchronized Cleaner.Cleanable whenUnreachable(Object object, Runnable action) {
    if (cleaner == null) {
      // The JDK's own thread: one that is made here would hold this class's loader for ever.
      cleaner = Cleaner.create();
    }
    return cleaner.register(object, action);
  }

  /** How many clients there are, connected or not; for tests. */
  synchronized int count() {
    return living;
  }
}
