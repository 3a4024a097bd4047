package org.weft.osd;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.weft.osd.command.OsdCommandService;
import org.weft.osd.membership.MembershipOptions;
import org.weft.osd.membership.MembershipService;
import org.weft.osd.membership.OsdProblems;
import org.weft.osd.membership.OsdReport;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreIdentity;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.StoreStatus;
import org.weft.osd.store.rocksdb.StoreFolder;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;

/**
 * An object storage device: a store on one disk, the commands that reach it, and its place in a
 * cluster. The data directory holds {@code tables/} (RocksDB), {@code segments/} and {@code
 * capacity}.
 *
 * <p>Thread-safe. {@code kill -9} at any instruction loses nothing that was acknowledged.
 */
public final class OsdDaemon implements AutoCloseable {
  private static final int COMMAND_THREADS = 16;
  private static final int COMMAND_QUEUE = 2_048;
  private static final int TIMEOUT_SLACK_MILLIS = 30_000;

  private final OpenParts parts;
  private final ObjectStore store;
  private final Endpoint address;

  private OsdDaemon(OpenParts parts, ObjectStore store, Endpoint address) {
    this.parts = parts;
    this.store = store;
    this.address = address;
  }

  /**
   * Starts an OSD; blocks until it has joined its cluster and serves.
   *
   * @throws RpcException WRONG_CLUSTER (the data directory is another cluster's), UNAUTHENTICATED
   *     (the join token is wrong), UNAVAILABLE (nobody let it in before the deadline, or the port
   *     is taken), BAD_MEDIA (the store is damaged), NO_SPACE
   * @throws IOException if the data directory cannot be used
   */
  public static OsdDaemon start(OsdOptions options, Environment environment) throws IOException {
    OpenParts parts = new OpenParts();
    boolean started = false;
    try {
      Files.createDirectories(options.dataDirectory());
      OfferedCapacity capacity = new OfferedCapacity(options.dataDirectory());
      long capacityBytes = capacity.decide(options.capacityBytes(), options.osdsOnDisk());
      byte[] joinSecret = JoinSecret.of(options.joinToken());

      StoreOptions storeOptions =
          StoreOptions.ofCapacity(capacityBytes).withDurability(options.durability());

      ObjectStore store =
          parts.add(new StoreFolder(options.dataDirectory()).open(storeOptions, environment));
      Scheduler.OwnedExecutor pool =
          parts.add(environment.scheduler().newPool("osd-command", COMMAND_THREADS, COMMAND_QUEUE));
      var commands =
          new OsdCommandService(store, environment, pool, options.durability(), joinSecret);
      RpcListener listener = parts.add(listen(options, environment, store, commands));
      var membership =
          parts.add(
              new MembershipService(
                  new MembershipOptions(
                      options.sysmgrs(),
                      joinSecret,
                      List.of(advertised(options, listener.address())),
                      options.host(),
                      capacityBytes,
                      options.joinTimeoutMillis()),
                  store,
                  () -> report(options, store, capacity),
                  environment));

      await(membership.start(), options.joinTimeoutMillis() + TIMEOUT_SLACK_MILLIS);
      commands.open();
      started = true;
      return new OsdDaemon(parts, store, listener.address());
    } finally {
      if (!started) {
        parts.close();
      }
    }
  }

  private static RpcListener listen(
      OsdOptions options, Environment environment, ObjectStore store, OsdCommandService commands)
      throws RpcException {
    StoreIdentity identity = store.identity();
    String name = identity.osd().map(id -> "osd-" + id).orElse("osd");
    ListenOptions presented =
        ListenOptions.of(() -> store.identity().cluster(), name, identity.incarnation());
    return await(
        environment.transport().listen(options.listen(), presented, commands).toCompletableFuture(),
        TIMEOUT_SLACK_MILLIS);
  }

  private static Endpoint advertised(OsdOptions options, Endpoint listening) {
    Endpoint wished = options.advertised();
    return wished.port() == 0 ? new Endpoint(wished.host(), listening.port()) : wished;
  }

  private static OsdReport report(OsdOptions options, ObjectStore store, OfferedCapacity capacity) {
    StoreStatus status = store.status();
    return new OsdReport(
        status, options.durability(), OsdProblems.of(status, capacity.diskFreeBytes()));
  }

  private static <T> T await(Future<T> future, long timeoutMillis) throws RpcException {
    try {
      return future.get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw RpcException.of(e);
    } catch (TimeoutException e) {
      throw new RpcException(ErrorCode.UNAVAILABLE, "the OSD did not start in time", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RpcException(ErrorCode.CANCELLED, "the OSD was interrupted while it started", e);
    }
  }

  /** The number that SysMgr gave it. */
  public OsdId osdId() {
    return store.identity().osd().orElseThrow();
  }

  /** Where it listens, with the real port. */
  public Endpoint address() {
    return address;
  }

  /** For tests and for the status page of a process that holds several daemons. */
  public ObjectStore store() {
    return store;
  }

  /** A clean stop: leaves the cluster, answers what is under way, and leaves the clean mark. */
  @Override
  public void close() {
    parts.close();
  }
}
