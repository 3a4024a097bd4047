package org.weft.sysmgr.replication.ratis;

import java.io.File;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/**
 * Every setting of Ratis that matters, set here and nowhere else: what its documentation and its
 * classes call the default differs. The configuration is small and changes seldom, so memory is
 * kept small too: a whole cluster may run in one JVM.
 */
final class RatisSettings {
  /** Largest command; a table of a few thousand OSDs in one snapshot chunk is below it as well. */
  static final int MAX_COMMAND_BYTES = 1 << 20;

  private static final int FRAMING_BYTES = 8;
  private static final int SEGMENT_BYTES = 4 << 20;
  private static final int PENDING_BYTES = 8 << 20;
  private static final int PENDING_ENTRIES = 512;
  private static final int SNAPSHOTS_KEPT = 2;
  private static final int POOL_THREADS = 4;

  private RatisSettings() {}

  static RaftProperties of(RatisOptions options) {
    RaftProperties properties = new RaftProperties();
    storage(properties, options);
    log(properties);
    snapshots(properties, options.snapshotEveryEntries());
    elections(properties, options.single());
    limits(properties);
    threads(properties);
    wire(properties, options);
    return properties;
  }

  private static void storage(RaftProperties properties, RatisOptions options) {
    File directory = options.directory().toFile();
    RaftServerConfigKeys.setStorageDir(properties, List.of(directory));
    RaftServerConfigKeys.setStorageFreeSpaceMin(properties, SizeInBytes.ZERO);
    // The default is below /tmp.
    RaftServerConfigKeys.setRemovedGroupsDir(properties, new File(directory, "removed"));
  }

