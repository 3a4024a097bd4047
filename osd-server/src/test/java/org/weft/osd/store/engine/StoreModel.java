package org.weft.osd.store.engine;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.osd.store.AttributeUpdate;
import org.weft.osd.store.AttributeValue;
import org.weft.osd.store.Authority;
import org.weft.osd.store.BlockRelease;
import org.weft.osd.store.BlockWrite;
import org.weft.osd.store.Mutation;
import org.weft.osd.store.ObjectPunch;
import org.weft.osd.store.ObjectRemoval;
import org.weft.osd.store.ObjectTag;
import org.weft.osd.store.ObjectTruncation;
import org.weft.osd.store.ObjectWrite;
import org.weft.osd.store.PartitionFence;
import org.weft.osd.store.VersionRaise;
import org.weft.protocol.rpc.ErrorCode;

/**
 * What a store with one partition should do, block by block and with nothing behind it: the rules
 * of P 5.4, 5.7, 6.3 and 6.6 as a reader of them would write them down.
 */
final class StoreModel {
  static final int BLOCK = 4096;

  /** A stored block. */
  record Block(byte[] bytes, long grant, long sequence) {}

  /** An object. */
  static final class Item {
    final ObjectTag tag;
    final SortedMap<Long, Block> blocks = new TreeMap<>();
    final SortedMap<Integer, AttributeValue> pages = new TreeMap<>();
    final SortedMap<Long, Long> completeUpTo = new TreeMap<>();
    long version;
    long eofBytes;
    int truncationNumber;
    long componentBytes;

    Item(ObjectTag tag) {
      this.tag = tag;
    }

    boolean isPending(long grant, long sequence) {
      return sequence != 0 && grant >= version && sequence > completeUpTo.getOrDefault(grant, 0L);
    }

    private void raise(long least) {
      version = Math.max(version, least);
      completeUpTo.keySet().removeIf(grant -> grant < version);
    }

    private void complete(long grant, long upTo) {
      if (grant >= version && upTo > 0) {
        completeUpTo.merge(grant, upTo, Math::max);
      }
    }
  }

  final SortedMap<Long, Item> items = new TreeMap<>();
  private final SortedMap<Long, Long> tombstones = new TreeMap<>();
  private long createFloor;
  private long fence = 1;

  /** What the store must answer: null for success, else the error; success changes the model. */
  ErrorCode apply(Mutation mutation) {
    if (mutation instanceof ObjectWrite write) {
      return write(write);
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
      if (next.epoch() < fence) {
        return ErrorCode.FENCED;
      }
      fence = next.epoch();
      return null;
    }
    throw new AssertionError(mutation);
  }

  long usedBlocks() {
    return items.values().stream().mapToLong(item -> item.blocks.size()).sum();
  }

  private ErrorCode write(ObjectWrite write) {
    Authority authority = write.authority();
    long id = write.name().object().value();
    Item item = items.get(id);
    if (item != null && authority.grant() < item.version) {
      return ErrorCode.FENCED;
    }
    if (item == null && write.create().isEmpty()) {
      return ErrorCode.NO_SUCH_OBJECT;
    }
    if (item == null
        && (authority.grant() < tombstones.getOrDefault(id, 0L)
            || authority.grant() < createFloor)) {
      return ErrorCode.TOMBSTONE;
    }
    byte[] data = bytes(write);
    long last = write.firstSequence() + write.sequenceCount() - 1;
    if (item != null && isKnown(item, write, data, last)) {
      return null;
    }
    if (item != null && write.truncationNumber() < item.truncationNumber) {
      return ErrorCode.FENCED;
    }
    Item next = item == null ? new Item(write.create().orElseThrow()) : item;
    long versionThen = Math.max(next.version, authority.floor());
    if (isBusy(next, write, data, versionThen)) {
      return ErrorCode.BUSY;
    }
    next.raise(authority.floor());
    next.complete(authority.grant(), write.completeUpTo());
    establish(next, write.truncationNumber(), write.eofBytes());
    store(next, write, data);
    write.initialAttributes().ifPresent(page -> next.pages.putIfAbsent(page.page(), page));
    items.put(id, next);
    return null;
  }

