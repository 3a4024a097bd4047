package org.weft.osd.store.engine;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.PendingWrite;
import org.weft.osd.store.mutation.AttributeUpdate;
import org.weft.osd.store.mutation.BlockRelease;
import org.weft.osd.store.mutation.BlockWrite;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.ObjectPunch;
import org.weft.osd.store.mutation.ObjectRemoval;
import org.weft.osd.store.mutation.ObjectTruncation;
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.osd.store.mutation.PartitionFence;
import org.weft.osd.store.mutation.VersionRaise;
import org.weft.osd.store.mutation.WriteAbort;
import org.weft.osd.store.mutation.WriteCompletion;
import org.weft.osd.store.mutation.XorApplication;
import org.weft.osd.store.mutation.XorExchange;
import org.weft.osd.store.mutation.XorWrite;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.CompletionMark;
import org.weft.osd.store.value.ObjectCreation;
import org.weft.osd.store.value.ObjectTag;
import org.weft.protocol.error.ErrorCode;

/**
 * What a store with one partition should do, block by block and with nothing behind it: the rules
 * of P 5.4, 5.7, 6.3 and 6.6 as a reader of them would write them down.
 */
final class StoreModel {
  static final int BLOCK = 4096;

  final SortedMap<Long, ModelItem> items = new TreeMap<>();
  private final SortedMap<Long, Long> tombstones = new TreeMap<>();
  private long createFloor;

  /** The δ that the last mutation must have given, if it was one that gives one. */
  byte[] delta;

  private long fence = 1;

  // Of the manager whose epoch that is.
  private long purgeRound;

  /** What the store must answer: null for success, else the error; success changes the model. */
  ErrorCode apply(Mutation mutation) {
    delta = null;
    ErrorCode refusal = change(mutation);
    if (refusal == null) {
      boolean fences = mutation instanceof PartitionFence;
      fence(fences ? ((PartitionFence) mutation).epoch() : authorityOf(mutation).epoch());
    }
    return refusal;
  }

  private void fence(long epoch) {
    if (epoch > fence) {
      fence = epoch;
      purgeRound = 0;
    }
  }

  private static Authority authorityOf(Mutation mutation) {
    if (mutation instanceof ObjectWrite write) {
      return write.authority();
    } else if (mutation instanceof XorExchange exchange) {
      return exchange.write().authority();
    } else if (mutation instanceof XorApplication xor) {
      return xor.write().authority();
    } else if (mutation instanceof WriteAbort abort) {
      return abort.authority();
    } else if (mutation instanceof WriteCompletion completion) {
      return completion.authority();
    } else if (mutation instanceof BlockWrite write) {
      return write.authority();
    } else if (mutation instanceof AttributeUpdate update) {
      return update.authority();
    } else if (mutation instanceof ObjectRemoval removal) {
      return removal.authority();
    } else if (mutation instanceof BlockRelease release) {
      return release.authority();
    } else if (mutation instanceof VersionRaise raise) {
      return raise.authority();
    }
    throw new AssertionError(mutation);
  }

  private ErrorCode change(Mutation mutation) {
    if (mutation instanceof ObjectWrite write) {
      return write(write);
    } else if (mutation instanceof XorExchange exchange) {
      return exchange(exchange.write());
    } else if (mutation instanceof XorApplication xor) {
      return applyDelta(xor.write());
    } else if (mutation instanceof WriteAbort abort) {
      return abort(abort);
    } else if (mutation instanceof WriteCompletion completion) {
      return complete(completion);
    } else if (mutation instanceof BlockWrite write) {
      return writeBlocks(write);
    } else if (mutation instanceof AttributeUpdate update) {
      return setAttributes(update);
    } else if (mutation instanceof ObjectRemoval removal) {
      return remove(removal);
    } else if (mutation instanceof ObjectTruncation truncation) {
      return truncate(truncation);
    } else if (mutation instanceof ObjectPunch punch) {
      return punch(punch);
    } else if (mutation instanceof VersionRaise raise) {
      return raise(raise);
    } else if (mutation instanceof PartitionFence next) {
      return next.epoch() < fence ? ErrorCode.FENCED : null;
    }
    throw new AssertionError(mutation);
  }

  long usedBlocks() {
    return items.values().stream().mapToLong(item -> item.usedBlocks()).sum();
  }

