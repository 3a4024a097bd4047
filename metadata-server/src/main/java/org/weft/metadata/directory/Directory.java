package org.weft.metadata.directory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.protocol.id.Lsn;

/**
 * Operations on the blocks of one directory: extendible hashing on the high bits of a keyed hash of
 * the name (Fagin et al. 1979; P 6.7). Reads only the header, the index nodes on the way, and the
 * bucket. Not thread-safe; keeps nothing between calls.
 */
public final class Directory {
  /** Buckets that one listing asks for at once. */
  private static final int MAX_PREFETCH = 64;

  /** Entries expected in a bucket, to guess how many buckets a listing will need. */
  private static final int USUAL_ENTRIES = 32;

  private final BlockView blocks;
  private final NameHash hash;

  public Directory(BlockView blocks) {
    this(blocks, NameHash.KEYED);
  }

  Directory(BlockView blocks, NameHash hash) {
    this.blocks = blocks;
    this.hash = hash;
  }

  /** Makes an empty directory, whatever was there. */
  public void create(HashKey key, Lsn lsn) {
    byte[] header =
        DirectoryBlock.seal(
            HeaderBlock.blank(key).bytes(), blocks.directory(), DirectoryBlock.HEADER, lsn);
    blocks.write(DirectoryBlock.HEADER, header);
  }

  /** LSN of the last record that changed the directory. */
  public BlockResult<Lsn> lsn() {
    return header().then(header -> BlockResult.done(DirectoryBlock.lsnOf(header)));
  }

  /** How many names are in it. */
  public BlockResult<Long> entryCount() {
    return header().then(header -> BlockResult.done(HeaderBlock.entriesOf(header)));
  }

  /** One more than the largest number of a block that may be in use. */
  public BlockResult<Integer> endBlock() {
    return header().then(header -> BlockResult.done(HeaderBlock.endBlockOf(header)));
  }

  public BlockResult<Optional<DirectoryEntry>> lookup(String name) {
    byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
    return spot(nameBytes)
        .then(
            spot ->
                BlockResult.done(
                    spot.bucket() == null
                        ? Optional.empty()
                        : Bucket.of(spot.bucket()).find(spot.place(), nameBytes)));
  }

  /** The same with the cookie at which a listing shows it. */
  public BlockResult<Optional<NamedEntry>> find(String name) {
    byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
    return spot(nameBytes)
        .then(
            spot -> {
              Optional<Bucket> bucket = Optional.ofNullable(spot.bucket()).map(Bucket::of);
              return BlockResult.done(
                  bucket
                      .flatMap(there -> there.find(spot.place(), nameBytes))
                      .map(
                          entry ->
                              new NamedEntry(
                                  name, bucket.get().cookieOf(spot.place(), nameBytes), entry)));
            });
  }

  /** Lets the name lead to the entry; true if it led nowhere before. */
  public BlockResult<Boolean> put(String name, DirectoryEntry entry, Lsn lsn) {
    byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
    return spot(nameBytes)
        .then(
            spot -> {
              DirectoryEdit edit = new DirectoryEdit(blocks);
              boolean isNew = edit.put(spot.place(), nameBytes, entry);
              edit.write(lsn);
              return BlockResult.done(isNew);
            });
  }

  /** Lets the name lead nowhere; false if it did before. */
  public BlockResult<Boolean> remove(String name, Lsn lsn) {
    byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
    return spot(nameBytes)
        .then(
            spot -> {
              DirectoryEdit edit = new DirectoryEdit(blocks);
              boolean existed = edit.remove(spot.place(), nameBytes);
              edit.write(lsn);
              return BlockResult.done(existed);
            });
  }

  /**
   * Entries with larger cookies, in their order, at most {@code max}; cookie 0 begins at the start.
   * An entry that exists from the first page to the last is in exactly one of them.
   */
  public BlockResult<DirectoryPage> list(long afterCookie, int max) {
    if (afterCookie < 0) {
      return BlockResult.done(new DirectoryPage(List.of(), true));
    }
    return header().then(header -> listFrom(afterCookie, Math.max(1, max)));
  }

  private BlockResult<DirectoryPage> listFrom(long afterCookie, int max) {
    List<NamedEntry> entries = new ArrayList<>();
    List<Integer> missing = new ArrayList<>();
    long place = NameHash.placeOfCookie(afterCookie);
    while (true) {
      IndexPath path = IndexPath.to(place, this::node);
      if (path.leaf() != 0) {
        if (entries.size() == max) {
          return BlockResult.done(new DirectoryPage(entries, false));
        }
        byte[] block = path.isMissing() ? null : blocks.read(path.leaf());
        if (block == null) {
          missing.add(path.leaf());
        } else if (missing.isEmpty() && !listBucket(Bucket.of(block), afterCookie, max, entries)) {
          return BlockResult.done(new DirectoryPage(entries, false));
        }
      }
      if (path.isMissing() || isEnough(entries.size(), missing.size(), max)) {
        return BlockResult.need(missing);
      }
      long lastCookie = lastCookie(place, path);
      if (lastCookie == Long.MAX_VALUE) {
        return missing.isEmpty()
            ? BlockResult.done(new DirectoryPage(entries, true))
            : BlockResult.need(missing);
      }
      place = lastCookie + 1;
    }
  }

  /** False if the page is full before the bucket is at its end. */
  private static boolean listBucket(
      Bucket bucket, long afterCookie, int max, List<NamedEntry> entries) {
    bucket.listAfter(afterCookie, max, entries);
    return entries.size() < max || !bucket.hasAfter(entries.get(max - 1).cookie());
  }

  /** True if loading these blocks will probably fill the page. */
  private static boolean isEnough(int entries, int missing, int max) {
    return missing == MAX_PREFETCH || missing > 0 && entries + missing * USUAL_ENTRIES >= max;
  }

  /** The last cookie that leads to where the path ends. */
  private long lastCookie(long place, IndexPath path) {
    IndexPath.Step step = path.last();
    IndexNode node = node(step.block());
    int length = node.runLength(step.slot());
    return path.lastCookie(place, node.depth(), step.slot() & -length, length);
  }

  private BlockResult<byte[]> header() {
    byte[] header = blocks.read(DirectoryBlock.HEADER);
    return header == null
        ? BlockResult.need(List.of(DirectoryBlock.HEADER))
        : BlockResult.done(header);
  }

  /**
   * Where a name stands, or would stand.
   *
   * @param bucket null if none is there yet
   */
  private record Spot(long place, byte[] bucket) {}

  /** The spot of a name, once every block on the way there is in memory. */
  private BlockResult<Spot> spot(byte[] name) {
    return header()
        .then(
            header -> {
              long place = hash.placeOf(HeaderBlock.keyOf(header), name);
              IndexPath path = IndexPath.to(place, this::node);
              byte[] bucket =
                  path.isMissing() || path.leaf() == 0 ? null : blocks.read(path.leaf());
              return bucket == null && path.leaf() != 0
                  ? BlockResult.need(List.of(path.leaf()))
                  : BlockResult.done(new Spot(place, bucket));
            });
  }

  private IndexNode node(int number) {
    byte[] block = blocks.read(number);
    return block == null ? null : IndexNode.of(block);
  }
}
