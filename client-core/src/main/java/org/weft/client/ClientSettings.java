package org.weft.client;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.weft.client.file.FileModes;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.hedge.HedgeLimits;
import org.weft.client.volume.KeepLocks;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;

/**
 * What {@link ClientOptions} were built of, checked.
 *
 * @param sysmgrs addresses of SysMgr, one or more
 * @param clusterId the cluster expected there; empty takes the one that answers
 * @param user the user that the client acts for (simple authentication)
 * @param groups the user's groups
 * @param clientName "host/pid/program", shown to clients that wait for a file this client writes
 * @param host what the client's own host is called, as OSDs call theirs: of copies of the same
 *     bytes the one there is read; empty: the first one
 * @param umask bits taken off the modes of what is made
 * @param callbacks where futures complete that no thread awaits by {@link Blocking}; what hangs on
 *     them may block this executor, never the client's own threads
 * @param openTimeoutMillis how long finding the cluster may take where no member of SysMgr answers
 * @param attemptTimeoutMillis for one attempt at a request
 * @param requestTimeoutMillis for a request with all its attempts, and for finding the cluster
 *     where SysMgr has no leader
 * @param writeWindowBytes of one file, on their way to the OSDs, before its writer has to wait
 * @param writeMemoryBytes outside the heap, of all files on their way to the OSDs; past it a file
 *     still gets one stripe at a time
 * @param readAheadBytes of one stream, fetched before they are asked for
 * @param numberedAheadBytes outside the heap, fetched ahead of all readers of files by their
 *     numbers (P 6.5c); 0: nothing is
 * @param hedges when a unit that is late is rebuilt instead of waited for
 * @param keepLocks whether its byte-range locks are kept after its end, for a successor; empty:
 *     they go with it
 * @param cachedEntries nodes, names and listed entries of each volume that the client relies on
 *     without asking, as its managers grant it (P 6.5); 0: it asks each time
 * @param dataCacheBytes of memory for bytes of files that are read again, with all volumes and what
 *     it takes to find them; used where {@code cachedEntries} is not 0 (P 6.5e). 0: reads ask OSDs
 * @param streams of other sizes than these options say; empty: as they do
 * @param joinToken the cluster's, as SysMgr shows it: makes the client one of those that managers
 *     trust, which name files by their numbers on behalf of others (P 6.5c)
 */
record ClientSettings(
    List<Endpoint> sysmgrs,
    Optional<ClusterId> clusterId,
    String user,
    List<String> groups,
    String clientName,
    Optional<String> host,
    int umask,
    Executor callbacks,
    int openTimeoutMillis,
    int attemptTimeoutMillis,
    int requestTimeoutMillis,
    int writeWindowBytes,
    long writeMemoryBytes,
    int readAheadBytes,
    long numberedAheadBytes,
    HedgeLimits hedges,
    Optional<KeepLocks> keepLocks,
    int cachedEntries,
    int dataCacheBytes,
    Optional<StripeOptions> streams,
    Optional<byte[]> joinToken) {
  private static final int MIN_BUFFER_BYTES = 1 << 20;

  ClientSettings {
    sysmgrs = List.copyOf(sysmgrs);
    groups = List.copyOf(groups);
    FileModes.check(umask);
    if (sysmgrs.isEmpty()) {
      throw new IllegalArgumentException("at least one address of the cluster is needed");
    }
    if (openTimeoutMillis <= 0 || attemptTimeoutMillis <= 0 || requestTimeoutMillis <= 0) {
      throw new IllegalArgumentException(
          "timeouts must be positive, got open "
              + openTimeoutMillis
              + ", attempt "
              + attemptTimeoutMillis
              + ", request "
              + requestTimeoutMillis
              + " ms");
    }
    if (cachedEntries < 0 || cachedEntries > ClientOptions.MAX_CACHED_ENTRIES) {
      throw new IllegalArgumentException(
          "the cache holds 0 to "
              + ClientOptions.MAX_CACHED_ENTRIES
              + " entries, got "
              + cachedEntries);
    }
    if (dataCacheBytes < 0) {
      throw new IllegalArgumentException(
          "the cache of bytes has 0 bytes (none) or more, got " + dataCacheBytes);
    }
    if (writeMemoryBytes <= 0 || numberedAheadBytes < 0) {
      throw new IllegalArgumentException(
          "memory for writes must be positive and that for reading ahead not negative, got "
              + writeMemoryBytes
              + " and "
              + numberedAheadBytes);
    }
    if (writeWindowBytes < MIN_BUFFER_BYTES
        || writeWindowBytes > StripeOptions.MAX_WINDOW_BYTES
        || readAheadBytes < MIN_BUFFER_BYTES) {
      throw new IllegalArgumentException(
          "buffers must be at least "
              + MIN_BUFFER_BYTES
              + " bytes, the write window at most "
              + StripeOptions.MAX_WINDOW_BYTES
              + ", got write window "
              + writeWindowBytes
              + ", read-ahead "
              + readAheadBytes);
    }
  }

  /** How the client's streams are sized. */
  StripeOptions stripes() {
    StripeOptions usual = StripeOptions.defaults();
    return streams.orElseGet(
        () ->
            usual
                .withMemory(writeWindowBytes, usual.runBytes(), writeMemoryBytes)
                .withReads(readAheadBytes, usual.sliceBytes(), usual.slicesInFlight())
                .withHedges(hedges)
                .withWriteDeadline(requestTimeoutMillis));
  }

  /** Says nothing of the token. */
  @Override
  public String toString() {
    return "ClientOptions[sysmgrs="
        + sysmgrs
        + ", user="
        + user
        + ", clientName="
        + clientName
        + "]";
  }
}
