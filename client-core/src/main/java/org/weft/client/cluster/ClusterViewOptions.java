package org.weft.client.cluster;

import java.util.List;
import java.util.Optional;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;

/**
 * How to find and follow a cluster.
 *
 * @param sysmgrs addresses of SysMgr members, one or more; any of them will do
 * @param clusterId the cluster expected there; empty takes the one that answers
 * @param caller name of the calling process, for the other side's logs: "client", "manager-1"
 * @param callTimeoutMillis for connecting and for each call
 * @param openTimeoutMillis how long the first table may take, over all addresses and attempts
 * @param leaderlessMillis the same where a member answers that it has no table to give, because no
 *     member leads; it counts where it is longer (P 5.8)
 * @param refreshMillis between two looks at the table when nothing newer was heard of
 * @param figures take the OSDs' figures of space anew with each look, too: they change without a
 *     new version of the table. For processes that place files
 * @param joinSecret signs questions for the table, whose answers count only if they are signed with
 *     it, too; empty for clients, which do not have it
 * @param ownHost what this process's host is called in rows of OSDs; empty: no OSD is near
 */
public record ClusterViewOptions(
    List<Endpoint> sysmgrs,
    Optional<ClusterId> clusterId,
    String caller,
    int callTimeoutMillis,
    int openTimeoutMillis,
    int leaderlessMillis,
    int refreshMillis,
    boolean figures,
    Optional<byte[]> joinSecret,
    Optional<String> ownHost) {
  public static final int DEFAULT_CALL_TIMEOUT_MILLIS = 5_000;

  /** Of daemons, which wait for the table before they do what it says. */
  public static final int DAEMON_CALL_TIMEOUT_MILLIS = 2_000;

  public static final int DEFAULT_OPEN_TIMEOUT_MILLIS = 10_000;
  public static final int DEFAULT_REFRESH_MILLIS = 5_000;

  public ClusterViewOptions {
    sysmgrs = List.copyOf(sysmgrs);
    if (sysmgrs.isEmpty()) {
      throw new IllegalArgumentException("at least one address of the cluster is needed");
    }
    if (callTimeoutMillis <= 0 || openTimeoutMillis <= 0 || refreshMillis <= 0) {
      throw new IllegalArgumentException(
          "timeouts must be positive, got call "
              + callTimeoutMillis
              + ", open "
              + openTimeoutMillis
              + ", refresh "
              + refreshMillis
              + " ms");
    }
  }

  /** Options of a daemon or an operator's command, which does not wait for a leader. */
  public ClusterViewOptions(
      List<Endpoint> sysmgrs,
      Optional<ClusterId> clusterId,
      String caller,
      int callTimeoutMillis,
      int openTimeoutMillis,
      int refreshMillis,
      boolean figures,
      Optional<byte[]> joinSecret) {
    this(
        sysmgrs,
        clusterId,
        caller,
        callTimeoutMillis,
        openTimeoutMillis,
        0,
        refreshMillis,
        figures,
        joinSecret,
        Optional.empty());
  }

  /** Options without a secret. */
  public ClusterViewOptions(
      List<Endpoint> sysmgrs,
      Optional<ClusterId> clusterId,
      String caller,
      int callTimeoutMillis,
      int openTimeoutMillis,
      int refreshMillis,
      boolean figures) {
    this(
        sysmgrs,
        clusterId,
        caller,
        callTimeoutMillis,
        openTimeoutMillis,
        refreshMillis,
        figures,
        Optional.empty());
  }

  public static ClusterViewOptions of(
      List<Endpoint> sysmgrs, Optional<ClusterId> clusterId, String caller) {
    return new ClusterViewOptions(
        sysmgrs,
        clusterId,
        caller,
        DEFAULT_CALL_TIMEOUT_MILLIS,
        DEFAULT_OPEN_TIMEOUT_MILLIS,
        DEFAULT_REFRESH_MILLIS,
        false);
  }

  /** These options, taking the OSDs' figures anew with each look. */
  public ClusterViewOptions withFigures() {
    return with(callTimeoutMillis, leaderlessMillis, true, joinSecret, ownHost);
  }

  /**
   * These options for a daemon: only tables that SysMgr signed with the secret count, and a call is
   * given up after {@link #DAEMON_CALL_TIMEOUT_MILLIS} at the latest.
   */
  public ClusterViewOptions provenBy(byte[] secret) {
    int millis = Math.min(callTimeoutMillis, DAEMON_CALL_TIMEOUT_MILLIS);
    return with(millis, leaderlessMillis, figures, Optional.of(secret), ownHost);
  }

  /**
   * These options for a client of files.
   *
   * @param millis how long a cluster without a leader is waited for
   * @param host what this process's host is called in rows of OSDs
   */
  public ClusterViewOptions ofClient(int millis, Optional<String> host) {
    return with(callTimeoutMillis, millis, figures, joinSecret, host);
  }

  private ClusterViewOptions with(
      int newCallTimeoutMillis,
      int newLeaderlessMillis,
      boolean newFigures,
      Optional<byte[]> newJoinSecret,
      Optional<String> newOwnHost) {
    return new ClusterViewOptions(
        sysmgrs,
        clusterId,
        caller,
        newCallTimeoutMillis,
        openTimeoutMillis,
        newLeaderlessMillis,
        refreshMillis,
        newFigures,
        newJoinSecret,
        newOwnHost);
  }
}
