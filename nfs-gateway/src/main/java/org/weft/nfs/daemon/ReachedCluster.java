package org.weft.nfs.daemon;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.ClientOptions;
import org.weft.client.WeftClient;
import org.weft.client.ids.FilesById;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.internal.ClientParts;
import org.weft.client.lock.RangeOwner;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.locks.OwnerLocks;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Environment;

/**
 * The gateway's client of the cluster. It tries to connect until the manager of the root volume
 * serves. From then on the client finds managers and OSDs by itself, whichever of them stop and
 * start. Thread-safe.
 */
final class ReachedCluster implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReachedCluster.class);
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int OPEN_MILLIS = 30_000;

  /** A change has one number until it is answered, however long its manager is away. */
  private static final int REQUEST_MILLIS = 86_400_000;

  private static final int ATTEMPT_MILLIS = 5_000;
  private static final long END_SECONDS = 30;

  /** For a gateway that takes this one's place. */
  private static final int KEEP_LOCKS_MILLIS = 45_000;

  /** Files of each volume that reads and GETATTR are answered for without asking (P 6.5c.8). */
  private static final int MAX_GRANTED_FILES = 20_000;

  private static final byte[] LOCK_LABEL = "weft-nfs-locks".getBytes(StandardCharsets.US_ASCII);

  private final NfsOptions options;
  private final Environment environment;
  private final Executor home;
  private volatile WeftClient client;
  private volatile FilesById files;
  private volatile String problem = "";
  private volatile boolean closed;

  ReachedCluster(NfsOptions options, Environment environment, Executor home) {
    this.options = options;
    this.environment = environment;
    this.home = home;
  }

  void start() {
    home.execute(this::connect);
  }

  private void connect() {
    if (closed) {
      return;
    }
    ClientOptions wanted =
        ClientOptions.builder(options.sysmgrs(), "nfs-gateway", Runnable::run)
            .joinToken(options.joinToken())
            .clientName(options.host() + "/nfs-" + options.advertised().port())
            .umask(0)
            .openTimeoutMillis(OPEN_MILLIS)
            .attemptTimeoutMillis(ATTEMPT_MILLIS)
            .requestTimeoutMillis(REQUEST_MILLIS)
            .keepLocks(KEEP_LOCKS_MILLIS, lockKey())
            .cachedEntries(MAX_GRANTED_FILES)
            // It keeps no bytes but those that it has fetched ahead (P 6.5e.9.5).
            .dataCacheBytes(0)
            .writeMemoryBytes(options.memoryBytes())
            .numberedAheadBytes(options.aheadBytes())
            .build();
    var unused = WeftClient.connect(wanted, environment).whenCompleteAsync(this::connected, home);
  }

  /** The same at all gateways of the cluster, so that each may reclaim another one's locks. */
  private byte[] lockKey() {
    return Hmac.sha256(JoinSecret.of(options.joinToken()), LOCK_LABEL);
  }

  /** Fails with UNAVAILABLE while the cluster is not reached. */
  CompletableFuture<OwnerLocks> lockable(OnBehalfOf by, NodeId file, RangeOwner owner) {
    WeftClient there = client;
    return there == null
        ? CompletableFuture.failedFuture(
            new WeftException(ErrorCode.UNAVAILABLE, "the cluster is not reached yet"))
        : ClientParts.of(there).locksById().open(by, file, owner).thenApply(OwnerLocks::of);
  }

  private void connected(WeftClient opened, Throwable failure) {
    if (failure == null && closed) {
      // Nothing else would end it.
      var unused = end(opened);
      return;
    }
    if (failure == null) {
      client = opened;
      files = ClientParts.of(opened).filesById();
      problem = "";
      LOG.info("the cluster is reached");
      return;
    }
    WeftException refusal = WeftException.of(failure);
    if (!refusal.getMessage().equals(problem)) {
      LOG.warn("the cluster is not reached yet: {}", refusal.getMessage());
    }
    problem = String.valueOf(refusal.getMessage());
    if (!closed) {
      environment.scheduler().schedule(AGAIN_NANOS, home, this::connect);
    }
  }

  /** Empty while it is not reached. */
  Optional<FilesById> files() {
    return Optional.ofNullable(files);
  }

  /** The directory at a path; fails with {@link FileException}. */
  CompletableFuture<NodeId> find(String path) {
    FilesById there = files;
    if (there == null) {
      return CompletableFuture.failedFuture(
          new FileException(FileError.TRY_LATER, "the cluster is not reached yet"));
    }
    return there
        .resolve(path)
        .handle(
            (node, failure) -> {
              if (failure != null) {
                throw new CompletionException(failed(failure));
              }
              return directory(path, node);
            });
  }

  private static NodeId directory(String path, NodeAttributes node) {
    if (node.type() != NodeType.DIRECTORY) {
      throw new CompletionException(
          new FileException(FileError.NOT_DIRECTORY, path + " is no directory"));
    }
    return node.id();
  }

  private static FileException failed(Throwable failure) {
    WeftException refusal = WeftException.of(failure);
    boolean missing = refusal.code().leadsNowhere() || refusal.code() == ErrorCode.STALE;
    return new FileException(
        missing ? FileError.NOT_FOUND : FileError.TRY_LATER, String.valueOf(refusal.getMessage()));
  }

  long losses() {
    FilesById there = files;
    return there == null ? 0 : there.losses();
  }

  /** Sessions that managers have ended: this process may have been frozen. */
  long lostSessions() {
    FilesById there = files;
    return there == null ? 0 : there.lostSessions();
  }

  /** Sentences for people. */
  List<String> problems() {
    return files != null
        ? List.of()
        : List.of("the cluster is not reached yet" + (problem.isEmpty() ? "" : ": " + problem));
  }

  /**
   * Ends the client, once what was taken is on the OSDs or that has taken too long: then clients of
   * NFS send it again elsewhere. Blocks; not on the home executor.
   */
  @Override
  public void close() {
    closed = true;
    WeftClient opened = client;
    if (opened == null) {
      return;
    }
    try {
      var unused = end(opened).get(END_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LOG.warn("stopping although not all was sent within {} s", END_SECONDS);
    } catch (ExecutionException e) {
      LOG.warn("the client of the cluster did not end in order", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private CompletableFuture<Void> end(WeftClient opened) {
    return CompletableFuture.runAsync(
        opened::close, environment.scheduler().newPool("nfs-end", 1, 1));
  }
}
