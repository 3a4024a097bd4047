package org.weft.osd.store;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.Delta;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;

/**
 * Objects, attributes and partitions of one OSD. Thread-safe.
 *
 * <p>Calls do IO on the calling thread: never call from an event loop. Stages complete on some
 * thread that is inside a call of this store, or on the store's own; what hangs on them must not
 * block. They fail with a {@link WeftException}.
 *
 * <p>Mutations of one object that are given one after another, each without waiting for the last,
 * may commit in any order. A mutation whose stage has completed comes before every later call.
 */
public interface ObjectStore extends AutoCloseable {
  StoreIdentity identity();

  /** Number of the last change that was acknowledged, or a later one; from memory. */
  long lastChange();

  /**
   * Notes, durably, to which cluster the store belongs and which number it has there.
   *
   * @throws WeftException WRONG_CLUSTER, with both ids, if it belongs to another cluster or number
   */
  void join(ClusterId cluster, OsdId osd) throws WeftException;

  /**
   * The store takes no changes until the OSD is started again: clients may write around it, and
   * cannot tell it so. From memory.
   */
  boolean hasFailed();

  /** Why it has {@link #hasFailed failed}, one sentence; empty if it has not. From memory. */
  Optional<String> failure();

  /**
   * It has {@link #hasFailed failed}, and its next start would not know so yet, or ever. No caller
   * may be told that it failed. The OSD must not be heard, so that SysMgr calls it down. From
   * memory; to be asked after the other.
   */
  boolean isSilent();

  /** Clients are refused, but for those of some partitions; from memory. */
  boolean isQuarantined();

  /** Clients of the partition are refused; from memory. */
  boolean refusesClientsOf(PartitionId partition);

  /**
   * Notes durably whether clients are refused. It also says of which partitions they are not
   * refused. The process alone knows that, and after it all clients are refused until it is said
   * again (P 5.8). The store itself refuses no request.
   *
   * @param open only while quarantined
   * @throws WeftException BAD_MEDIA or UNAVAILABLE if it could not be noted; it holds until the
   *     store is closed
   */
  void quarantine(boolean quarantined, Set<PartitionId> open) throws WeftException;

  StoreStatus status();

  /** From memory. */
  Optional<PartitionState> partition(PartitionId id);

  /** All partitions by id, from memory. */
  List<PartitionState> partitions();

  /** Commits one mutation. */
  CompletionStage<Receipt> apply(Mutation mutation);

  /**
   * As {@link #apply}, if the mutation changes little of what memory knows; else empty, and nothing
   * was done. As far as memory can tell, it waits for no sync, no other thread and no read of the
   * disk. What it writes goes to the page cache, where a disk that cannot keep up makes writers
   * wait.
   */
  Optional<CompletionStage<Receipt>> applyNow(Mutation mutation);

  /**
   * Commits several mutations, in order, in one step: all that are not refused, or none. One
   * outcome for each. The stage fails if nothing was committed because the store could not.
   */
  CompletionStage<List<MutationOutcome>> applyAll(List<Mutation> mutations);

  /**
   * What is stored of a range.
   *
   * @throws WeftException NO_SUCH_PARTITION, NO_SUCH_OBJECT, FENCED, INVALID_ARGUMENT or BAD_MEDIA
   */
  StoredRange read(ObjectRead request) throws WeftException;

  /**
   * As {@link #read}, if all that has to be looked up is in memory; else empty. Never blocks.
   *
   * @throws WeftException as {@link #read} does
   */
  Optional<StoredRange> readNow(ObjectRead request) throws WeftException;

  /** Only the write ids of a range; throws like {@link #read}. */
  Stamps stamps(ObjectRead request) throws WeftException;

  /**
   * The pending list of an object (P 5.4, 5.5).
   *
   * @throws WeftException NO_SUCH_PARTITION, NO_SUCH_OBJECT, FENCED or BAD_MEDIA
   */
  PendingList listPending(ObjectName name, Authority authority) throws WeftException;

  /**
   * The δ of a pending XOR write as this component has it: old ⊕ new of the data unit, or what was
   * XORed onto a parity. Each block is checked.
   *
   * @param authority its grant is the write's
   * @throws WeftException NO_SUCH_PARTITION, NO_SUCH_OBJECT, FENCED, INVALID_ARGUMENT (no such XOR
   *     write is pending) or BAD_MEDIA
   */
  Delta readDelta(ObjectName name, Authority authority, long sequence) throws WeftException;

  /**
   * Attributes and figures of an object.
   *
   * @param pages numbers wanted; none for all
   * @throws WeftException NO_SUCH_PARTITION, NO_SUCH_OBJECT, FENCED or BAD_MEDIA
   */
  ObjectAttributes attributes(ObjectName name, Authority authority, int... pages)
      throws WeftException;

  /**
   * Objects of a partition whose id is larger than {@code after}.
   *
   * @param max at most 10,000 are given
   * @throws WeftException NO_SUCH_PARTITION, FENCED or BAD_MEDIA
   */
  ObjectListing list(PartitionId partition, Authority authority, ObjectId after, int max)
      throws WeftException;

  /**
   * Makes everything committed before the call durable (FLUSH). Completes with the number of the
   * checkpoint.
   */
  CompletionStage<Long> checkpointNow();

  /** What scrubbers look at. */
  Medium medium();

  /** Checkpoints, leaves the clean mark and frees everything; calls after it are refused. */
  @Override
  void close();
}
