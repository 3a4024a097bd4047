package org.weft.client.cache;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.client.stripe.read.LentBuffer;
import org.weft.protocol.wire.FileAttributes;

/**
 * What a client knows of the bytes of one file that it has open for reading (P 6.5e). They may be
 * answered while the file is granted to the session by which it was opened. As long as it is, no
 * client writes it. So bytes that were read from OSDs are kept with the grant that was there before
 * the first of them was asked for. They end with it.
 *
 * <p>An opening from before a change of the file's length, its cuts or its map is neither answered
 * nor kept. An opening that reads the same pages again while nothing is granted has the manager
 * asked for the grant. The longer the grant does not come, the more seldom it asks. Thread-safe;
 * never waits.
 */
public final class GrantedData {
  /** The bytes are not known. */
  public static final int UNKNOWN = -2;

  /** Reads without a grant after which the manager is asked for it; twice as many each time. */
  private static final int FIRST_PATIENCE = 2;

  private static final int MAX_PATIENCE = 4_096;

  private final ReadCache reads;
  private final DataCache memory;
  private final long objectId;
  private final long sizeBytes;
  private final Runnable wish;

  /** As the opening told them, or as they were found to say the same later. */
  private volatile FileAttributes attributes;

  private final AtomicInteger ungranted = new AtomicInteger();
  private volatile int patience = FIRST_PATIENCE;

  /**
   * @param reads of the session that has opened the file
   * @param attributes as the opening told them
   * @param wish has the manager grant the file, if it can; it must not block
   */
  public GrantedData(ReadCache reads, DataCache memory, FileAttributes attributes, Runnable wish) {
    this.reads = reads;
    this.memory = memory;
    this.objectId = attributes.getObjectId();
    this.sizeBytes = attributes.getSize();
    this.attributes = attributes;
    this.wish = wish;
  }

  /** Length of the file as it was opened. */
  public long sizeBytes() {
    return sizeBytes;
  }

  /**
   * Answers a read: at one moment of the call all of its bytes were granted and are as in the file.
   *
   * @return how many bytes were copied; {@link #UNKNOWN} if the OSDs have to be asked, and then the
   *     target's content is undefined
   */
  public int read(long positionBytes, LentBuffer target) {
    int count = count(positionBytes, target.lengthBytes());
    CachedNode node = count == 0 ? null : granted();
    if (node == null) {
      return UNKNOWN;
    }
    FilePages pages = node.pages();
    if (pages == null || !copy(pages, positionBytes, count, target) || !reads.isGranted(node)) {
      return UNKNOWN;
    }
    node.use();
    memory.hit(count);
    return count;
  }

  private static boolean copy(FilePages pages, long positionBytes, int count, LentBuffer target) {
    if (!target.enter()) {
      return false;
    }
    try {
      return pages.copy(positionBytes, count, target.memory());
    } finally {
      target.leave();
    }
  }

  /**
   * A read that may be kept is about to begin: one of whole pages in place of the one that was
   * asked for. Empty where it is not worth that, or nothing is granted.
   *
   * @param throughBytes up to there at least it is to reach, if the file does
   */
  public Optional<Fill> begin(long positionBytes, int lengthBytes, long throughBytes) {
    int count = count(positionBytes, lengthBytes);
    CachedNode node = count == 0 ? null : granted();
    if (node == null || !reads.isGranted(node)) {
      if (count > 0) {
        missGrant(positionBytes);
      }
      return Optional.empty();
    }
    memory.missed();
    patience = FIRST_PATIENCE;
    if (!memory.admits(objectId, positionBytes / DataCache.PAGE_BYTES)) {
      return Optional.empty();
    }
    long from = positionBytes / DataCache.PAGE_BYTES * DataCache.PAGE_BYTES;
    long end = Math.max(positionBytes + count, throughBytes) + DataCache.PAGE_BYTES - 1;
    long to = Math.min(sizeBytes, end / DataCache.PAGE_BYTES * DataCache.PAGE_BYTES);
    return Optional.of(new Fill(node, from, (int) (to - from), positionBytes, count));
  }

  /** Bytes that a read gets; 0 if it is none that is kept, or at the file's end. */
  private int count(long positionBytes, int lengthBytes) {
    long count = Math.max(0, Math.min(lengthBytes, sizeBytes - positionBytes));
    return count > DataCache.MAX_READ_BYTES ? 0 : (int) count;
  }

  /** The file as it was opened, and is granted still as far as is known; null if it is not. */
  private CachedNode granted() {
    CachedNode node = reads.node(objectId);
    FileAttributes now = node == null ? null : node.attributes();
    return now != null && isSame(now) ? node : null;
  }

  private boolean isSame(FileAttributes now) {
    FileAttributes told = attributes;
    if (now == told) {
      return true;
    }
    boolean same =
        now.getSize() == sizeBytes
            && now.getTruncationNumber() == told.getTruncationNumber()
            && now.getMap().equals(told.getMap());
    if (same) {
      // Compared by their identity from now on.
      attributes = now;
    }
    return same;
  }

  /** It may have been opened before the lease began, or lost its grant to a writer. */
  private void missGrant(long positionBytes) {
    boolean wanted =
        reads.isUseful()
            && reads.node(objectId) == null
            && memory.admits(objectId, positionBytes / DataCache.PAGE_BYTES);
    if (wanted && ungranted.incrementAndGet() >= patience) {
      ungranted.set(0);
      patience = Math.min(MAX_PATIENCE, 2 * patience);
      wish.run();
    }
  }

  /** A read of whole pages, begun while the file was granted. One thread at a time. */
  public final class Fill {
    /** The grant from before the read: what ends it ends what is kept here, be it meanwhile. */
    private final CachedNode node;

    private final long fromBytes;
    private final byte[] bytes;
    private final long askedBytes;
    private final int count;

    private Fill(CachedNode node, long fromBytes, int lengthBytes, long askedBytes, int count) {
      this.node = node;
      this.fromBytes = fromBytes;
      this.bytes = new byte[lengthBytes];
      this.askedBytes = askedBytes;
      this.count = count;
    }

    /** Where the read begins. */
    public long fromBytes() {
      return fromBytes;
    }

    /** How many bytes it reads. */
    public int lengthBytes() {
      return bytes.length;
    }

    /** Where they go. */
    public LentBuffer target() {
      return new LentBuffer(ByteBuffer.wrap(bytes));
    }

    /** All bytes have come, and were checked. They are kept, if the file was granted until now. */
    public void arrived() {
      FilePages pages = node.obtainPages(memory);
      if (pages == null) {
        return;
      }
      for (int from = 0; from < bytes.length; from += DataCache.PAGE_BYTES) {
        int to = Math.min(bytes.length, from + DataCache.PAGE_BYTES);
        memory.put(
            pages,
            (fromBytes + from) / DataCache.PAGE_BYTES,
            bytes.length <= DataCache.PAGE_BYTES ? bytes : Arrays.copyOfRange(bytes, from, to));
      }
    }

    /**
     * Gives the caller what it asked for. The buffer must have been entered.
     *
     * @return how many bytes
     */
    public int copyTo(ByteBuffer target) {
      target.put(0, bytes, (int) (askedBytes - fromBytes), count);
      return count;
    }
  }
}
