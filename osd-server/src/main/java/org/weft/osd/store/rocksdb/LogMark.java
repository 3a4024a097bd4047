package org.weft.osd.store.rocksdb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Notes in a file beside the tables how far they reach. RocksDB takes the first damage in its log
 * for the log's end, and opens as if nothing had been written behind it. Numbers are those that
 * RocksDB counts changes with.
 *
 * <p>The file is mapped: what is noted costs no system call, and outlives the process. It need not
 * outlive the machine, since a start after a loss of power knows that the end may be lost. Only an
 * orderly stop makes it durable. A process may die in the middle of a note, and so notes take turns
 * in two places:
 *
 * <pre>
 *  32, 64: written u64 | synced u64 | CRC32C of the two u32
 * </pre>
 *
 * <p>Thread-safe.
 */
final class LogMark implements AutoCloseable {
  /** Larger than every number: something is lost, and the store above has not noted it yet. */
  static final long LOST = Long.MAX_VALUE;

  private static final String FILE = "log-mark";
  private static final int FILE_BYTES = 4096;
  private static final int SLOT_BYTES = 32;
  private static final int SLOTS = 2;
  private static final int CHECKED_BYTES = 2 * Long.BYTES;

  /**
   * What a file says.
   *
   * @param written every number up to it was used before the process ended
   * @param synced up to it all was made durable
   */
  record Reach(long written, long synced) {
    static final Reach NOTHING = new Reach(0, 0);
  }

  private final MappedByteBuffer file;
  private Reach reach;
  private int turn;

  private LogMark(MappedByteBuffer file, Reach reach) {
    this.file = file;
    this.reach = reach;
  }

  static Path fileIn(Path folder) {
    return folder.resolve(FILE);
  }

  /** What is noted; empty if there is no file, or it is damaged. */
  static Optional<Reach> read(Path folder) throws IOException {
    if (!Files.isRegularFile(fileIn(folder))) {
      return Optional.empty();
    }
    try (FileChannel channel = FileChannel.open(fileIn(folder), StandardOpenOption.READ)) {
      if (channel.size() < FILE_BYTES) {
        return Optional.empty();
      }
      return newest(channel.map(FileChannel.MapMode.READ_ONLY, 0, FILE_BYTES));
    }
  }

  private static Optional<Reach> newest(MappedByteBuffer file) {
    Optional<Reach> newest = Optional.empty();
    for (int slot = 1; slot <= SLOTS; slot++) {
      byte[] numbers = new byte[CHECKED_BYTES];
      file.get(slot * SLOT_BYTES, numbers);
      int crc = file.getInt(slot * SLOT_BYTES + CHECKED_BYTES);
      // A place that was never written is all zeros, which have another CRC.
      if (crc == crcOf(numbers)) {
        long written = file.getLong(slot * SLOT_BYTES);
        long synced = file.getLong(slot * SLOT_BYTES + Long.BYTES);
        Reach here = newest.orElse(Reach.NOTHING);
        newest =
            Optional.of(
                new Reach(Math.max(written, here.written()), Math.max(synced, here.synced())));
      }
    }
    return newest;
  }

  private static int crcOf(byte[] numbers) {
    CRC32C crc = new CRC32C();
    crc.update(numbers);
    return (int) crc.getValue();
  }

  /** Writes a file that says this, durably, and goes on from there. */
  static LogMark begin(Path folder, Reach reach) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            fileIn(folder),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      fillHoles(channel);
      MappedByteBuffer file = channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES);
      LogMark mark = new LogMark(file, reach);
      mark.restart(reach);
      // The length of the file, too.
      channel.force(true);
      return mark;
    }
  }

  /**
   * Writes the page with the bytes that it has. A hole would get its place on the disk only when it
   * is written through the mapping. On a full disk that gives no exception, but ends the process.
   */
  private static void fillHoles(FileChannel channel) throws IOException {
    ByteBuffer page = ByteBuffer.allocate(FILE_BYTES);
    while (page.hasRemaining() && channel.read(page, page.position()) >= 0) {
      // Zeros behind what there is.
    }
    page.clear();
    while (page.hasRemaining()) {
      var unused = channel.write(page, page.position());
    }
    channel.force(true);
  }

  /** Forgets what was noted before, durably. */
  synchronized void restart(Reach from) {
    reach = from;
    for (int slot = 0; slot < SLOTS; slot++) {
      put();
    }
    file.force();
  }

  /** Numbers up to this one are used. */
  synchronized void written(long number) {
    if (number > reach.written()) {
      reach = new Reach(number, reach.synced());
      put();
    }
  }

  /** All up to this number is durable. */
  synchronized void synced(long number) {
    if (number > reach.synced()) {
      reach = new Reach(Math.max(reach.written(), number), number);
      put();
    }
  }

  private void put() {
    turn = turn % SLOTS + 1;
    byte[] numbers = new byte[CHECKED_BYTES];
    ByteBuffer.wrap(numbers).putLong(reach.written()).putLong(reach.synced());
    file.put(turn * SLOT_BYTES, numbers);
    file.putInt(turn * SLOT_BYTES + CHECKED_BYTES, crcOf(numbers));
  }

  /** Makes durable what is noted. */
  @Override
  public void close() {
    file.force();
  }
}
