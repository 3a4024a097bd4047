package org.weft.osd;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.command.turn.BackgroundFigures;
import org.weft.osd.scrub.ScrubFigures;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.rocksdb.StoreFolder;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.system.OpenParts;
import org.weft.protocol.system.PrivateFolder;

/**
 * An object storage device: a store on one disk, the commands that reach it, and its place in a
 * cluster. The data directory holds {@code tables/} (RocksDB), {@code segments/} and {@code
 * capacity}, and the file {@code configuration-copy}, from which a lost SysMgr is built again.
 *
 * <p>Thread-safe. {@code kill -9} at any instruction loses nothing that was acknowledged.
 */
public final class OsdDaemon implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OsdDaemon.class);
  private static final int TIMEOUT_SLACK_MILLIS = 30_000;

  private final OpenParts parts;
  private final ObjectStore store;
  private final OsdAssembly assembly;

  private OsdDaemon(OpenParts parts, ObjectStore store, OsdAssembly assembly) {
    this.parts = parts;
    this.store = store;
    this.assembly = assembly;
  }

  /**
   * Starts an OSD; blocks until it has joined its cluster and serves.
   *
   * @throws WeftException WRONG_CLUSTER (the data directory is another cluster's), UNAUTHENTICATED
   *     (the join token is wrong), UNAVAILABLE (SysMgr did not let it in before the deadline, or
   *     the port is taken), BAD_MEDIA (the store is damaged), NO_SPACE
   * @throws IOException if the data directory cannot be used
   */
  public static OsdDaemon start(OsdOptions options, Environment environment) throws IOException {
    return start(options, environment, UnaryOperator.identity());
  }

  /**
   * The same on another disk, as for measurements on one that is slower than the real one.
   *
   * @param disk what is to be used in place of the folder of the segments
   */
  public static OsdDaemon start(
      OsdOptions options, Environment environment, UnaryOperator<SegmentDirectory> disk)
      throws IOException {
    OpenParts parts = new OpenParts();
    boolean started = false;
    try {
      PrivateFolder.prepare(options.dataDirectory());
      OfferedCapacity capacity = new OfferedCapacity(options.dataDirectory());
      long capacityBytes = capacity.decide(options.capacityBytes(), options.osdsOnDisk());
      StoreOptions storeOptions =
          StoreOptions.ofCapacity(capacityBytes).withDurability(options.durability());

      ObjectStore store =
          parts.add(new StoreFolder(options.dataDirectory()).open(storeOptions, environment, disk));
      OsdAssembly assembly =
          parts.add(
              new OsdAssembly(
                  options,
                  capacityBytes,
                  store,
                  capacity::diskFreeBytes,
                  new FolderShelf(options.dataDirectory()),
                  environment));
      await(assembly.begin(), options.joinTimeoutMillis() + 2L * TIMEOUT_SLACK_MILLIS);
      started = true;
      return new OsdDaemon(parts, store, assembly);
    } finally {
      if (!started) {
        close(parts);
      }
    }
  }

  private static <T> T await(Future<T> future, long timeoutMillis) throws WeftException {
    try {
      return future.get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw WeftException.of(e);
    } catch (TimeoutException e) {
      throw new WeftException(ErrorCode.UNAVAILABLE, "the OSD did not start in time", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WeftException(ErrorCode.CANCELLED, "the OSD was interrupted while it started", e);
    }
  }

  /**
   * Completes if another process is this OSD now: this one serves no client, and is to be closed.
   */
  public CompletionStage<WeftException> ended() {
    return assembly.deposed();
  }

  /** The number that SysMgr gave it. */
  public OsdId osdId() {
    return store.identity().osd().orElseThrow();
  }

  /** Where it listens, with the real port. */
  public Endpoint address() {
    return assembly.address();
  }

  /** What was read of the disk to see whether it is well. */
  public ScrubFigures scrubbed() {
    return assembly.scrubbed();
  }

  /** What of managers' copying and comparing waits for clients. */
  public BackgroundFigures background() {
    return assembly.background();
  }

  /** What is wrong with it, one sentence each. */
  public List<String> problems() {
    return assembly.problems();
  }

  /** For tests and for the status page of a process that holds several daemons. */
  public ObjectStore store() {
    return store;
  }

  /** A clean stop: leaves the cluster, answers what is under way, and leaves the clean mark. */
  @Override
  public void close() {
    close(parts);
  }

  /** An OSD that stops goes on stopping, whatever fails. */
  static void close(OpenParts parts) {
    try {
      parts.close();
    } catch (IOException e) {
      LOG.error("a part of the OSD did not close cleanly", e);
    }
  }
}