  private static byte[] bytes(ObjectWrite write) {
    int length = write.data().stream().mapToInt(ByteBuffer::remaining).sum();
    ByteBuffer all = ByteBuffer.allocate(length);
    write.data().forEach(buffer -> all.put(buffer.duplicate()));
    return all.array();
  }

  private static long sequenceOf(ObjectWrite write, ObjectTag tag, long block) {
    if (write.sequenceCount() == 1) {
      return write.firstSequence();
    }
    long stride = tag.unitBytes() / BLOCK;
    return write.firstSequence() + block / stride - write.offsetBytes() / BLOCK / stride;
  }

  private static boolean isKnown(Item item, ObjectWrite write, byte[] data, long last) {
    long grant = write.authority().grant();
    if (last <= item.completeUpTo.getOrDefault(grant, 0L)) {
      return true;
    }
    long first = write.offsetBytes() / BLOCK;
    long end = (write.offsetBytes() + data.length + BLOCK - 1) / BLOCK;
    for (long block = first; block < end; block++) {
      Block stored = item.blocks.get(block);
      if (stored == null
          || stored.grant() != grant
          || stored.sequence() != sequenceOf(write, item.tag, block)) {
        return false;
      }
    }
    return data.length > 0;
  }

  private static boolean isBusy(Item item, ObjectWrite write, byte[] data, long version) {
    long grant = write.authority().grant();
    for (int done = 0; done < data.length; done++) {
      long block = (write.offsetBytes() + done) / BLOCK;
      Block stored = item.blocks.get(block);
      if (stored == null || stored.grant() < version) {
        continue;
      }
      long upTo = item.completeUpTo.getOrDefault(stored.grant(), 0L);
      if (stored.grant() == grant) {
        upTo = Math.max(upTo, write.completeUpTo());
      }
      boolean same =
          stored.grant() == grant && stored.sequence() == sequenceOf(write, item.tag, block);
      if (!same && stored.sequence() > upTo) {
        return true;
      }
    }
    return false;
  }

  private static void store(Item item, ObjectWrite write, byte[] data) {
    int done = 0;
    while (done < data.length) {
      long position = write.offsetBytes() + done;
      long block = position / BLOCK;
      int place = (int) (position % BLOCK);
      int count = Math.min(data.length - done, BLOCK - place);
      Block old = item.blocks.get(block);
      byte[] bytes = old == null ? new byte[BLOCK] : old.bytes().clone();
      System.arraycopy(data, done, bytes, place, count);
      item.blocks.put(
          block, new Block(bytes, write.authority().grant(), sequenceOf(write, item.tag, block)));
      done += count;
    }
    if (data.length > 0) {
      item.componentBytes = Math.max(item.componentBytes, write.offsetBytes() + data.length);
    }
  }

  private static void establish(Item item, int truncation, long eof) {
    if (truncation > item.truncationNumber) {
      item.truncationNumber = truncation;
      item.eofBytes = eof;
    } else if (truncation == item.truncationNumber) {
      item.eofBytes = Math.max(item.eofBytes, eof);
    }
  }

  private ErrorCode writeBlocks(BlockWrite write) {
    if (write.authority().epoch() < fence) {
      return ErrorCode.FENCED;
    }
    long id = write.name().object().value();
    Item item = items.get(id);
    if (item == null) {
      if (write.create().isEmpty()) {
        return ErrorCode.NO_SUCH_OBJECT;
      }
      if (Arrays.stream(write.lsns()).max().orElse(0) < tombstones.getOrDefault(id, 0L)) {
        return ErrorCode.TOMBSTONE;
      }
      item = new Item(write.create().get());
      items.put(id, item);
    }
    ByteBuffer data = write.data().get(0).duplicate();
    for (int i = 0; i < write.numbers().length; i++) {
      byte[] bytes = new byte[BLOCK];
      data.get(bytes);
      Block old = item.blocks.get(write.numbers()[i]);
      if (old == null || old.grant() < write.lsns()[i]) {
        item.blocks.put(write.numbers()[i], new Block(bytes, write.lsns()[i], 0));
        item.componentBytes = Math.max(item.componentBytes, (write.numbers()[i] + 1) * BLOCK);
      }
    }
    item.eofBytes = Math.max(item.eofBytes, write.eofBytes());
    return null;
  }

