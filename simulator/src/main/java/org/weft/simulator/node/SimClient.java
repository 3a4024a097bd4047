package org.weft.simulator.node;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.weft.client.ClientOptions;
import org.weft.client.FileLocks;
import org.weft.client.WeftClient;
import org.weft.client.WeftFileSystem;
import org.weft.client.cache.DataCacheCounts;
import org.weft.client.ids.FilesById;
import org.weft.client.internal.ClientParts;
import org.weft.client.internal.StreamTuning;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.hedge.HedgeLimits;
import org.weft.client.volume.KeepLocks;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Environment;
import org.weft.simulator.base.SimContext;
import org.weft.simulator.base.WorldOptions;
import org.weft.testkit.sim.SimProcess;

/** A client: the production library in a process of its own. */
public final class SimClient extends ProcessNode implements ClientNode {
  private static final StripeOptions STREAMS =
      StripeOptions.defaults()
          .withMemory(256 << 10, 32 << 10, 8 << 20)
          .withReads(64 << 10, 32 << 10, 2)
          // Far from patient: so that late units are rebuilt beside everything that may go wrong.
          .withHedges(new HedgeLimits(true, 1, 20, 100));

  /** A few pages where few nodes are kept, so that some have to go for others. */
  private static final int CACHED_BYTES_OF_ENTRY = 4 << 10;

  /** Prefix of the names of all clients. */
  static final String PREFIX = "client-";

  private static final String KEY = "a key of 16 bytes or more of ";

  private final ClusterPlace cluster;
  private final StripeOptions streams;
  private final boolean trusted;
  private CompletableFuture<WeftClient> connected = new CompletableFuture<>();
  private WeftClient client;
  private Optional<KeepLocks> keeping = Optional.empty();
  private Executor tasks = command -> {};

  /**
   * @param patient late units are waited for
   * @param trusted it has the join token
   */
  public SimClient(
      SimContext setting, int number, ClusterPlace cluster, boolean patient, boolean trusted) {
    super(setting, PREFIX + number);
    this.cluster = cluster;
    this.trusted = trusted;
    this.streams = patient ? STREAMS.withHedges(HedgeLimits.off()) : STREAMS;
  }

  @Override
  void run(SimProcess started) {
    tasks = started.environment().scheduler().newSerialExecutor("program");
    CompletableFuture<WeftClient> opening = new CompletableFuture<>();
    connected = opening;
    ClientOptions.Builder options =
        ClientOptions.builder(cluster.sysmgrs(), WorldOptions.SUPERUSER, tasks)
            .groups(List.of("supergroup"))
            .clientName(name() + "/" + life())
            .cachedEntries(setting().options().cachedEntries())
            .dataCacheBytes(CACHED_BYTES_OF_ENTRY * setting().options().cachedEntries());
    keeping.ifPresent(kept -> options.keepLocks(kept.millis(), kept.key().toByteArray()));
    StreamTuning.apply(options, streams);
    if (trusted) {
      options.joinToken(cluster.joinToken().get());
    }
    var unused =
        WeftClient.connect(options.build(), started.environment())
            .whenComplete(
                (opened, failure) -> {
                  if (process() != started) {
                    return;
                  }
                  if (failure == null) {
                    note("is connected");
                    client = opened;
                    opening.complete(opened);
                  } else {
                    exit(started, WeftException.of(failure).toString());
                    opening.completeExceptionally(WeftException.of(failure));
                  }
                });
  }

  @Override
  public void keepLocks(int millis) {
    keepLocks(millis, name());
  }

  @Override
  public void keepLocks(int millis, String key) {
    keeping = Optional.of(KeepLocks.of(millis, (KEY + key).getBytes(StandardCharsets.UTF_8)));
  }

  @Override
  public Environment environment() {
    return process().environment();
  }

  @Override
  void gone() {
    client = null;
  }

  @Override
  void stop(SimProcess asked) {
    if (client == null) {
      kill();
    } else {
      note("leaves");
      var unused = client.leave().whenComplete((nothing, failure) -> exit(asked, "has left"));
    }
  }

  @Override
  public boolean isBroken() {
    return false;
  }

  @Override
  public CompletableFuture<WeftClient> connected() {
    return connected;
  }

  @Override
  public WeftFileSystem files() {
    return connectedClient().fileSystem();
  }

  @Override
  public FileLocks locks() {
    return connectedClient().locks();
  }

  @Override
  public FilesById filesById() {
    return ClientParts.of(connectedClient()).filesById();
  }

  @Override
  public DataCacheCounts dataCacheCounts() {
    return ClientParts.of(connectedClient()).dataCacheCounts();
  }

  private WeftClient connectedClient() {
    if (client == null) {
      throw new IllegalStateException(name() + " is not connected");
    }
    return client;
  }

  @Override
  public Executor tasks() {
    return tasks;
  }
}