  private static void log(RaftProperties properties) {
    RaftServerConfigKeys.Log.setUseMemory(properties, false);
    RaftServerConfigKeys.Log.setSegmentSizeMax(properties, size(SEGMENT_BYTES));
    RaftServerConfigKeys.Log.setPreallocatedSize(properties, size(64 << 10));
    RaftServerConfigKeys.Log.setSegmentCacheNumMax(properties, 2);
    RaftServerConfigKeys.Log.setSegmentCacheSizeMax(properties, size(2 * SEGMENT_BYTES));
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, size(MAX_COMMAND_BYTES));
    RaftServerConfigKeys.Log.setWriteBufferSize(
        properties, size(MAX_COMMAND_BYTES + FRAMING_BYTES));
    RaftServerConfigKeys.Log.Appender.setSnapshotChunkSizeMax(properties, size(MAX_COMMAND_BYTES));
    RaftServerConfigKeys.Log.Appender.setInstallSnapshotEnabled(properties, true);
    // Durable before it counts: an entry is forced to disk before this member acknowledges it.
    RaftServerConfigKeys.Log.setForceSyncNum(properties, 128);
    RaftServerConfigKeys.Log.setUnsafeFlushEnabled(properties, false);
    RaftServerConfigKeys.Log.setAsyncFlushEnabled(properties, false);
    // A record of the commit index after each entry would double the log; a leader finds it anyway.
    RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
    RaftServerConfigKeys.Log.setCorruptionPolicy(
        properties, RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION);
  }

  private static void snapshots(RaftProperties properties, int everyEntries) {
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
    RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, everyEntries);
    RaftServerConfigKeys.Snapshot.setCreationGap(properties, everyEntries);
    RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(properties, true);
    RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, SNAPSHOTS_KEPT);
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
    RaftServerConfigKeys.Log.setPurgeGap(properties, everyEntries);
    RaftServerConfigKeys.Log.setPurgePreservationLogNum(properties, 0);
  }

  private static void elections(RaftProperties properties, boolean single) {
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, millis(1_500));
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, millis(2_500));
    // A single member elects itself; no other member could answer.
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, millis(single ? 50 : 500));
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, millis(single ? 100 : 1_500));
    RaftServerConfigKeys.Rpc.setRequestTimeout(properties, millis(3_000));
    RaftServerConfigKeys.Rpc.setSleepTime(properties, millis(25));
    RaftServerConfigKeys.Rpc.setSlownessTimeout(properties, millis(60_000));
    RaftServerConfigKeys.LeaderElection.setPreVote(properties, true);
    // Requests to a leader without a majority are refused before their callers give up (5 s).
    RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(properties, millis(4_000));
    RaftServerConfigKeys.Notification.setNoLeaderTimeout(properties, millis(60_000));
    // After a pause of the JVM a member catches up like any other; closing it would need an
    // operator.
    RaftServerConfigKeys.setCloseThreshold(properties, TimeDuration.valueOf(1, TimeUnit.DAYS));
    RaftServerConfigKeys.setSleepDeviationThreshold(properties, millis(500));
    // A read is confirmed by a majority, not by the leader's clock (P 6.2).
    RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
    RaftServerConfigKeys.Read.setLeaderLeaseEnabled(properties, false);
    RaftServerConfigKeys.Read.setLeaderHeartbeatCheckEnabled(properties, true);
    RaftServerConfigKeys.Read.setTimeout(properties, millis(5_000));
  }

  private static void limits(RaftProperties properties) {
    RaftServerConfigKeys.Write.setElementLimit(properties, PENDING_ENTRIES);
    RaftServerConfigKeys.Write.setByteLimit(properties, size(PENDING_BYTES));
    RaftServerConfigKeys.Log.setQueueElementLimit(properties, PENDING_ENTRIES);
    RaftServerConfigKeys.Log.setQueueByteLimit(properties, size(PENDING_BYTES));
    RaftServerConfigKeys.Watch.setElementLimit(properties, 16);
    // Our call numbers are never used again, so answers need not be remembered for long.
    RaftServerConfigKeys.RetryCache.setExpiryTime(properties, millis(10_000));
  }

  private static void threads(RaftProperties properties) {
    RaftServerConfigKeys.ThreadPool.setProxyCached(properties, true);
    RaftServerConfigKeys.ThreadPool.setProxySize(properties, POOL_THREADS);
    RaftServerConfigKeys.ThreadPool.setServerCached(properties, true);
    RaftServerConfigKeys.ThreadPool.setServerSize(properties, 2 * POOL_THREADS);
    RaftServerConfigKeys.ThreadPool.setClientCached(properties, true);
    RaftServerConfigKeys.ThreadPool.setClientSize(properties, POOL_THREADS);
    GrpcConfigKeys.Server.setAsyncRequestThreadPoolCached(properties, true);
    GrpcConfigKeys.Server.setAsyncRequestThreadPoolSize(properties, POOL_THREADS);
    GrpcConfigKeys.Server.setBossGroupSize(properties, 1);
    GrpcConfigKeys.Server.setWorkerGroupSize(properties, 1);
    GrpcConfigKeys.Server.setStubPoolSize(properties, 1);
    GrpcConfigKeys.Client.setWorkerGroupSize(properties, 1);
  }

  private static void wire(RaftProperties properties, RatisOptions options) {
    RaftConfigKeys.Rpc.setType(properties, new CandidateLooks.WatchedGrpc());
    GrpcConfigKeys.setUseEpoll(properties, false);
    GrpcConfigKeys.setMessageSizeMax(properties, size(4 * MAX_COMMAND_BYTES));
    GrpcConfigKeys.setFlowControlWindow(properties, size(MAX_COMMAND_BYTES));
    GrpcConfigKeys.Server.setHost(properties, options.listen().host());
    GrpcConfigKeys.Server.setPort(properties, options.listen().port());
    GrpcConfigKeys.Server.setLeaderOutstandingAppendsMax(properties, 8);
    // A sender that waits for a place is not told when the receiver is gone: let it seldom wait.
    GrpcConfigKeys.Server.setInstallSnapshotRequestElementLimit(properties, 64);
    GrpcConfigKeys.Server.setInstallSnapshotRequestTimeout(properties, millis(5_000));
  }

  private static SizeInBytes size(int bytes) {
    return SizeInBytes.valueOf(bytes);
  }

  private static TimeDuration millis(long count) {
    return TimeDuration.valueOf(count, TimeUnit.MILLISECONDS);
  }
}