  private ErrorCode setAttributes(AttributeUpdate update) {
    if (update.authority().epoch() < fence) {
      return ErrorCode.FENCED;
    }
    long id = update.name().object().value();
    Item item = items.get(id);
    if (item == null) {
      if (update.create().isEmpty()) {
        return ErrorCode.NO_SUCH_OBJECT;
      }
      long newest = update.pages().stream().mapToLong(AttributeValue::lsn).max().orElse(0);
      if (newest < tombstones.getOrDefault(id, 0L)) {
        return ErrorCode.TOMBSTONE;
      }
      item = new Item(update.create().get());
      items.put(id, item);
    }
    for (AttributeValue page : update.pages()) {
      AttributeValue old = item.pages.get(page.page());
      if (old == null || old.lsn() < page.lsn()) {
        item.pages.put(page.page(), page);
      }
    }
    if (update.completeGrant() != 0) {
      item.complete(update.completeGrant(), update.completeUpTo());
    }
    raiseFloor(update.createFloor());
    return null;
  }

  private ErrorCode remove(ObjectRemoval removal) {
    if (removal.authority().epoch() < fence) {
      return ErrorCode.FENCED;
    }
    long id = removal.name().object().value();
    items.remove(id);
    tombstones.merge(id, removal.lsn(), Math::max);
    raiseFloor(removal.createFloor());
    return null;
  }

  private void raiseFloor(long floor) {
    if (floor > createFloor) {
      createFloor = floor;
      tombstones.values().removeIf(lsn -> lsn < floor);
    }
  }

  /** What forbids it, or its having been done; null: the marks are made and it is to be done. */
  private ErrorCode refusal(Item item, Authority authority) {
    if (item == null) {
      return ErrorCode.NO_SUCH_OBJECT;
    }
    return authority.grant() < item.version ? ErrorCode.FENCED : null;
  }

  private static boolean isComplete(Item item, BlockRelease release) {
    return release.sequence() <= item.completeUpTo.getOrDefault(release.authority().grant(), 0L);
  }

  private static boolean goes(Block block, BlockRelease release) {
    return block.grant() < release.authority().grant()
        || (block.grant() == release.authority().grant() && block.sequence() <= release.sequence());
  }

  private ErrorCode truncate(ObjectTruncation truncation) {
    Item item = items.get(truncation.name().object().value());
    ErrorCode refusal = refusal(item, truncation.authority());
    if (refusal != null || isComplete(item, truncation)) {
      return refusal;
    }
    item.raise(truncation.authority().floor());
    item.complete(truncation.authority().grant(), truncation.completeUpTo());
    establish(item, truncation.truncationNumber(), truncation.eofBytes());
    SortedMap<Long, Block> tail = item.blocks.tailMap(truncation.lengthBytes() / BLOCK);
    tail.values().removeIf(block -> goes(block, truncation));
    if (tail.isEmpty()) {
      item.componentBytes = Math.min(item.componentBytes, truncation.lengthBytes());
    }
    return null;
  }

  private ErrorCode punch(ObjectPunch punch) {
    Item item = items.get(punch.name().object().value());
    ErrorCode refusal = refusal(item, punch.authority());
    if (refusal != null || isComplete(item, punch)) {
      return refusal;
    }
    item.raise(punch.authority().floor());
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
    Item item = items.get(raise.name().object().value());
    if (item == null) {
      return ErrorCode.NO_SUCH_OBJECT;
    }
    item.raise(raise.version());
    return null;
  }
}
