package org.weft.client.internal;

import java.util.Objects;
import java.util.Optional;
import org.weft.client.cache.DataCache;
import org.weft.client.cache.DataCacheCounts;
import org.weft.client.cluster.ClusterView;
import org.weft.client.health.HealthCalls;
import org.weft.client.ids.FilesById;
import org.weft.client.lock.LocksById;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.hedge.HedgeCounts;

/**
 * What a client consists of below the Java API, for Weft's own gateways, tools and tests. It lives
 * as long as its client. Thread-safe.
 */
public final class ClientParts {
  private final ClusterView cluster;
  private final StripeEngine engine;
  private final Optional<DataCache> memory;
  private final HealthCalls health;
  private final LocksById locks;
  private final Optional<FilesById> files;

  /**
   * @param memory empty: the client keeps no bytes of files
   * @param files empty: the client was not given the cluster's join token
   */
  public ClientParts(
      ClusterView cluster,
      StripeEngine engine,
      Optional<DataCache> memory,
      HealthCalls health,
      LocksById locks,
      Optional<FilesById> files) {
    this.cluster = Objects.requireNonNull(cluster, "cluster");
    this.engine = Objects.requireNonNull(engine, "engine");
    this.memory = memory;
    this.health = health;
    this.locks = locks;
    this.files = files;
  }

  /** Those of a client. */
  public static ClientParts of(PartsHolder client) {
    return client.parts();
  }

  /** What the client knows of the cluster. */
  public ClusterView cluster() {
    return cluster;
  }

  /**
   * Files by their numbers, for gateways.
   *
   * @throws IllegalStateException if the client was not given the join token
   */
  public FilesById filesById() {
    return files.orElseThrow(
        () ->
            new IllegalStateException(
                "a client names files by their numbers only with the cluster's join token; give it"
                    + " that with its options"));
  }

  /** Byte-range locks on files by their numbers, for gateways. */
  public LocksById locksById() {
    return locks;
  }

  /** What volumes have lost, and checks of them. */
  public HealthCalls health() {
    return health;
  }

  /** How often its readers did without units that were late. */
  public HedgeCounts hedgeCounts() {
    return engine.hedgeCounts();
  }

  /** What its cache of bytes has done (P 6.5e). */
  public DataCacheCounts dataCacheCounts() {
    return memory.map(DataCache::counts).orElse(DataCacheCounts.NONE);
  }
}