  private ErrorCode write(ObjectWrite write) {
    Authority authority = write.authority();
    long id = write.name().object().value();
    ModelItem item = items.get(id);
    ErrorCode refusal = writeRefusal(item, id, write);
    if (refusal != null) {
      return refusal;
    }
    byte[] data = bytes(write.bytes().data());
    long last = write.numbers().first() + write.numbers().count() - 1;
    boolean leaves = item == null ? !authority.manager() : item.leavesRecord(authority);
    if (item != null && leaves) {
      ModelItem.Arrival arrival = item.arrival(authority.grant(), write.numbers().first(), last);
      if (arrival != ModelItem.Arrival.NEW) {
        return arrival.error();
      }
    } else if (item != null && isKnown(item, write, data, last)) {
      return null;
    }
    if (item != null && write.length().truncationNumber() < item.truncation()) {
      return ErrorCode.FENCED;
    }
    ModelItem next =
        item == null ? new ModelItem(write.creation().tag().orElseThrow()) : item.copy();
    next.raiseFloor(authority.floor());
    next.complete(authority.grant(), write.numbers().completeUpTo());
    if (data.length > 0) {
      long first = write.bytes().offsetBytes() / BLOCK;
      long end = (write.bytes().offsetBytes() + data.length + BLOCK - 1) / BLOCK;
      if (leaves ? next.isTaken(first, end, false) : !next.makeWay(first, end)) {
        return ErrorCode.BUSY;
      }
      SortedMap<Long, ModelItem.Block> old = new TreeMap<>(next.blocks.subMap(first, end));
      store(next, write, data);
      if (leaves) {
        next.pending.add(recordOf(write, PendingKind.STRIPE, data.length), old, Map.of());
        next.settle();
      }
    } else if (leaves && write.numbers().count() > 0) {
      next.pending.add(recordOf(write, PendingKind.STRIPE, 0), new TreeMap<>(), Map.of());
      next.settle();
    }
    if (!leaves || write.numbers().count() == 0) {
      next.establish(write.length().truncationNumber(), write.length().eofBytes());
    }
    write.creation().attributes().ifPresent(page -> next.pages.putIfAbsent(page.page(), page));
    items.put(id, next);
    return null;
  }

  private ErrorCode writeRefusal(ModelItem item, long id, ObjectWrite write) {
    Authority authority = write.authority();
    if (authority.manager() && authority.epoch() < fence) {
      return ErrorCode.FENCED;
    }
    if (item != null) {
      return !authority.manager() && authority.grant() < item.version ? ErrorCode.FENCED : null;
    }
    if (write.creation().tag().isEmpty()) {
      return ErrorCode.NO_SUCH_OBJECT;
    }
    boolean buried = authority.grant() < tombstones.getOrDefault(id, 0L);
    return buried || authority.grant() < createFloor ? ErrorCode.TOMBSTONE : null;
  }

  private static PendingWrite recordOf(ObjectWrite write, PendingKind kind, long length) {
    return new PendingWrite(
        write.authority().grant(),
        write.numbers().first(),
        write.numbers().count(),
        kind,
        write.numbers().participants(),
        write.bytes().offsetBytes(),
        length,
        write.length().eofBytes(),
        write.length().truncationNumber());
  }

  private ErrorCode exchange(XorWrite xor) {
    ModelItem item = items.get(xor.name().object().value());
    ErrorCode refusal = xorRefusal(item, xor.authority());
    if (refusal != null) {
      return refusal;
    }
    long grant = xor.authority().grant();
    ModelItem.Arrival arrival = item.arrival(grant, xor.sequence(), xor.sequence());
    if (item.isComplete(grant, xor.sequence())) {
      return null;
    }
    if (arrival != ModelItem.Arrival.NEW) {
      delta = arrival == ModelItem.Arrival.KNOWN ? item.deltaOf(grant, xor.sequence()) : null;
      return arrival == ModelItem.Arrival.KNOWN && item.isStripe(grant, xor.sequence())
          ? ErrorCode.INVALID_ARGUMENT
          : arrival.error();
    }
    if (xor.length().truncationNumber() < item.truncation()) {
      return ErrorCode.FENCED;
    }
    ModelItem next = item.copy();
    next.raiseFloor(xor.authority().floor());
    next.complete(grant, xor.numbers().completeUpTo());
    byte[] data = bytes(xor.bytes().data());
    long first = xor.bytes().offsetBytes() / BLOCK;
    long end = (xor.bytes().offsetBytes() + data.length + BLOCK - 1) / BLOCK;
    if (next.isTaken(first, end, false)) {
      return ErrorCode.BUSY;
    }
    ObjectWrite write =
        new ObjectWrite(
            xor.name(),
            xor.authority(),
            xor.bytes(),
            xor.numbers(),
            xor.length(),
            ObjectCreation.NONE,
            false);
    SortedMap<Long, ModelItem.Block> old = new TreeMap<>(next.blocks.subMap(first, end));
    store(next, write, data);
    next.pending.add(recordOf(write, PendingKind.XOR_DATA, data.length), old, Map.of());
    delta = next.deltaOf(grant, xor.sequence());
    next.settle();
    items.put(xor.name().object().value(), next);
    return null;
  }

