package org.weft.cli.cluster;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.weft.client.cluster.BalanceAdmin;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.cluster.MemberAdmin;
import org.weft.client.cluster.NfsAdmin;
import org.weft.client.cluster.PlacementAdmin;
import org.weft.client.cluster.RepairAdmin;
import org.weft.client.cluster.VolumeAdmin;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;

/**
 * A view of the cluster for one command, and the calls that change the cluster through SysMgr.
 * Closing it ends all that was opened for it.
 */
public final class AdminView implements AutoCloseable {
  private final SystemEnvironment system;
  private final WaitNotices notices;
  private final OwnedExecutor home;
  private final ClusterView view;
  private final long timeoutMillis;

  private AdminView(
      SystemEnvironment system,
      WaitNotices notices,
      OwnedExecutor home,
      ClusterView view,
      long timeoutMillis) {
    this.system = system;
    this.notices = notices;
    this.home = home;
    this.view = view;
    this.timeoutMillis = timeoutMillis;
  }

  /**
   * Waits for the first table.
   *
   * @param caller for the logs of SysMgr
   * @throws IOException UNAVAILABLE if no address of the cluster accepts a connection
   * @throws CompletionException with the failure, if none of them gives a table
   */
  public static AdminView open(ClusterOptions cluster, String caller) throws IOException {
    long timeoutMillis = TimeUnit.SECONDS.toMillis(cluster.timeoutSeconds());
    cluster.requireListening();
    ClusterViewOptions options =
        ClusterViewOptions.of(cluster.endpoints(), Optional.empty(), caller);
    SystemEnvironment system = SystemEnvironment.create();
    WaitNotices notices = cluster.watch(system.environment());
    Environment environment = notices.environment();
    OwnedExecutor home = environment.scheduler().newSerialExecutor(caller);
    try {
      ClusterView view = ClusterView.open(options, environment, home).join();
      return new AdminView(system, notices, home, view, timeoutMillis);
    } catch (RuntimeException e) {
      end(system, notices, home);
      throw e;
    }
  }

  public ClusterView view() {
    return view;
  }

  /** What commands work with that speak to daemons themselves. */
  public Environment environment() {
    return notices.environment();
  }

  /** Makes, shows and deletes volumes. */
  public VolumeAdmin volumes() {
    return new VolumeAdmin(view, notices.environment(), home, timeoutMillis);
  }

  /** Moves volumes, drains managers and removes OSDs. */
  public PlacementAdmin placement() {
    return new PlacementAdmin(view, notices.environment(), home, timeoutMillis);
  }

  /** Balances OSDs. */
  public BalanceAdmin balance() {
    return new BalanceAdmin(view);
  }

  /** Pauses rebuilds and drains. */
  public RepairAdmin repairs() {
    return new RepairAdmin(view);
  }

  /**
   * Adds and removes members of SysMgr.
   *
   * @param joinToken what the changes are signed by
   */
  public MemberAdmin members(byte[] joinToken) {
    return new MemberAdmin(view, notices.environment(), home, timeoutMillis, joinToken);
  }

  /** Changes what NFS gateways serve. */
  public NfsAdmin nfs() {
    return new NfsAdmin(view);
  }

  private static void end(SystemEnvironment system, WaitNotices notices, OwnedExecutor home) {
    home.close();
    notices.close();
    system.close();
  }

  @Override
  public void close() {
    view.close();
    end(system, notices, home);
  }
}
