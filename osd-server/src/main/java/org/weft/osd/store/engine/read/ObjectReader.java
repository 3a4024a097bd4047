package org.weft.osd.store.engine.read;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.weft.osd.store.ObjectAttributes;
import org.weft.osd.store.ObjectListing;
import org.weft.osd.store.ObjectRead;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.Stamps;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.engine.change.MutationAdmission;
import org.weft.osd.store.engine.commit.Committer;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.engine.state.Values;
import org.weft.osd.store.format.AttributeCodec;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecords;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.space.BlockRange;
import org.weft.osd.store.space.Pins;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.BlockRun;
import org.weft.osd.store.value.Stamp;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.KeyValueStore;

/**
 * Carries out all requests that only read. Takes no lock and never waits for a commit of another
 * object.
 */
public final class ObjectReader {
  private static final int BLOCK_BYTES = HeaderCodec.BLOCK_BYTES;
  private static final int MAX_LISTED = 10_000;

  private final StoreState store;
  private final ConsistentView views;

  /** Of this store; the committer looks where commits come too fast. */
  public ObjectReader(StoreState store, Committer committer) {
    this.store = store;
    this.views = new ConsistentView(store, committer);
  }

  /**
   * Bytes of an object, with their checksums.
   *
   * @throws WeftException if the read is refused
   * @throws IOException of the tables
   */
  public StoredRange read(ObjectRead request) throws IOException {
    requireRange(request);
    return read(request, true, () -> Optional.of(view(request))).orElseThrow();
  }

  /** Empty if the key-value store would have to be asked, or the disk be waited for. */
  public Optional<StoredRange> readNow(ObjectRead request) throws IOException {
    requireRange(request);
    if (store.segments().keepsWaiting()) {
      return Optional.empty();
    }
    return read(request, false, () -> knownView(request));
  }

  /** Where something is looked up while all blocks are pinned. */
  @FunctionalInterface
  private interface Found {
    Optional<ConsistentView.View<Stored>> view() throws IOException;
  }

  private Optional<StoredRange> read(ObjectRead request, boolean mayWait, Found found)
      throws IOException {
    Pins.Pin pin = store.pins().everything();
    boolean given = false;
    try {
      Optional<ConsistentView.View<Stored>> seen = found.view();
      if (seen.isEmpty()) {
        return Optional.empty();
      }
      ConsistentView.View<Stored> view = seen.get();
      List<BlockRange> ranges = ranges(view.found().extents());
      pin.narrow(ranges);
      int[] crcs = crcs(view.found().extents());
      SalvagedBlocks salvage = new SalvagedBlocks(store, ranges, crcs);
      boolean isDoubtful = salvage.isDoubtful();
      if (isDoubtful && !mayWait) {
        return Optional.empty();
      }
      ObjectRecord record = view.found().pending().effective(view.record());
      StoredRange result =
          new StoredRange(
              record.eofBytes(),
              record.truncationNumber(),
              record.tag().mapGeneration(),
              runs(view.found().extents()),
              crcs,
              isDoubtful
                  ? salvaged(salvage, pin)
                  : StoredPayload.of(payloads(ranges), salvage, pin::release),
              isPending(view, request),
              request.withStamps() ? stamps(view.found().extents()) : List.of());
      given = true;
      return Optional.of(result);
    } finally {
      if (!given) {
        pin.release();
      }
    }
  }

  private static Payload salvaged(SalvagedBlocks salvage, Pins.Pin pin) throws WeftException {
    try {
      return Payload.of(salvage.read(), pin::release);
    } catch (UncheckedIOException e) {
      throw new WeftException(ErrorCode.UNAVAILABLE, "the object store is closed", e);
    }
  }

  private List<Payload> payloads(List<BlockRange> ranges) {
    return ranges.stream().map(store.segments()::payload).toList();
  }

  /**
   * By which writes the blocks of a range were written.
   *
   * @throws WeftException if the read is refused
   * @throws IOException of the tables
   */
  public Stamps stamps(ObjectRead request) throws IOException {
    requireRange(request);
    ConsistentView.View<Stored> view = view(request);
    return new Stamps(stamps(view.found().extents()), isPending(view, request));
  }

  /** Attribute pages, and what is pending in the object. */
  private record Attributes(List<AttributeValue> pages, PendingRecords pending) {}

