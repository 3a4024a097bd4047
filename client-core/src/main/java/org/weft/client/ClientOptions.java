package org.weft.client;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.file.FileModes;
import org.weft.client.internal.TunedBuilder;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.hedge.HedgeLimits;
import org.weft.client.volume.KeepLocks;
import org.weft.client.volume.SessionOptions;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;

/**
 * How a client finds a cluster, which user it acts for, and what it may use. Immutable; made by a
 * {@link Builder}.
 */
public final class ClientOptions {
  /** Bits taken off the modes of what is made. */
  public static final int DEFAULT_UMASK = 022;

  /** Of one file, on their way to the OSDs, before its writer has to wait: 32 MiB. */
  public static final int DEFAULT_WRITE_WINDOW_BYTES = 32 << 20;

  /** Of one stream, fetched before they are asked for: 16 MiB. */
  public static final int DEFAULT_READ_AHEAD_BYTES = 16 << 20;

  /** Of files by their numbers: 64 MiB. */
  public static final long DEFAULT_NUMBERED_AHEAD_BYTES = 64L << 20;

  /** Memory for bytes that are read again: 16 MiB. */
  public static final int DEFAULT_DATA_CACHE_BYTES = 16 << 20;

  /** Of one volume's cache; a manager grants no more to one session. */
  public static final int MAX_CACHED_ENTRIES = 100_000;

  private final Settings settings;

  private ClientOptions(Settings settings) {
    this.settings = settings;
  }

  /**
   * Defaults for all else.
   *
   * @param sysmgrs addresses of SysMgr, one or more
   * @param user the user that the client acts for (simple authentication)
   * @param callbacks where futures complete that no thread awaits by {@link Blocking}; what hangs
   *     on them may block this executor, never the client's own threads
   */
  public static Builder builder(List<Endpoint> sysmgrs, String user, Executor callbacks) {
    return new Builder(sysmgrs, user, callbacks);
  }

  /** All of them, below the API. */
  Settings settings() {
    return settings;
  }

  /** Says nothing of the token. */
  @Override
  public String toString() {
    return settings.toString();
  }

