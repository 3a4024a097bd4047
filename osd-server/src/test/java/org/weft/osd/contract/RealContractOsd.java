package org.weft.osd.contract;

import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.weft.osd.check.CheckListener;
import org.weft.osd.check.CheckReport;
import org.weft.osd.check.StoreCheck;
import org.weft.osd.command.OsdCommandService;
import org.weft.osd.command.request.ClientGate;
import org.weft.osd.harness.FakeInbound;
import org.weft.osd.store.Durability;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.engine.OsdfsStore;
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;
import org.weft.testkit.storage.MemoryKeyValueStore;
import org.weft.testkit.storage.MemorySegmentDirectory;
import org.weft.testkit.storage.StorageFaults;

/** The command service on a store whose disks are in memory. */
final class RealContractOsd implements ContractOsd {
  private static final StoreOptions OPTIONS = StoreOptions.ofCapacity(32L << 20);

  private final VirtualTime time;
  private final RandomGenerator random;
  private final Environment environment;
  private StorageFaults faults = new StorageFaults();
  private MemoryKeyValueStore tables = new MemoryKeyValueStore(faults);
  private MemorySegmentDirectory segments = new MemorySegmentDirectory(faults);
  private OsdfsStore store;
  private OsdCommandService service;

  RealContractOsd(long seed) {
    time = new VirtualTime(seed);
    random = new SplittableRandom(seed);
    environment =
        new Environment(time, time, time, random, new VirtualWire(time, seed), () -> "boot");
    open();
    var keys = List.of(new WorkingKey(1, WORKING_KEY));
    var partition = new PartitionUpdate(new PartitionId(ContractCalls.PARTITION), keys, 1);
    var unused = time.await(store.apply(partition).toCompletableFuture());
  }

  private void open() {
    try {
      store = OsdfsStore.open(OPTIONS, tables, segments, time, random, () -> "boot");
    } catch (WeftException e) {
      throw new AssertionError(e);
    }
    service =
        new OsdCommandService(
            store,
            environment,
            Runnable::run,
            Durability.WRITE_BACK,
            new byte[32],
            ClientGate.OPEN);
    service.open();
  }

  @Override
  public Answer call(Opcode opcode, MessageLite body, byte[] payload) {
    FakeInbound call =
        ContractOsd.inbound(opcode, body, payload)
            .deadlineNanos(environment.ticker().nowNanos() + 600_000_000_000L);
    service.handle(call);
    var unused = time.await(call.answer().handle((answer, thrown) -> null));
    return ContractOsd.answer(call);
  }

  /** From now on its tables cannot be written. */
  void failTables() {
    faults.failWhere(
        operation -> operation.kind() == StorageFaults.Kind.KEY_WRITE, "input/output error");
  }

  /** From now on its tables cannot be written, nor can files be made. */
  void failTablesAndFolder() {
    faults.failWhere(
        operation ->
            operation.kind() == StorageFaults.Kind.KEY_WRITE
                || operation.kind() == StorageFaults.Kind.FOLDER_CHANGE,
        "input/output error");
  }

  boolean isSilent() {
    return store.isSilent();
  }

  /** As which it would join. */
  boolean mayLackWrites() {
    return store.identity().uncleanReboot();
  }

  @Override
  public void restart() {
    faults.losePower();
    faults = new StorageFaults();
    tables = tables.afterProcessDeath(faults);
    segments = segments.afterProcessDeath(faults);
    open();
  }

  @Override
  public void close() {
    store.close();
    faults = new StorageFaults();
    tables = tables.afterProcessDeath(faults);
    segments = segments.afterProcessDeath(faults);
    try {
      CheckReport report = StoreCheck.run(tables, segments, true, CheckListener.NONE);
      if (!report.isSound()) {
        throw new AssertionError("the store is not in order: " + report.findings());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
