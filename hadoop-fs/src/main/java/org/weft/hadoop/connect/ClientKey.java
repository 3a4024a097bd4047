package org.weft.hadoop.connect;

import java.util.List;
import java.util.Optional;
import org.weft.client.ClientOptions;
import org.weft.client.HedgeOptions;
import org.weft.hadoop.config.ClusterAddress;
import org.weft.hadoop.config.Settings;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * What file system instances must have in common to share one client. It is the cluster, the user
 * with the groups that the cluster is told, and every setting that the client uses.
 */
public record ClientKey(
    List<Endpoint> sysmgrs,
    Optional<ClusterId> clusterId,
    String user,
    List<String> groups,
    Terms terms) {

  /** The settings that change how the client works. */
  record Terms(
      String clientName,
      String host,
      int callbackThreads,
      int writeWindowBytes,
      int readAheadBytes,
      int cachedEntries,
      int dataCacheBytes,
      HedgeOptions hedges,
      int connectTimeoutMillis,
      int attemptTimeoutMillis,
      int requestTimeoutMillis) {
    static Terms of(Settings settings) {
      return new Terms(
          settings.clientName(),
          settings.host(),
          settings.callbackThreads(),
          settings.writeWindowBytes(),
          settings.readAheadBytes(),
          settings.cachedEntries(),
          settings.dataCacheBytes(),
          settings.hedges(),
          settings.connectTimeoutMillis(),
          settings.attemptTimeoutMillis(),
          settings.requestTimeoutMillis());
    }
  }

  public ClientKey {
    sysmgrs = List.copyOf(sysmgrs);
    groups = List.copyOf(groups);
  }

  /** Hashes the fields that distinguish most keys: see {@link org.weft.protocol.id}. */
  @Override
  public int hashCode() {
    return 31 * sysmgrs.hashCode() + user.hashCode();
  }

  /** The client of a user with the settings of an instance. */
  public static ClientKey of(
      ClusterAddress address, Settings settings, String user, List<String> groups) {
    return new ClientKey(address.sysmgrs(), address.clusterId(), user, groups, Terms.of(settings));
  }

  /**
   * The client's options. Its umask is 0: each instance takes off its own.
   *
   * @param machine what this machine calls itself
   */
  ClientOptions options(OwnedExecutor callbacks, Optional<String> machine) {
    String process = machine.orElse("localhost") + "/" + ProcessHandle.current().pid();
    ClientOptions.Builder options =
        ClientOptions.builder(sysmgrs, user, callbacks)
            .groups(groups)
            .clientName(process + "/" + terms.clientName())
            .umask(0)
            .openTimeoutMillis(terms.connectTimeoutMillis())
            .attemptTimeoutMillis(terms.attemptTimeoutMillis())
            .requestTimeoutMillis(terms.requestTimeoutMillis())
            .writeWindowBytes(terms.writeWindowBytes())
            .readAheadBytes(terms.readAheadBytes())
            .cachedEntries(terms.cachedEntries())
            .dataCacheBytes(terms.dataCacheBytes())
            .hedges(terms.hedges());
    clusterId.ifPresent(options::clusterId);
    (terms.host().isEmpty() ? machine : Optional.of(terms.host())).ifPresent(options::host);
    return options.build();
  }
}