  private ErrorCode xorRefusal(ModelItem item, Authority authority) {
    if (authority.manager() && authority.epoch() < fence) {
      return ErrorCode.FENCED;
    }
    if (item == null) {
      return ErrorCode.NO_SUCH_OBJECT;
    }
    if (!authority.manager() && authority.grant() < item.version) {
      return ErrorCode.FENCED;
    }
    return item.leavesRecord(authority) ? null : ErrorCode.INVALID_ARGUMENT;
  }

  private ErrorCode applyDelta(XorWrite xor) {
    ModelItem item = items.get(xor.name().object().value());
    ErrorCode refusal = xorRefusal(item, xor.authority());
    if (refusal != null) {
      return refusal;
    }
    long grant = xor.authority().grant();
    ModelItem.Arrival arrival = item.arrival(grant, xor.sequence(), xor.sequence());
    if (arrival != ModelItem.Arrival.NEW) {
      return arrival.error();
    }
    if (xor.length().truncationNumber() < item.truncation()) {
      return ErrorCode.FENCED;
    }
    ModelItem next = item.copy();
    next.raiseFloor(xor.authority().floor());
    next.complete(grant, xor.numbers().completeUpTo());
    byte[] data = bytes(xor.bytes().data());
    long first = xor.bytes().offsetBytes() / BLOCK;
    long end = first + data.length / BLOCK;
    if (next.isTaken(first, end, true)) {
      return ErrorCode.BUSY;
    }
    SortedMap<Long, byte[]> parts = new TreeMap<>();
    for (long block = first; block < end; block++) {
      int from = (int) (block - first) * BLOCK;
      parts.put(block, Arrays.copyOfRange(data, from, from + BLOCK));
      next.xor(block, parts.get(block), grant, xor.sequence());
    }
    next.componentBytes = Math.max(next.componentBytes, end * BLOCK);
    PendingWrite record =
        new PendingWrite(
            grant,
            xor.sequence(),
            1,
            PendingKind.XOR_DELTA,
            xor.numbers().participants(),
            xor.bytes().offsetBytes(),
            data.length,
            xor.length().eofBytes(),
            xor.length().truncationNumber());
    next.pending.add(record, Map.of(), parts);
    next.settle();
    items.put(xor.name().object().value(), next);
    return null;
  }

  private ErrorCode abort(WriteAbort abort) {
    Authority authority = abort.authority();
    ModelItem item = items.get(abort.name().object().value());
    if (authority.manager() && authority.epoch() < fence) {
      return ErrorCode.FENCED;
    }
    if (item == null) {
      return ErrorCode.NO_SUCH_OBJECT;
    }
    if (!authority.manager() && authority.grant() < item.version) {
      return ErrorCode.FENCED;
    }
    if (item.isComplete(authority.grant(), abort.firstSequence())) {
      return ErrorCode.INVALID_ARGUMENT;
    }
    return item.abort(authority.grant(), abort.firstSequence(), abort.sequenceCount());
  }

  private ErrorCode complete(WriteCompletion completion) {
    Authority authority = completion.authority();
    ModelItem item = items.get(completion.name().object().value());
    if (authority.manager() && authority.epoch() < fence) {
      return ErrorCode.FENCED;
    }
    if (item == null) {
      return ErrorCode.NO_SUCH_OBJECT;
    }
    if (!authority.manager() && authority.grant() < item.version) {
      return ErrorCode.FENCED;
    }
    item.raiseFloor(authority.floor());
    item.complete(authority.grant(), completion.completeUpTo());
    if (completion.eofBytes() > 0) {
      item.establish(completion.truncationNumber(), completion.eofBytes());
    }
    return null;
  }