  /**
   * Attribute pages of an object.
   *
   * @throws WeftException if the read is refused
   * @throws IOException of the tables
   */
  public ObjectAttributes attributes(ObjectName name, Authority authority, int[] pages)
      throws IOException {
    requirePartition(name.partition(), authority);
    ConsistentView.View<Attributes> view =
        views.of(
            name,
            (values, record) ->
                new Attributes(pages(values, record, pages), values.pending(record)));
    requireAllowed(view == null ? null : view.record(), name, authority);
    ObjectRecord record = view.found().pending().effective(view.record());
    return new ObjectAttributes(
        view.found().pages(),
        record.tag(),
        record.eofBytes(),
        record.truncationNumber(),
        record.version(),
        record.usedBlocks() * BLOCK_BYTES,
        record.componentBytes(),
        !view.found().pending().after(view.record()).isEmpty());
  }

  /**
   * Objects of a partition in the order of their ids.
   *
   * @param after where the list goes on; not in it
   * @param max at most so many
   * @throws WeftException if the list is refused
   * @throws IOException of the tables
   */
  public ObjectListing list(PartitionId partition, Authority authority, ObjectId after, int max)
      throws IOException {
    requirePartition(partition, authority);
    int limit = Math.min(max, MAX_LISTED);
    if (limit < 1) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, "a list needs room for one object");
    }
    List<ObjectId> objects = new ArrayList<>();
    boolean more = false;
    byte[] end = StoreKeys.after(StoreKeys.prefix(StoreKeys.OBJECT, partition.value()));
    if (after.value() != -1) {
      byte[] from = StoreKeys.object(new ObjectName(partition, new ObjectId(after.value() + 1)));
      try (KeyValueStore.Cursor cursor = store.values().scan(from, end)) {
        while (!more && cursor.next()) {
          more = objects.size() == limit;
          if (!more) {
            objects.add(StoreKeys.nameOf(cursor.key()).object());
          }
        }
      }
    }
    return new ObjectListing(List.copyOf(objects), more);
  }

  private static void requireRange(ObjectRead request) throws WeftException {
    if (request.offsetBytes() < 0
        || request.lengthBytes() < 0
        || request.lengthBytes() > ObjectRead.MAX_BYTES
        || request.offsetBytes() > FileLimits.MAX_COMPONENT_BYTES) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a read of "
              + request.lengthBytes()
              + " bytes at "
              + request.offsetBytes()
              + " is out of range; at most "
              + ObjectRead.MAX_BYTES
              + " bytes are read at once, and a component has at most "
              + FileLimits.MAX_COMPONENT_BYTES);
    }
  }

  private ConsistentView.View<Stored> view(ObjectRead request) throws IOException {
    ObjectName name = request.name();
    requirePartition(name.partition(), request.authority());
    ConsistentView.View<Stored> view =
        views.of(name, (values, record) -> stored(values, record, request));
    requireAllowed(view == null ? null : view.record(), name, request.authority());
    return view;
  }

  private Optional<ConsistentView.View<Stored>> knownView(ObjectRead request) throws IOException {
    ObjectName name = request.name();
    requirePartition(name.partition(), request.authority());
    Optional<ConsistentView.View<Stored>> view =
        views.known(name, (values, record) -> stored(values, record, request));
    if (view.isPresent()) {
      requireAllowed(view.get().record(), name, request.authority());
    }
    return view;
  }

  private void requirePartition(PartitionId id, Authority authority) throws WeftException {
    PartitionState partition = store.partitions().get(id);
    MutationAdmission.requirePartition(partition, id);
    MutationAdmission.requireEpoch(partition, authority);
  }

  private static ObjectRecord requireAllowed(
      ObjectRecord record, ObjectName name, Authority authority) throws WeftException {
    MutationAdmission.requireObject(record, name);
    MutationAdmission.requireVersion(record, name, authority);
    return record;
  }

  /** What a range holds, and what is pending in the object. */
  private record Stored(List<Extent> extents, PendingRecords pending) {}

  private static Stored stored(Values values, ObjectRecord record, ObjectRead request)
      throws IOException {
    return new Stored(extents(values, record, request), values.pending(record));
  }

  private static List<Extent> extents(Values values, ObjectRecord record, ObjectRead request)
      throws IOException {
    // Nothing is stored behind the component's end: spare the lookups.
    long end = (record.componentBytes() + BLOCK_BYTES - 1) / BLOCK_BYTES;
    List<Extent> extents = new ArrayList<>();
    ExtentPage page = null;
    for (BlockRun run : request.wanted(end)) {
      for (long n = ExtentPage.of(run.firstBlock()); n <= ExtentPage.of(run.endBlock() - 1); n++) {
        if (page == null || page.number() != n) {
          page = values.page(record.handle(), n);
        }
        extents.addAll(page.within(run.firstBlock(), run.endBlock()));
      }
    }
    return extents;
  }

  /** Where the blocks lie, neighbours joined. */
  private static List<BlockRange> ranges(List<Extent> extents) {
    List<BlockRange> ranges = new ArrayList<>();
    for (Extent extent : extents) {
      BlockRange last = ranges.isEmpty() ? null : ranges.get(ranges.size() - 1);
      if (last != null
          && last.segment() == extent.segment()
          && last.endBlock() == extent.segmentBlock()) {
        int count = last.blockCount() + extent.blockCount();
        ranges.set(ranges.size() - 1, new BlockRange(last.segment(), last.firstBlock(), count));
      } else {
        ranges.add(new BlockRange(extent.segment(), extent.segmentBlock(), extent.blockCount()));
      }
    }
    return ranges;
  }

  private static List<BlockRun> runs(List<Extent> extents) {
    List<BlockRun> runs = new ArrayList<>();
    for (Extent extent : extents) {
      BlockRun last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
      if (last != null && last.firstBlock() + last.blockCount() == extent.firstBlock()) {
        runs.set(
            runs.size() - 1,
            new BlockRun(last.firstBlock(), last.blockCount() + extent.blockCount()));
      } else {
        runs.add(new BlockRun(extent.firstBlock(), extent.blockCount()));
      }
    }
    return List.copyOf(runs);
  }

  private static int[] crcs(List<Extent> extents) {
    int count = 0;
    for (Extent extent : extents) {
      count += extent.blockCount();
    }
    int[] crcs = new int[count];
    int done = 0;
    for (Extent extent : extents) {
      System.arraycopy(extent.crcs(), 0, crcs, done, extent.blockCount());
      done += extent.blockCount();
    }
    return crcs;
  }

  /**
   * True if a write in the range is not known to be complete (P 5.4, 5.6), whichever client wrote
   * it. What a dead writer left counts, for it may yet be undone (P 5.5).
   */
  private static boolean isPending(ConsistentView.View<Stored> view, ObjectRead request) {
    PendingRecords pending = view.found().pending();
    return request.wanted(Long.MAX_VALUE).stream()
        .anyMatch(run -> !pending.overlapping(run.firstBlock(), run.endBlock()).isEmpty());
  }

  private static List<Stamp> stamps(List<Extent> extents) {
    List<Stamp> stamps = new ArrayList<>();
    for (Extent extent : extents) {
      long first = extent.firstBlock();
      while (first < extent.endBlock()) {
        long end =
            extent.strideBlocks() == 0
                ? extent.endBlock()
                : Math.min(
                    extent.endBlock(), (first / extent.strideBlocks() + 1) * extent.strideBlocks());
        add(
            stamps,
            new Stamp(first, (int) (end - first), extent.grant(), extent.sequenceAt(first)));
        first = end;
      }
    }
    return List.copyOf(stamps);
  }

  private static void add(List<Stamp> stamps, Stamp next) {
    Stamp last = stamps.isEmpty() ? null : stamps.get(stamps.size() - 1);
    if (last != null
        && last.grant() == next.grant()
        && last.sequence() == next.sequence()
        && last.firstBlock() + last.blockCount() == next.firstBlock()) {
      stamps.set(
          stamps.size() - 1,
          new Stamp(
              last.firstBlock(),
              last.blockCount() + next.blockCount(),
              last.grant(),
              last.sequence()));
    } else {
      stamps.add(next);
    }
  }

  private List<AttributeValue> pages(Values values, ObjectRecord record, int[] wanted)
      throws IOException {
    List<AttributeValue> pages = new ArrayList<>();
    if (wanted.length == 0) {
      byte[] prefix = StoreKeys.prefix(StoreKeys.ATTRIBUTE, record.handle());
      try (KeyValueStore.Cursor cursor = store.values().scan(prefix, StoreKeys.after(prefix))) {
        while (cursor.next()) {
          int page = StoreKeys.attributePageOf(cursor.key());
          pages.add(AttributeCodec.decode(page, cursor.value()));
        }
      }
      return pages;
    }
    for (int page : Arrays.stream(wanted).distinct().sorted().toArray()) {
      byte[] value = values.get(StoreKeys.attribute(record.handle(), page));
      if (value != null) {
        pages.add(AttributeCodec.decode(page, value));
      }
    }
    return pages;
  }
}
