package org.weft.hadoop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.statistics.IOStatisticsAggregator;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.Blocking;
import org.weft.client.ClientOptions;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.stripe.HedgeCounts;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;

/**
 * The client of one file system instance, for one cluster and one user: made when it is first
 * needed, shared by all streams, ended with the instance. Thread-safe.
 */
final class Connection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
  private static final int CALLBACK_QUEUE_LIMIT = 1 << 20;

  /** Everything that lives as long as the client. */
  private record Live(SystemEnvironment system, OwnedExecutor callbacks, WeftClient client) {
    void end() {
      try {
        client.close();
        callbacks.close();
      } finally {
        system.close();
      }
    }
  }

  private final ClusterAddress address;
  private final Settings settings;
  private final String user;
  private final List<String> groups;
  private final AtomicReference<CompletableFuture<Live>> live = new AtomicReference<>();
  private final IOStatisticsAggregator totals;
  private final Set<AutoCloseable> writers = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * @param totals where what streams counted goes when they are closed
   */
  Connection(
      ClusterAddress address,
      Settings settings,
      UserGroupInformation who,
      IOStatisticsAggregator totals) {
    this.totals = totals;
    this.address = address;
    this.settings = settings;
    this.user = who.getShortUserName();
    this.groups = List.copyOf(Arrays.asList(who.getGroupNames()));
  }

  /** Who the client acts for. */
  String user() {
    return user;
  }

  List<String> groups() {
    return groups;
  }

  WeftFiles files() throws IOException {
    return client().files();
  }

  /** Connects if nobody has yet; those who ask meanwhile wait for the same attempt. */
  WeftClient client() throws IOException {
    while (true) {
      requireOpen();
      CompletableFuture<Live> known = live.get();
      if (known != null) {
        // Who is interrupted gives up his waiting, not the attempt of all.
        return Blocking.await(known.copy()).client();
      }
      CompletableFuture<Live> attempt = new CompletableFuture<>();
      if (live.compareAndSet(null, attempt)) {
        return connect(attempt).client();
      }
    }
  }

  void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("Filesystem closed: " + address.uri());
    }
  }

  private Live connect(CompletableFuture<Live> attempt) throws IOException {
    try {
      Live connected = connect();
      attempt.complete(connected);
      if (closed) {
        endOnce(attempt);
        requireOpen();
      }
      return connected;
    } catch (IOException | RuntimeException e) {
      live.compareAndSet(attempt, null);
      attempt.completeExceptionally(e);
      throw e;
    }
  }

  private Live connect() throws IOException {
    SystemEnvironment system = SystemEnvironment.create();
    OwnedExecutor callbacks =
        system
            .environment()
            .scheduler()
            .newPool("weft-hadoop", settings.callbackThreads(), CALLBACK_QUEUE_LIMIT);
    try {
      WeftClient client =
          Blocking.await(WeftClient.connect(options(callbacks), system.environment()));
      return new Live(system, callbacks, client);
    } catch (IOException | RuntimeException e) {
      callbacks.close();
      system.close();
      throw e;
    }
  }

  private ClientOptions options(OwnedExecutor callbacks) {
    ClientOptions.Builder options =
        ClientOptions.builder(address.sysmgrs(), user, callbacks)
            .groups(groups)
            .clientName(
                hostName() + "/" + ProcessHandle.current().pid() + "/" + settings.clientName())
            .umask(settings.umask())
            .openTimeoutMillis(settings.connectTimeoutMillis())
            .attemptTimeoutMillis(settings.attemptTimeoutMillis())
            .requestTimeoutMillis(settings.requestTimeoutMillis())
            .writeWindowBytes(settings.writeWindowBytes())
            .readAheadBytes(settings.readAheadBytes())
            .hedges(settings.hedges());
    address.clusterId().ifPresent(options::clusterId);
    return options.build();
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }

  /** What readers did about late units until now; empty while there is no client. */
  Optional<HedgeCounts> hedges() {
    CompletableFuture<Live> known = live.get();
    return known != null && known.isDone() && !known.isCompletedExceptionally()
        ? Optional.of(known.join().client().hedgeCounts())
        : Optional.empty();
  }

  IOStatisticsAggregator totals() {
    return totals;
  }

  /** A stream that is to be closed before the client is. */
  void opened(AutoCloseable writer) {
    writers.add(writer);
  }

  void ended(AutoCloseable writer) {
    writers.remove(writer);
  }

  /** Closes the files being written, as Hadoop's users expect, then ends the client. */
  @Override
  public void close() {
    for (AutoCloseable writer : List.copyOf(writers)) {
      try {
        writer.close();
      } catch (Exception e) {
        LOG.warn("a file that was being written could not be closed: {}", e.getMessage());
      }
    }
    closed = true;
    CompletableFuture<Live> known = live.get();
    if (known != null && known.isDone()) {
      endOnce(known);
    }
  }

  private void endOnce(CompletableFuture<Live> known) {
    if (live.compareAndSet(known, null) && !known.isCompletedExceptionally()) {
      known.join().end();
    }
  }
}
