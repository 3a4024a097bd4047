package org.weft.testkit.storage;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.SegmentFile;

/** A file of a {@link MemorySegmentDirectory}, which says how it fails. */
final class MemorySegmentFile implements SegmentFile {
  private static final int BLOCK_BYTES = MemorySegmentDirectory.BLOCK_BYTES;
  private static final int SECTOR_BYTES = 512;
  private static final byte[] ZEROS = new byte[BLOCK_BYTES];

  private final MemorySegmentDirectory directory;
  private final String name;
  private final StorageFaults faults;
  // By number; a block that is absent is all zeros. Arrays are never changed.
  private final Map<Long, byte[]> live = new TreeMap<>();
  private final Map<Long, byte[]> durable = new TreeMap<>();
  // What each block held since the last sync, oldest first; the last one is what it holds now.
  private final Map<Long, List<byte[]>> unsynced = new TreeMap<>();
  // The same, of blocks whose sync failed: as Linux does, later syncs leave them out.
  private final Map<Long, List<byte[]>> givenUp = new TreeMap<>();
  // Blocks that do not hold what was last written to them: a power loss took that.
  private final Set<Long> lost = new TreeSet<>();
  // Blocks that the disk does not give back.
  private final Set<Long> unreadable = new TreeSet<>();
  private long sizeBytes;
  private long durableSizeBytes;
  // Blocks of the durable file may be gone from this one.
  private boolean isCut;

  MemorySegmentFile(MemorySegmentDirectory directory, String name, StorageFaults faults) {
    this.directory = directory;
    this.name = name;
    this.faults = faults;
  }

  @Override
  public synchronized long sizeBytes() {
    return sizeBytes;
  }

  @Override
  public synchronized void read(ByteBuffer target, long offsetBytes) throws IOException {
    faults.next(StorageFaults.Kind.FILE_READ, name);
    if (target.hasRemaining() && offsetBytes + target.remaining() > sizeBytes) {
      throw new EOFException(
          name
              + " has "
              + sizeBytes
              + " bytes, wanted "
              + target.remaining()
              + " at "
              + offsetBytes);
    }
    for (long block : unreadable) {
      if (block * BLOCK_BYTES < offsetBytes + target.remaining()
          && offsetBytes < (block + 1) * BLOCK_BYTES) {
        throw new IOException("block " + block + " of " + name + ": Input/output error");
      }
    }
    long position = offsetBytes;
    while (target.hasRemaining()) {
      int place = place(position);
      int count = Math.min(target.remaining(), BLOCK_BYTES - place);
      target.put(live.getOrDefault(position / BLOCK_BYTES, ZEROS), place, count);
      position += count;
    }
  }

  @Override
  public synchronized void write(ByteBuffer[] sources, long offsetBytes) throws IOException {
    faults.next(StorageFaults.Kind.FILE_WRITE, name);
    long position = offsetBytes;
    for (ByteBuffer source : sources) {
      while (source.hasRemaining()) {
        long block = position / BLOCK_BYTES;
        int place = place(position);
        int count = Math.min(source.remaining(), BLOCK_BYTES - place);
        byte[] bytes =
            count == BLOCK_BYTES ? new byte[BLOCK_BYTES] : live.getOrDefault(block, ZEROS).clone();
        source.get(bytes, place, count);
        live.put(block, bytes);
        lost.remove(block);
        unreadable.remove(block);
        unsynced.computeIfAbsent(block, this::heldBefore).add(bytes);
        position += count;
        sizeBytes = Math.max(sizeBytes, position);
      }
    }
  }

  private List<byte[]> heldBefore(long block) {
    List<byte[]> held = givenUp.remove(block);
    return held == null ? new ArrayList<>() : held;
  }

  @Override
  public synchronized void resize(long newSizeBytes) throws IOException {
    faults.next(StorageFaults.Kind.FILE_RESIZE, name);
    directory.take(newSizeBytes - sizeBytes);
    isCut |= newSizeBytes < sizeBytes;
    sizeBytes = newSizeBytes;
    live.keySet().removeIf(block -> block * BLOCK_BYTES >= newSizeBytes);
    unsynced.keySet().removeIf(block -> block * BLOCK_BYTES >= newSizeBytes);
    givenUp.keySet().removeIf(block -> block * BLOCK_BYTES >= newSizeBytes);
    // Where the file grows again later, it grows with zeros.
    byte[] last = live.get(newSizeBytes / BLOCK_BYTES);
    if (last != null) {
      byte[] cut = Arrays.copyOf(Arrays.copyOf(last, place(newSizeBytes)), BLOCK_BYTES);
      live.put(newSizeBytes / BLOCK_BYTES, cut);
      unsynced.computeIfAbsent(newSizeBytes / BLOCK_BYTES, this::heldBefore).add(cut);
    }
  }

  private static int place(long offsetBytes) {
    return (int) (offsetBytes % BLOCK_BYTES);
  }

  @Override
  public synchronized void sync() throws IOException {
    try {
      faults.next(StorageFaults.Kind.FILE_SYNC, name);
    } catch (IOException e) {
      givenUp.putAll(unsynced);
      unsynced.clear();
      throw e;
    }
    if (isCut) {
      Map<Long, byte[]> before = new TreeMap<>(durable);
      durable.clear();
      durable.putAll(live);
      givenUp.keySet().forEach(block -> durable.put(block, of(before, block)));
      isCut = false;
    } else {
      unsynced.keySet().forEach(block -> durable.put(block, live.get(block)));
    }
    durableSizeBytes = sizeBytes;
    unsynced.clear();
  }