  /**
   * What the options were built of, checked.
   *
   * @param sysmgrs addresses of SysMgr, one or more
   * @param clusterId the cluster expected there; empty takes the one that answers
   * @param user the user that the client acts for (simple authentication)
   * @param groups the user's groups
   * @param clientName "host/pid/program", shown to clients that wait for a file this client writes
   * @param host what the client's own host is called, as OSDs call theirs. Of copies of the same
   *     bytes the one there is read. Empty: the first one
   * @param umask bits taken off the modes of what is made
   * @param callbacks where futures complete that no thread awaits by {@link Blocking}; what hangs
   *     on them may block this executor, never the client's own threads
   * @param openTimeoutMillis how long finding the cluster may take where no member of SysMgr
   *     answers
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
   *     without asking, as its managers grant it (P 6.5). 0: it asks each time
   * @param dataCacheBytes of memory for bytes of files that are read again, with all volumes and
   *     what it takes to find them. It is used where {@code cachedEntries} is not 0 (P 6.5e). 0:
   *     reads ask OSDs
   * @param streams of other sizes than these options say; empty: as they do
   * @param joinToken the cluster's, as SysMgr shows it. It makes the client one of those that
   *     managers trust. They name files by their numbers on behalf of others (P 6.5c)
   */
  record Settings(
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

    Settings {
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
      if (cachedEntries < 0 || cachedEntries > MAX_CACHED_ENTRIES) {
        throw new IllegalArgumentException(
            "the cache holds 0 to " + MAX_CACHED_ENTRIES + " entries, got " + cachedEntries);
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

  /** Collects options; {@link #build} checks them. Not thread-safe. */
  public static final class Builder extends TunedBuilder {
    private final List<Endpoint> sysmgrs;
    private final Executor callbacks;
    private String user;
    private Optional<ClusterId> clusterId = Optional.empty();
    private List<String> groups = List.of();
    private String clientName = "client";
    private Optional<String> host = Optional.empty();
    private int umask = DEFAULT_UMASK;
    private int openTimeoutMillis = ClusterViewOptions.DEFAULT_OPEN_TIMEOUT_MILLIS;
    private int attemptTimeoutMillis = SessionOptions.DEFAULT_ATTEMPT_TIMEOUT_MILLIS;
    private int requestTimeoutMillis = SessionOptions.DEFAULT_REQUEST_TIMEOUT_MILLIS;
    private int writeWindowBytes = DEFAULT_WRITE_WINDOW_BYTES;
    private long writeMemoryBytes = StripeOptions.defaults().poolBytes();
    private int readAheadBytes = DEFAULT_READ_AHEAD_BYTES;
    private long numberedAheadBytes = DEFAULT_NUMBERED_AHEAD_BYTES;
    private HedgeOptions hedges = HedgeOptions.defaults();
    private Optional<KeepLocks> keepLocks = Optional.empty();
    private int cachedEntries;
    private int dataCacheBytes = DEFAULT_DATA_CACHE_BYTES;
    private Optional<byte[]> joinToken = Optional.empty();

    private Builder(List<Endpoint> sysmgrs, String user, Executor callbacks) {
      this.sysmgrs = List.copyOf(sysmgrs);
      this.user = user;
      this.callbacks = Objects.requireNonNull(callbacks, "callbacks");
    }

    /** Another user than the one given at first. */
    public Builder user(String name) {
      user = name;
      return this;
    }

    /** The cluster expected at the addresses; else the one that answers is taken. */
    public Builder clusterId(ClusterId expected) {
      clusterId = Optional.of(expected);
      return this;
    }

    /** The user's groups; none by default. */
    public Builder groups(List<String> names) {
      groups = List.copyOf(names);
      return this;
    }

    /** As "host/pid/program", shown to clients that wait for a file this client writes. */
    public Builder clientName(String name) {
      clientName = name;
      return this;
    }

    /**
     * The name of the client's own host, as OSDs call theirs: of copies of the same bytes the one
     * there is read. Without it the first one is.
     */
    public Builder host(String name) {
      host = Optional.of(name);
      return this;
    }

    /** Bits taken off the modes of what is made; {@link #DEFAULT_UMASK} by default. */
    public Builder umask(int bits) {
      umask = bits;
      return this;
    }

    /** How long finding the cluster may take where no member of SysMgr answers. */
    public Builder openTimeoutMillis(int millis) {
      openTimeoutMillis = millis;
      return this;
    }

    /** For one attempt at a request. */
    public Builder attemptTimeoutMillis(int millis) {
      attemptTimeoutMillis = millis;
      return this;
    }

    /**
     * For a request with all its attempts, and for finding the cluster where SysMgr has no leader.
     */
    public Builder requestTimeoutMillis(int millis) {
      requestTimeoutMillis = millis;
      return this;
    }

    /** Of one file, on their way to the OSDs, before its writer has to wait: 1 to 64 MiB. */
    public Builder writeWindowBytes(int bytes) {
      writeWindowBytes = bytes;
      return this;
    }

    /**
     * Outside the heap, of all files on their way to the OSDs; past it a file still gets one stripe
     * at a time. At most so many, and no more than usual: a quarter of what the JVM may use, up to
     * 256 MiB.
     */
    public Builder writeMemoryBytes(long most) {
      writeMemoryBytes = Math.min(most, StripeOptions.defaults().poolBytes());
      return this;
    }

    /** Of one stream, fetched before they are asked for; 1 MiB or more. */
    public Builder readAheadBytes(int bytes) {
      readAheadBytes = bytes;
      return this;
    }

    /**
     * Outside the heap, fetched ahead of all readers of files by their numbers (P 6.5c); 0: none.
     */
    public Builder numberedAheadBytes(long most) {
      numberedAheadBytes = most;
      return this;
    }

    /** When a unit that is late is rebuilt instead of waited for. */
    public Builder hedges(HedgeOptions options) {
      hedges = options;
      return this;
    }

    /**
     * Byte-range locks are kept when the client's session has ended, for a successor of the same
     * user that gives the same key. It takes them over by {@link LockedFile#reclaim} (P 6.5).
     * Without this they go with the session.
     *
     * @param millis for how long, 1 to 300,000
     * @param key 16 to 64 bytes that no other user knows
     * @throws IllegalArgumentException if one of them is out of its bounds
     */
    public Builder keepLocks(int millis, byte[] key) {
      keepLocks = Optional.of(new KeepLocks(millis, ByteString.copyFrom(key)));
      return this;
    }

    /**
     * Attributes, names, listings and openings are relied on as managers grant it (P 6.5): so many
     * of each volume, up to {@link #MAX_CACHED_ENTRIES}. 0, the default: managers are asked each
     * time.
     */
    public Builder cachedEntries(int most) {
      cachedEntries = most;
      return this;
    }

    /**
     * Memory for bytes that are read again, of all volumes and with what it takes to find them,
     * where {@link #cachedEntries} is not 0 (P 6.5e). 0: reads ask OSDs.
     */
    public Builder dataCacheBytes(int most) {
      dataCacheBytes = most;
      return this;
    }

    /**
     * The cluster's join token, as SysMgr shows it: managers trust the client, which names files by
     * their numbers on behalf of others (P 6.5c). For gateways.
     */
    public Builder joinToken(byte[] token) {
      joinToken = Optional.of(token.clone());
      return this;
    }

    /**
     * The options.
     *
     * @throws IllegalArgumentException if there is no address, or a number is out of its bounds
     */
    public ClientOptions build() {
      return new ClientOptions(
          new Settings(
              sysmgrs,
              clusterId,
              user,
              groups,
              clientName,
              host,
              umask,
              callbacks,
              openTimeoutMillis,
              attemptTimeoutMillis,
              requestTimeoutMillis,
              writeWindowBytes,
              writeMemoryBytes,
              readAheadBytes,
              numberedAheadBytes,
              hedges.limits(),
              keepLocks,
              cachedEntries,
              dataCacheBytes,
              streams(),
              joinToken));
    }
  }
}
