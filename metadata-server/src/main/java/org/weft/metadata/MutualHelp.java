package org.weft.metadata;

import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.weft.client.cluster.ClusterView;
import org.weft.client.stripe.StripeEngine;
import org.weft.metadata.help.CopyWorker;
import org.weft.metadata.help.CopyWorkers;
import org.weft.metadata.repair.RepairOptions;
import org.weft.metadata.serving.care.SharedCare;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.seam.Environment;

/**
 * What a manager copies for the volumes of others, and they for its own (P 6.8). Thread-safe.
 * {@link #close} blocks.
 */
final class MutualHelp implements AutoCloseable {
  private final CopyWorkers workers;
  private final SharedCare shared;
  private final CopyWorker worker;

  /**
   * @param clusterId of this manager's cluster
   * @param self this manager's id
   */
  MutualHelp(
      ManagerOptions options,
      Environment environment,
      Supplier<Optional<ClusterId>> clusterId,
      IntSupplier self) {
    byte[] secret = JoinSecret.of(options.joinToken());
    RepairOptions repair = options.tuning().care().repair();
    this.workers = new CopyWorkers(environment, clusterId, self, secret, repair.filesAtOnce());
    this.shared = SharedCare.of(options.tuning().care(), workers);
    this.worker =
        new CopyWorker(
            environment, secret, repair.filesAtOnce(), repair.sharePercent(), shared.copying());
  }

  /** What the volumes of this manager share. */
  SharedCare shared() {
    return shared;
  }

  /** Copies components for other managers. */
  CopyWorker worker() {
    return worker;
  }

  /**
   * The cluster is known by now.
   *
   * @param stripes makes way for clients
   */
  void begin(ClusterView view, StripeEngine stripes) {
    workers.begin(view::table);
    worker.begin(stripes);
  }

  @Override
  public void close() {
    workers.close();
    worker.close();
  }
}