  @Override
  public Payload payload(long offsetBytes, int lengthBytes, Runnable released) {
    return new LatePayload(offsetBytes, lengthBytes, released);
  }

  @Override
  public void close() {}

  /** The file as the next process finds it. */
  synchronized MemorySegmentFile survivor(MemorySegmentDirectory next, StorageFaults nextFaults) {
    MemorySegmentFile file = new MemorySegmentFile(next, name, nextFaults);
    file.live.putAll(live);
    file.durable.putAll(durable);
    unsynced.forEach((block, held) -> file.unsynced.put(block, new ArrayList<>(held)));
    givenUp.forEach((block, held) -> file.givenUp.put(block, new ArrayList<>(held)));
    file.sizeBytes = sizeBytes;
    file.durableSizeBytes = durableSizeBytes;
    file.isCut = isCut;
    file.lost.addAll(lost);
    file.unreadable.addAll(unreadable);
    return file;
  }

  /** The file as it is after a power loss. */
  synchronized MemorySegmentFile remains(
      MemorySegmentDirectory next, StorageFaults nextFaults, RandomGenerator random) {
    MemorySegmentFile file = new MemorySegmentFile(next, name, nextFaults);
    file.sizeBytes = random.nextBoolean() ? sizeBytes : durableSizeBytes;
    file.live.putAll(durable);
    Map<Long, List<byte[]>> unsure = new TreeMap<>(givenUp);
    unsure.putAll(unsynced);
    unsure.forEach(
        (block, held) -> {
          if (block * BLOCK_BYTES < file.sizeBytes) {
            file.live.put(block, remainsOf(block, held, random));
          }
        });
    file.lost.addAll(lost);
    file.unreadable.addAll(unreadable);
    unsure.keySet().stream()
        .filter(block -> !Arrays.equals(of(file.live, block), of(live, block)))
        .forEach(file.lost::add);
    file.live.keySet().removeIf(block -> block * BLOCK_BYTES >= file.sizeBytes);
    file.durable.putAll(file.live);
    file.durableSizeBytes = file.sizeBytes;
    return file;
  }

  private static byte[] of(Map<Long, byte[]> blocks, long block) {
    return blocks.getOrDefault(block, ZEROS);
  }

  private byte[] remainsOf(long block, List<byte[]> held, RandomGenerator random) {
    byte[] one = pick(block, held, random);
    if (random.nextInt(4) != 0) {
      return one;
    }
    byte[] torn = one.clone();
    byte[] other = pick(block, held, random);
    for (int sector = 0; sector < BLOCK_BYTES; sector += SECTOR_BYTES) {
      if (random.nextBoolean()) {
        System.arraycopy(other, sector, torn, sector, SECTOR_BYTES);
      }
    }
    return torn;
  }

  private byte[] pick(long block, List<byte[]> held, RandomGenerator random) {
    int choice = random.nextInt(held.size() + 1);
    return choice == held.size() ? durable.getOrDefault(block, ZEROS) : held.get(choice);
  }

  /** Changes a bit of what is stored, as a bad disk does. */
  synchronized void rot(long offsetBytes) {
    long block = offsetBytes / BLOCK_BYTES;
    byte[] bytes = live.getOrDefault(block, ZEROS).clone();
    bytes[(int) (offsetBytes % BLOCK_BYTES)] ^= 1;
    live.put(block, bytes);
    durable.put(block, bytes);
  }

  /** A read of any part of the block fails, as on a bad sector, until it is written. */
  synchronized void makeUnreadable(long offsetBytes) {
    unreadable.add(offsetBytes / BLOCK_BYTES);
  }

  synchronized Set<Long> lostBlocks() {
    return Set.copyOf(lost);
  }

  synchronized List<Long> storedBlocks() {
    return List.copyOf(live.keySet());
  }

  synchronized byte[] contents() {
    byte[] all = new byte[Math.toIntExact(sizeBytes)];
    live.forEach(
        (block, bytes) -> {
          int start = Math.toIntExact(block * BLOCK_BYTES);
          System.arraycopy(bytes, 0, all, start, Math.min(BLOCK_BYTES, all.length - start));
        });
    return all;
  }

  /** Reads the range when its bytes are asked for, not before. */
  private final class LatePayload implements Payload {
    private final long offsetBytes;
    private final int lengthBytes;
    private final AtomicReference<Runnable> released;

    LatePayload(long offsetBytes, int lengthBytes, Runnable released) {
      this.offsetBytes = offsetBytes;
      this.lengthBytes = lengthBytes;
      this.released = new AtomicReference<>(released);
    }

    @Override
    public int lengthBytes() {
      return lengthBytes;
    }

    @Override
    public List<ByteBuffer> buffers() {
      ByteBuffer bytes = ByteBuffer.allocate(lengthBytes);
      try {
        read(bytes, offsetBytes);
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
      return List.of(bytes.flip().asReadOnlyBuffer());
    }

    @Override
    public void release() {
      Runnable action = released.getAndSet(null);
      if (action != null) {
        action.run();
      }
    }
  }
}
