package org.weft.client.cache;

/**
 * Bytes of a file from a multiple of {@link DataCache#PAGE_BYTES} on: a page, or what the file has
 * of it. They are never changed. Thread-safe.
 */
final class FilePage {
  /** What a page costs besides its bytes: objects, a place in a map and one among the turns. */
  private static final int OVERHEAD_BYTES = 192;

  private final FilePages file;
  private final long number;
  private final byte[] bytes;

  /** Looked at since it was passed over last. */
  private volatile boolean used;

  FilePage(FilePages file, long number, byte[] bytes) {
    this.file = file;
    this.number = number;
    this.bytes = bytes;
  }

  FilePages file() {
    return file;
  }

  /** Counts the pages before it. */
  long number() {
    return number;
  }

  byte[] bytes() {
    return bytes;
  }

  int costBytes() {
    return bytes.length + OVERHEAD_BYTES;
  }

  void use() {
    // Most are used again and again: a write each time would make threads wait for each other.
    if (!used) {
      used = true;
    }
  }

  /** True if it was not looked at since it was asked last. */
  boolean isIdle() {
    boolean idle = !used;
    used = false;
    return idle;
  }
}
