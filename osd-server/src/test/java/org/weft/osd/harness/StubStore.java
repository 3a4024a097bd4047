package org.weft.osd.harness;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.weft.osd.store.Medium;
import org.weft.osd.store.MutationOutcome;
import org.weft.osd.store.ObjectAttributes;
import org.weft.osd.store.ObjectListing;
import org.weft.osd.store.ObjectRead;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.PendingList;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.Stamps;
import org.weft.osd.store.StoreIdentity;
import org.weft.osd.store.StoreStatus;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.Delta;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;

/** A store that holds nothing; its status is whatever the test says, an exception too. */
public final class StubStore implements ObjectStore {
  private final Supplier<StoreStatus> status;
  private final Function<Mutation, CompletionStage<Receipt>> applied;

  public StubStore(Supplier<StoreStatus> status) {
    this(
        status,
        mutation -> CompletableFuture.failedStage(new UnsupportedOperationException("a stub")));
  }

  private StubStore(
      Supplier<StoreStatus> status, Function<Mutation, CompletionStage<Receipt>> applied) {
    this.status = status;
    this.applied = applied;
  }

  /** One that answers each single mutation as it is told. */
  public static StubStore answering(Function<Mutation, CompletionStage<Receipt>> applied) {
    return new StubStore(
        () -> {
          throw new UnsupportedOperationException("a stub");
        },
        applied);
  }

  @Override
  public StoreIdentity identity() {
    return new StoreIdentity(
        "0".repeat(32),
        Optional.empty(),
        Optional.empty(),
        1,
        "boot",
        false,
        new org.weft.osd.store.StoreHistory(7, java.util.List.of(7L), 0, 0, true));
  }

  @Override
  public long lastChange() {
    return 0;
  }

  @Override
  public void join(ClusterId cluster, OsdId osd) {}

  @Override
  public Optional<String> failure() {
    return Optional.empty();
  }

  @Override
  public boolean hasFailed() {
    return false;
  }

  @Override
  public boolean isSilent() {
    return false;
  }

  @Override
  public boolean isQuarantined() {
    return false;
  }

  @Override
  public boolean refusesClientsOf(PartitionId partition) {
    return false;
  }

  @Override
  public void quarantine(boolean quarantined, Set<PartitionId> open) {}

  @Override
  public StoreStatus status() {
    return status.get();
  }

  @Override
  public Optional<PartitionState> partition(PartitionId id) {
    return Optional.empty();
  }

  @Override
  public List<PartitionState> partitions() {
    return List.of();
  }

  @Override
  public CompletionStage<Receipt> apply(Mutation mutation) {
    return applied.apply(mutation);
  }

  @Override
  public Optional<CompletionStage<Receipt>> applyNow(Mutation mutation) {
    return Optional.empty();
  }

  @Override
  public CompletionStage<List<MutationOutcome>> applyAll(List<Mutation> mutations) {
    return CompletableFuture.failedStage(new UnsupportedOperationException("a stub"));
  }

  @Override
  public StoredRange read(ObjectRead request) {
    throw new UnsupportedOperationException("a stub");
  }

  @Override
  public Optional<StoredRange> readNow(ObjectRead request) {
    return Optional.empty();
  }

  @Override
  public Stamps stamps(ObjectRead request) {
    throw new UnsupportedOperationException("a stub");
  }

  @Override
  public PendingList listPending(ObjectName name, Authority authority) {
    throw new UnsupportedOperationException("a stub");
  }

  @Override
  public Delta readDelta(ObjectName name, Authority authority, long sequence) {
    throw new UnsupportedOperationException("a stub");
  }

  @Override
  public ObjectAttributes attributes(ObjectName name, Authority authority, int... pages) {
    throw new UnsupportedOperationException("a stub");
  }

  @Override
  public ObjectListing list(PartitionId partition, Authority authority, ObjectId after, int max) {
    throw new UnsupportedOperationException("a stub");
  }

  @Override
  public Medium medium() {
    throw new UnsupportedOperationException("a stub");
  }

  @Override
  public CompletionStage<Long> checkpointNow() {
    return CompletableFuture.failedStage(new UnsupportedOperationException("a stub"));
  }

  @Override
  public void close() {}
}