  private static byte[] bytes(List<ByteBuffer> data) {
    int length = data.stream().mapToInt(ByteBuffer::remaining).sum();
    ByteBuffer all = ByteBuffer.allocate(length);
    data.forEach(buffer -> all.put(buffer.duplicate()));
    return all.array();
  }

  private static long sequenceOf(ObjectWrite write, ObjectTag tag, long block) {
    if (write.numbers().count() == 1) {
      return write.numbers().first();
    }
    long stride = tag.unitBytes() / BLOCK;
    return write.numbers().first() + block / stride - write.bytes().offsetBytes() / BLOCK / stride;
  }

  private static boolean isKnown(ModelItem item, ObjectWrite write, byte[] data, long last) {
    long grant = write.authority().grant();
    if (last <= item.completeUpTo.getOrDefault(grant, 0L)) {
      return true;
    }
    long first = write.bytes().offsetBytes() / BLOCK;
    long end = (write.bytes().offsetBytes() + data.length + BLOCK - 1) / BLOCK;
    for (long block = first; block < end; block++) {
      ModelItem.Block stored = item.blocks.get(block);
      if (stored == null
          || stored.grant() != grant
          || stored.sequence() != sequenceOf(write, item.tag, block)) {
        return false;
      }
    }
    return data.length > 0;
  }

  private static void store(ModelItem item, ObjectWrite write, byte[] data) {
    int done = 0;
    while (done < data.length) {
      long position = write.bytes().offsetBytes() + done;
      long block = position / BLOCK;
      int place = (int) (position % BLOCK);
      int count = Math.min(data.length - done, BLOCK - place);
      ModelItem.Block old = item.blocks.get(block);
      byte[] bytes = old == null ? new byte[BLOCK] : old.bytes().clone();
      System.arraycopy(data, done, bytes, place, count);
      item.blocks.put(
          block,
          new ModelItem.Block(
              bytes, write.authority().grant(), sequenceOf(write, item.tag, block)));
      done += count;
    }
    if (data.length > 0) {
      item.componentBytes =
          Math.max(item.componentBytes, write.bytes().offsetBytes() + data.length);
    }
  }

  private ErrorCode writeBlocks(BlockWrite write) {
    if (write.authority().epoch() < fence) {
      return ErrorCode.FENCED;
    }
    long id = write.name().object().value();
    ModelItem item = items.get(id);
    if (item == null) {
      if (write.create().isEmpty()) {
        return ErrorCode.NO_SUCH_OBJECT;
      }
      if (Arrays.stream(write.lsns()).max().orElse(0) < tombstones.getOrDefault(id, 0L)) {
        return ErrorCode.TOMBSTONE;
      }
      if (isOfEarlierRound(write.authority())) {
        return ErrorCode.BUSY;
      }
    }
    ModelItem next = item == null ? new ModelItem(write.create().get()) : item.copy();
    ByteBuffer data = write.data().get(0).duplicate();
    for (int i = 0; i < write.numbers().length; i++) {
      byte[] bytes = new byte[BLOCK];
      data.get(bytes);
      long number = write.numbers()[i];
      ModelItem.Block old = next.blocks.get(number);
      if (old == null || old.grant() < write.lsns()[i]) {
        if (!next.makeWay(number, number + 1)) {
          return ErrorCode.BUSY;
        }
        next.blocks.put(number, new ModelItem.Block(bytes, write.lsns()[i], 0));
        next.componentBytes = Math.max(next.componentBytes, (number + 1) * BLOCK);
      }
    }
    items.put(id, next);
    next.establish(next.settledTruncation, write.eofBytes());
    return null;
  }

