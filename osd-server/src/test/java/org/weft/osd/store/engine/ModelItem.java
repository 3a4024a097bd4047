package org.weft.osd.store.engine;

import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.ObjectTag;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.Lsn;

/** An object of the {@link StoreModel}. */
final class ModelItem {
  static final int BLOCK = StoreModel.BLOCK;

  /** A stored block. */
  record Block(byte[] bytes, long grant, long sequence) {}

  /** What the pending list says of an id. */
  enum Arrival {
    NEW(null),
    KNOWN(null),
    ABORTED(ErrorCode.WRITE_ABORTED),
    CUT_DIFFERENTLY(ErrorCode.INVALID_ARGUMENT);

    private final ErrorCode error;

    Arrival(ErrorCode error) {
      this.error = error;
    }

    ErrorCode error() {
      return error;
    }
  }

  final ObjectTag tag;
  final SortedMap<Long, Block> blocks = new TreeMap<>();
  final SortedMap<Integer, AttributeValue> pages = new TreeMap<>();
  final SortedMap<Long, Long> completeUpTo = new TreeMap<>();
  final ModelPending pending = new ModelPending();
  long version;
  long resolvedBelow;
  long settledEof;
  int settledTruncation;
  long componentBytes;

  ModelItem(ObjectTag tag) {
    this.tag = tag;
  }

  ModelItem copy() {
    ModelItem copy = new ModelItem(tag);
    copy.blocks.putAll(blocks);
    copy.pages.putAll(pages);
    copy.completeUpTo.putAll(completeUpTo);
    copy.pending.addAll(pending);
    copy.version = version;
    copy.resolvedBelow = resolvedBelow;
    copy.settledEof = settledEof;
    copy.settledTruncation = settledTruncation;
    copy.componentBytes = componentBytes;
    return copy;
  }

  boolean leavesRecord(Authority authority) {
    return new Lsn(authority.grant()).index() != 0
        && (!authority.manager() || authority.grant() < version);
  }

  boolean isComplete(long grant, long sequence) {
    return grant < resolvedBelow || sequence <= completeUpTo.getOrDefault(grant, 0L);
  }

  void raiseFloor(long floor) {
    version = Math.max(version, floor);
    resolvedBelow = Math.max(resolvedBelow, floor);
    completeUpTo.keySet().removeIf(grant -> grant < resolvedBelow);
    settle();
  }

  void complete(long grant, long upTo) {
    if (grant >= resolvedBelow && upTo > 0) {
      completeUpTo.merge(grant, upTo, Math::max);
      settle();
    }
  }

  void settle() {
    for (ModelPending.Entry entry : pending.all()) {
      if (isComplete(entry.write().grant(), entry.write().lastSequence())) {
        if (entry.write().kind() != PendingKind.ABORTED) {
          establish(entry.write().truncationNumber(), entry.write().eofBytes());
        }
        pending.remove(entry);
      }
    }
  }

  void establish(int truncation, long eof) {
    if (truncation > settledTruncation) {
      settledTruncation = truncation;
      settledEof = eof;
    } else if (truncation == settledTruncation) {
      settledEof = Math.max(settledEof, eof);
    }
  }

  int truncation() {
    int truncation = settledTruncation;
    for (ModelPending.Entry entry : pending.all()) {
      truncation = Math.max(truncation, entry.write().truncationNumber());
    }
    return truncation;
  }

  long eof() {
    int truncation = truncation();
    long eof = truncation == settledTruncation ? settledEof : 0;
    for (ModelPending.Entry entry : pending.all()) {
      if (entry.write().truncationNumber() == truncation) {
        eof = Math.max(eof, entry.write().eofBytes());
      }
    }
    return eof;
  }

  Arrival arrival(long grant, long first, long last) {
    if (isComplete(grant, last)) {
      return Arrival.KNOWN;
    }
    long covered = 0;
    for (long sequence = first; sequence <= last; sequence++) {
      ModelPending.Entry entry = pending.of(grant, sequence);
      if (entry != null && entry.write().kind() == PendingKind.ABORTED) {
        return Arrival.ABORTED;
      }
      covered += entry == null ? 0 : 1;
    }
    if (covered == 0) {
      return Arrival.NEW;
    }
    return covered == last - first + 1 ? Arrival.KNOWN : Arrival.CUT_DIFFERENTLY;
  }

  /** True if some block has a pending write; of δs there may be several. */
  boolean isTaken(long first, long end, boolean byDelta) {
    return pending.overlapping(first, end).stream()
        .anyMatch(entry -> !byDelta || entry.write().kind() != PendingKind.XOR_DELTA);
  }

  /** Records of dead grants go; false if one of a live grant is in the way. */
  boolean makeWay(long first, long end) {
    for (ModelPending.Entry entry : pending.overlapping(first, end)) {
      if (entry.write().grant() >= version) {
        return false;
      }
      pending.remove(entry);
    }
    return true;
  }

  void xor(long block, byte[] delta, long grant, long sequence) {
    Block old = blocks.get(block);
    byte[] bytes = old == null ? new byte[BLOCK] : old.bytes();
    blocks.put(block, new Block(PendingRequests.xored(bytes, delta), grant, sequence));
  }

  boolean isStripe(long grant, long sequence) {
    ModelPending.Entry entry = pending.of(grant, sequence);
    return entry != null && entry.write().kind() == PendingKind.STRIPE;
  }

  /** Null if the write is not pending. */
  byte[] deltaOf(long grant, long sequence) {
    ModelPending.Entry entry = pending.of(grant, sequence);
    if (entry == null) {
      return null;
    }
    byte[] delta = new byte[(int) (entry.end() - entry.first()) * BLOCK];
    for (long block = entry.first(); block < entry.end(); block++) {
      byte[] part =
          entry.write().kind() == PendingKind.XOR_DELTA
              ? entry.delta().get(block)
              : PendingRequests.xored(bytes(entry.old().get(block)), bytes(blocks.get(block)));
      System.arraycopy(part, 0, delta, (int) (block - entry.first()) * BLOCK, BLOCK);
    }
    return delta;
  }

  private static byte[] bytes(Block block) {
    return block == null ? new byte[BLOCK] : block.bytes();
  }

  ErrorCode abort(long grant, long first, int count) {
    return pending.abort(this, grant, first, count);
  }

  void undo(ModelPending.Entry entry) {
    for (long block = entry.first(); block < entry.end(); block++) {
      if (entry.write().kind() == PendingKind.XOR_DELTA) {
        xor(block, entry.delta().get(block), entry.write().grant(), entry.write().firstSequence());
      } else if (entry.old().containsKey(block)) {
        blocks.put(block, entry.old().get(block));
      } else {
        blocks.remove(block);
      }
    }
  }

  long usedBlocks() {
    return blocks.size() + pending.keptBlocks();
  }
}
