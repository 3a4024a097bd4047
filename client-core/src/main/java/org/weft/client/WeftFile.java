package org.weft.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * A file open for writing and reading at any positions, under the file's exclusive grant (P 5.3,
 * 6.5), or beside other clients that share it. Any number of calls may be under way. {@link
 * #setLength}, {@link #punch} and {@link #close} wait for those before them, and later ones for
 * these. The rest run side by side. A read beside a write of the same bytes sees all or nothing of
 * each stripe.
 *
 * <p>A file that is shared is owned by stripes: a call waits until others have given back those
 * that it touches. Those that it only reads others may read at the same time.
 *
 * <p>A write is complete when its future is: every component that the file's map calls present has
 * acknowledged it. Others see a new length after {@link #hflush}, {@link #setLength} or {@link
 * #close}; bytes inside the published length they see as they are written.
 *
 * <p>Where the file was opened with {@link UpdateOptions#withGathering()}, that holds of whole
 * stripes only. Smaller pieces are copied into memory of a bounded size, over what was gathered
 * there before. The future is done as soon as there is room for them: <b>a write that is done
 * promises nothing then</b>. What is gathered is sent when its stripe is full, and, the oldest
 * stripe first, when half of the bound is gathered. It is also sent when it has waited for as long
 * as the options say. And it is sent before others get a stripe that this client owns. It is
 * acknowledged, as other writes are, when a later {@link #hflush}, {@link #hsync}, {@link
 * #setLength}, {@link #punch} or {@link #close} is done. Without one it is lost with this process,
 * in any order. If it cannot be written, also for want of space, the next call and each later one
 * fail with the range in their text. What was gathered since the last flush may be lost, and {@link
 * #close} says so. Reads of this handle see what was gathered, other clients do not before it is
 * sent.
 *
 * <p>A file that is idle is lent, where another client wants to open it for writing, or a lost
 * component is to be written anew. Idle means that this handle had no call under way for a tenth of
 * a second. Everything is put on stable storage, as by {@link #hsync}, and the grant is given back.
 * The next call asks for it again, and waits for others as opening does. It fails with
 * GRANT_REVOKED if the file was removed meanwhile, and with BEING_WRITTEN if another client goes on
 * writing it. <b>Others may have changed the file by then</b>: what was read before may be
 * different, and the length too. A caller that relies on what it has read locks the range besides
 * ({@link FileLocks}).
 *
 * <p>No call can be cancelled: it goes on, and its buffer is its own, until its future is done.
 * {@link #abort} ends all of them.
 */
public interface WeftFile {
  WeftPath path();

  /** Which file this is, whatever its name is by now; never used again for another. */
  long objectId();

  /**
   * False while this handle has given its grant back, because others wanted the file when nothing
   * was under way. The next call asks for it again.
   */
  default boolean isGranted() {
    return true;
  }

  /** True once that is done: all that was written is published, and on stable storage. */
  default boolean isLent() {
    return false;
  }

  /**
   * True once a failure has ended the writing: every later call fails, and what was gathered may be
   * lost. A call can also fail alone.
   */
  boolean hasFailed();

  /** Length, written bytes included, and those gathered. */
  long sizeBytes();

  /**
   * Writes what remains in the buffer at a position; behind the end the gap reads as zeros. The
   * buffer belongs to the call until the future is done. Where two writes that are under way at the
   * same time overlap, either may come last.
   *
   * <p>Fails with NO_SPACE if an OSD has no room for it. Of a range over several stripes some may
   * be written then, in each either all or nothing. The file can be written on.
   */
  CompletableFuture<Void> write(long positionBytes, ByteBuffer data);

  /**
   * Reads at a position as far as the file reaches, what this handle wrote included; what is
   * gathered there is sent first. The buffer belongs to the call until the future is done; then its
   * position has moved by the count. A failure of it does not end the writing. Of a file that is
   * shared the stripes are owned meanwhile, so that no other client writes there. All that was
   * acknowledged to others before is read, unless it was gathered and not sent yet.
   *
   * @return how many bytes were read: all that the buffer had room for, or up to the end of the
   *     file. It is -1 at or behind the end
   */
  CompletableFuture<Integer> read(long positionBytes, ByteBuffer target);

  /**
   * Sets the length: cuts the file, or lets it read as zeros up to there. The length is published
   * at once, and on stable storage when the future is done. A file that is shared is owned as a
   * whole meanwhile: calls of other clients that are under way end first, and later ones wait.
   * Their handles tell the new length from their next call on. What others gather in stripes that
   * they do not own comes after the cut.
   *
   * <p>If this client dies before, the length is the old or the new one. A cut that has begun is
   * finished before any other client writes.
   */
  CompletableFuture<Void> setLength(long sizeBytes);

  /** Lets a range read as zeros and gives its space back; the length stays. */
  CompletableFuture<Void> punch(long positionBytes, long lengthBytes);

  /** Publishes the length: a client that opens the file now can read everything written so far. */
  CompletableFuture<Void> hflush();

  /** As {@link #hflush}, and everything is on stable storage. */
  CompletableFuture<Void> hsync();

  /** Publishes the length and gives the grant back. */
  CompletableFuture<FileStatus> close();

  /** Gives up: the manager puts in order what was half written. */
  CompletableFuture<Void> abort();
}