  private ErrorCode setAttributes(AttributeUpdate update) {
    if (update.authority().epoch() < fence) {
      return ErrorCode.FENCED;
    }
    long id = update.name().object().value();
    ModelItem item = items.get(id);
    if (item == null) {
      if (update.create().isEmpty()) {
        return ErrorCode.NO_SUCH_OBJECT;
      }
      long newest = update.pages().stream().mapToLong(AttributeValue::lsn).max().orElse(0);
      if (newest < tombstones.getOrDefault(id, 0L)) {
        return ErrorCode.TOMBSTONE;
      }
      if (isOfEarlierRound(update.authority())) {
        return ErrorCode.BUSY;
      }
      item = new ModelItem(update.create().get());
      items.put(id, item);
    }
    for (AttributeValue page : update.pages()) {
      AttributeValue old = item.pages.get(page.page());
      if (old == null || old.lsn() < page.lsn()) {
        item.pages.put(page.page(), page);
      }
    }
    item.raiseFloor(update.floor());
    for (CompletionMark mark : update.complete()) {
      item.complete(mark.grant(), mark.upTo());
    }
    raiseFloor(update.createFloor(), update.authority());
    return null;
  }

  private ErrorCode remove(ObjectRemoval removal) {
    if (removal.authority().epoch() < fence) {
      return ErrorCode.FENCED;
    }
    long id = removal.name().object().value();
    ModelItem item = items.get(id);
    if (item != null && removal.onlyIfAbsent()) {
      return ErrorCode.EXISTS;
    }
    if (item != null && removal.lsn() < item.version) {
      return ErrorCode.FENCED;
    }
    items.remove(id);
    tombstones.merge(id, removal.lsn(), Math::max);
    raiseFloor(removal.createFloor(), removal.authority());
    return null;
  }

  private void raiseFloor(long floor, Authority by) {
    if (floor > createFloor) {
      createFloor = floor;
      fence(by.epoch());
      if (tombstones.values().removeIf(lsn -> lsn < floor)) {
        purgeRound = Math.max(purgeRound, by.round());
      }
    }
  }

  /** Tombstones of what it would make may have been forgotten since. */
  private boolean isOfEarlierRound(Authority flush) {
    return flush.epoch() == fence && flush.round() < purgeRound;
  }

  /** What forbids it, or its having been done; null: the marks are made and it is to be done. */
  private ErrorCode refusal(ModelItem item, Authority authority) {
    if (item == null) {
      return ErrorCode.NO_SUCH_OBJECT;
    }
    return authority.grant() < item.version ? ErrorCode.FENCED : null;
  }

  private static boolean isComplete(ModelItem item, BlockRelease release) {
    return release.sequence() <= item.completeUpTo.getOrDefault(release.authority().grant(), 0L);
  }

  private static boolean goes(ModelItem.Block block, BlockRelease release) {
    return block.grant() < release.authority().grant()
        || (block.grant() == release.authority().grant() && block.sequence() <= release.sequence());
  }

  private ErrorCode truncate(ObjectTruncation truncation) {
    ModelItem item = items.get(truncation.name().object().value());
    ErrorCode refusal = refusal(item, truncation.authority());
    if (refusal != null || isComplete(item, truncation)) {
      return refusal;
    }
    item.raiseFloor(truncation.authority().floor());
    item.complete(truncation.authority().grant(), truncation.completeUpTo());
    item.establish(truncation.truncationNumber(), truncation.eofBytes());
    item.pending.cut(
        truncation.lengthBytes() / BLOCK, truncation.authority().grant(), truncation.sequence());
    SortedMap<Long, ModelItem.Block> tail = item.blocks.tailMap(truncation.lengthBytes() / BLOCK);
    tail.values().removeIf(block -> goes(block, truncation));
    if (tail.isEmpty()) {
      item.componentBytes = Math.min(item.componentBytes, truncation.lengthBytes());
    }
    return null;
  }

  private ErrorCode punch(ObjectPunch punch) {
    ModelItem item = items.get(punch.name().object().value());
    ErrorCode refusal = refusal(item, punch.authority());
    if (refusal != null || isComplete(item, punch)) {
      return refusal;
    }
    item.raiseFloor(punch.authority().floor());
    item.complete(punch.authority().grant(), punch.completeUpTo());
    long first = punch.offsetBytes() / BLOCK;
    item.blocks
        .subMap(first, first + punch.lengthBytes() / BLOCK)
        .values()
        .removeIf(block -> goes(block, punch) && Arrays.equals(block.bytes(), new byte[BLOCK]));
    return null;
  }

  private ErrorCode raise(VersionRaise raise) {
    if (raise.authority().epoch() < fence) {
      return ErrorCode.FENCED;
    }
    ModelItem item = items.get(raise.name().object().value());
    if (item == null) {
      return ErrorCode.NO_SUCH_OBJECT;
    }
    item.version = Math.max(item.version, raise.version());
    return null;
  }
}
