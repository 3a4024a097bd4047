package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.weft.osd.check.CheckListener;
import org.weft.osd.check.CheckReport;
import org.weft.osd.check.StoreCheck;
import org.weft.osd.store.MutationOutcome;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.storage.MemoryKeyValueStore;
import org.weft.testkit.storage.MemorySegmentDirectory;
import org.weft.testkit.storage.StorageFaults;

/** A store on disks in memory and virtual time, that can be killed and lose power. */
final class Rig {
  static final PartitionId PARTITION = new PartitionId(7);
  static final long CAPACITY_BYTES = 32L << 20;

  final VirtualTime time;
  final RandomGenerator random;
  StoreOptions options;
  StorageFaults faults = new StorageFaults();
  MemoryKeyValueStore tables = new MemoryKeyValueStore(faults);
  MemorySegmentDirectory segments = new MemorySegmentDirectory(faults);
  OsdfsStore store;
  private int boot = 1;

  Rig(long seed, StoreOptions options) throws WeftException {
    this.time = new VirtualTime(seed);
    this.random = new SplittableRandom(seed);
    this.options = options;
    open();
    apply(new PartitionUpdate(PARTITION, List.of(new WorkingKey(1, new byte[32])), 1));
  }

  static Rig small() throws WeftException {
    return new Rig(1, StoreOptions.ofCapacity(CAPACITY_BYTES));
  }

  void open() throws WeftException {
    open(tables);
  }

  /** By way of other tables, which stand before those of the rig. */
  void open(KeyValueStore before) throws WeftException {
    store = OsdfsStore.open(options, before, segments, time, random, () -> "boot-" + boot);
  }

  /** The result of a mutation that must succeed. */
  Receipt apply(Mutation mutation) {
    return await(begin(mutation));
  }

  CompletionStage<Receipt> begin(Mutation mutation) {
    return begin(store, mutation);
  }

  /** The way that the daemon goes: at once if it can be, else with what there is to look up. */
  static CompletionStage<Receipt> begin(ObjectStore store, Mutation mutation) {
    return store.applyNow(mutation).orElseGet(() -> store.apply(mutation));
  }

  /** The same; never fails. */
  static CompletionStage<MutationOutcome> outcome(ObjectStore store, Mutation mutation) {
    return begin(store, mutation)
        .handle(
            (receipt, thrown) ->
                new MutationOutcome(receipt, thrown == null ? null : WeftException.of(thrown)));
  }

  List<MutationOutcome> applyAll(Mutation... mutations) {
    return await(store.applyAll(List.of(mutations)));
  }

  <T> T await(CompletionStage<T> stage) {
    return time.await(stage.toCompletableFuture());
  }

  /** The mutation fails with this code; gives the message. */
  String refuse(ErrorCode code, Mutation mutation) {
    CompletionException thrown =
        assertThrows(CompletionException.class, () -> await(begin(mutation)));
    WeftException why = WeftException.of(thrown);
    assertEquals(code, why.code(), why.getMessage());
    return why.getMessage();
  }

  void stop() {
    store.close();
    tables = tables.afterProcessDeath(newFaults());
    segments = segments.afterProcessDeath(faults);
  }

  /** kill -9 and a new start. */
  void restart() throws WeftException {
    kill();
    open();
  }

  void kill() {
    faults.losePower();
    tables = tables.afterProcessDeath(newFaults());
    segments = segments.afterProcessDeath(faults);
  }

  /** The power goes; what was not synced is lost in part. */
  void losePower() {
    faults.losePower();
    tables = tables.afterPowerLoss(newFaults(), random);
    segments = segments.afterPowerLoss(faults, random);
    boot++;
  }

  private StorageFaults newFaults() {
    faults = new StorageFaults();
    return faults;
  }

  CheckReport check(boolean readData) throws IOException {
    return StoreCheck.run(tables, segments, readData, CheckListener.NONE);
  }

  /** Nothing is wrong but that so many blocks do not match their checksums. */
  void assertDamaged(int blocks) throws IOException {
    CheckReport report = check(true);
    assertEquals(blocks, report.damaged().size(), () -> report.findings().toString());
    assertEquals(blocks, report.findings().size(), () -> report.findings().toString());
  }

  void assertSound() throws IOException {
    CheckReport report = check(true);
    assertTrue(report.isSound(), () -> report.findings().toString());
  }
}
