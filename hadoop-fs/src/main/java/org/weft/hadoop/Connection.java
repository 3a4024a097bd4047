package org.weft.hadoop;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.net.URI;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.cache.DataCacheCounts;
import org.weft.client.internal.ClientParts;
import org.weft.client.stripe.hedge.HedgeCounts;
import org.weft.hadoop.config.ClusterAddress;
import org.weft.hadoop.config.Settings;
import org.weft.hadoop.connect.ClientKey;
import org.weft.hadoop.connect.ClientReference;
import org.weft.hadoop.connect.SharedClients;

/**
 * What one file system instance has of a client. It has a reference to the client that instances of
 * the same cluster and user share, and its own open streams. The reference is taken at the first
 * call that needs the cluster. It is given back when the instance is closed or has become
 * unreachable, since a {@code FileContext} is never closed. Thread-safe.
 */
final class Connection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  private final URI uri;
  private final String user;
  private final List<String> groups;
  private final int umask;
  private final IOStatisticsStore totals;
  private final SharedClients clients;
  private final ClientReference reference;
  private final Cleaner.Cleanable whenUnreachable;
  private final Set<AutoCloseable> writers = ConcurrentHashMap.newKeySet();

  /** Streams that are neither closed nor used any more drop out. */
  private final Set<WeftHadoopInputStream> readers =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private volatile boolean closed;

  /**
   * @param totals where what streams counted goes when they are closed
   */
  Connection(
      ClusterAddress address,
      Settings settings,
      UserGroupInformation login,
      IOStatisticsStore totals) {
    this(address, settings, login, totals, SharedClients.ofThisJvm());
  }

  /** With clients of another registry than that of the JVM. */
  Connection(
      ClusterAddress address,
      Settings settings,
      UserGroupInformation login,
      IOStatisticsStore totals,
      SharedClients clients) {
    this.uri = address.uri();
    this.user = login.getShortUserName();
    this.groups = List.of(login.getGroupNames());
    this.umask = settings.umask();
    this.totals = totals;
    this.clients = clients;
    this.reference =
        new ClientReference(
            clients, ClientKey.of(address, settings, user, groups), settings.clientKeepMillis());
    this.whenUnreachable = clients.whenUnreachable(this, reference);
  }

  /** The user that the client acts for. */
  String user() {
    return user;
  }

  List<String> groups() {
    return groups;
  }

  /** With the instance's umask. */
  WeftFiles files() throws IOException {
    return client().files().withUmask(umask);
  }

  /** Connects if no other instance has; threads that ask meanwhile wait for the same attempt. */
  WeftClient client() throws IOException {
    requireOpen();
    try {
      return reference.client();
    } catch (IOException e) {
      // It may have been closed meanwhile.
      requireOpen();
      throw e;
    }
  }

  void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("Filesystem closed: " + uri);
    }
  }

  /** What readers of the client did about late units until now; empty while there is none. */
  Optional<HedgeCounts> hedges() {
    return reference.ifConnected().map(client -> ClientParts.of(client).hedgeCounts());
  }

  /** What the client's cache of bytes has done until now; empty while there is no client. */
  Optional<DataCacheCounts> dataCache() {
    return reference.ifConnected().map(client -> ClientParts.of(client).dataCacheCounts());
  }

  IOStatisticsStore totals() {
    return totals;
  }

  /**
   * A stream that writes: it is closed before the instance is, and given up if it becomes
   * unreachable together with the instance.
   *
   * @param giveUp must not know the stream, nor block
   */
  Cleaner.Cleanable opened(AutoCloseable writer, Runnable giveUp) {
    writers.add(writer);
    return clients.whenUnreachable(writer, giveUp);
  }

  void ended(AutoCloseable writer) {
    writers.remove(writer);
  }

  /**
   * A stream that reads: what it has open is given back with the instance.
   *
   * @param giveBack runs also if the stream becomes unreachable; must not know it, nor block
   */
  Cleaner.Cleanable reads(WeftHadoopInputStream reader, Runnable giveBack) {
    readers.add(reader);
    return clients.whenUnreachable(reader, giveBack);
  }

  void endedReading(WeftHadoopInputStream reader) {
    readers.remove(reader);
  }

  /** Closes the files that this instance has open, as Hadoop's users expect, and no others. */
  @Override
  public void close() {
    closeWriters();
    closed = true;
    // Those that were opened meanwhile; later ones find that the instance is closed.
    closeWriters();
    for (WeftHadoopInputStream reader : readers.toArray(WeftHadoopInputStream[]::new)) {
      reader.giveBack();
    }
    whenUnreachable.clean();
  }

  private void closeWriters() {
    for (AutoCloseable writer : List.copyOf(writers)) {
      try {
        writer.close();
      } catch (Exception e) {
        LOG.warn("a file that was being written could not be closed: {}", e.getMessage());
      }
    }
  }
}
