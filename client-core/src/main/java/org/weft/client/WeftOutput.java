package org.weft.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.weft.client.callback.Callbacks;
import org.weft.client.file.FileGrant;
import org.weft.client.file.FileSink;
import org.weft.client.file.GrantedWriting;
import org.weft.client.file.WriteOpenings;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.FileLimits;

/**
 * A file being written as a stream, from its beginning or from its end on. One call at a time: the
 * next comes after the future of the last has completed. Others see the length that was published
 * last: by {@link #hflush}, {@link #hsync} or {@link #close}.
 *
 * <p>What is durable when:
 *
 * <ul>
 *   <li>{@link #write} has completed: nothing is promised.
 *   <li>{@link #hflush} or {@link #close} has completed: every byte written before is on every
 *       component that the file's map calls present. It is in the kernel of its OSD ({@code
 *       write-back}) or on its disks ({@code write-through}). A client that opens the file from
 *       then on sees it. It survives the death of this client, of the manager and of any OSD's
 *       process. It survives the loss of as many OSDs as the file has parity units. A power failure
 *       of more OSDs within a checkpoint's time loses it, unless the OSDs write through.
 *   <li>{@link #hsync} has completed: as above, and every byte is on the disks of those components.
 * </ul>
 *
 * <p>An OSD that is lost while the file is written delays the calls until the manager has agreed to
 * go on without it. It is not a failure, as long as the file's parity bears it (P 5.8).
 *
 * <p>A stream that is idle is lent, where another client wants to write the file. Idle means that
 * it took nothing for two seconds and holds nothing that was not flushed. Its grant is given back,
 * with everything on stable storage. The next write asks for it again, and waits for others as
 * opening does. It goes on if the file ends where it ended. If another client has appended to it,
 * has cut it or removed it, the write fails with GRANT_REVOKED. A write that fails because others
 * still write the file, or the manager does not answer, has taken nothing, and may be made again.
 * Where a lost component is to be written anew the same is done, and what was not flushed is
 * flushed for that.
 *
 * <p>The first failure ends the writing: the grant is given back as abandoned, and every later call
 * fails with the same text. What was published stays; of what was written since, some may.
 *
 * <p>No call can be cancelled: it goes on, and its buffer is its own, until its future is done.
 * {@link #abort} ends all of them.
 */
public final class WeftOutput {
  private final WeftPath path;
  private final FileSink sink;
  private final FileGrant grant;
  private final GrantedWriting<FileStatus> writing;
  private final AtomicBoolean holdsBytes;

  private volatile long positionBytes;

  /** An output for a file that is open behind its end. */
  WeftOutput(WeftPath path, WriteOpenings.Appending open, Callbacks callbacks) {
    this(path, open.sink(), open.grant(), open.sizeBytes(), callbacks, open.holdsBytes());
  }

  /**
   * An output for a file.
   *
   * @param sizeBytes published length: writing goes on from there
   */
  WeftOutput(WeftPath path, FileSink sink, FileGrant grant, long sizeBytes, Callbacks callbacks) {
    this(path, sink, grant, sizeBytes, callbacks, new AtomicBoolean());
  }

  /**
   * The same.
   *
   * @param holdsBytes set while a buffer before this output holds back bytes that are to be written
   *     soon
   */
  WeftOutput(
      WeftPath path,
      FileSink sink,
      FileGrant grant,
      long sizeBytes,
      Callbacks callbacks,
      AtomicBoolean holdsBytes) {
    this.holdsBytes = holdsBytes;
    this.path = path;
    this.sink = sink;
    this.grant = grant;
    this.writing =
        new GrantedWriting<>(
            FileStatus.named(path), grant, sizeBytes, sink::drop, "write it again", callbacks);
    this.positionBytes = sizeBytes;
  }

  /** As the file was named when it was opened. */
  public WeftPath path() {
    return path;
  }

  /** Says whether a buffer before this output holds back bytes. */
  void holdsBytes(boolean some) {
    holdsBytes.set(some);
  }

  /**
   * False while this stream has given its grant back, because others wanted the file when it was
   * idle: the next write asks for it again.
   */
  public boolean isGranted() {
    return sink.isGranted();
  }

  /** Which file this is, whatever its name is by now; never used again for another. */
  public long objectId() {
    return grant.objectId();
  }

  /** How long the file is with what was taken so far. */
  public long positionBytes() {
    return positionBytes;
  }

  /** True once that is done: all that was written is published, and on stable storage. */
  public boolean isLent() {
    return sink.isLent();
  }

  /**
   * Appends what remains in the buffer. Completes when the buffer may be used again; it waits while
   * more bytes are under way than the client's write window.
   *
   * <p>Fails with INVALID_ARGUMENT, and takes nothing, if the file would become longer than {@link
   * FileLimits#MAX_FILE_BYTES}; the writing goes on.
   *
   * @throws IllegalStateException if the write before has not completed, or the file is closed
   */
  public CompletableFuture<Void> write(ByteBuffer data) {
    // One call at a time: no other call moves the position meanwhile.
    long next = positionBytes + data.remaining();
    if (!FileLimits.isFileLength(next)) {
      return CompletableFuture.failedFuture(
          new WeftException(
              ErrorCode.INVALID_ARGUMENT, path + ": " + FileLimits.outsideFile("a length", next)));
    }
    return writing.call(
        () -> sink.write(data).thenRun(() -> positionBytes = next), false, sink::mayAskAgain);
  }

  /**
   * Completes with the file as it is now published: every byte is on every component. Closing again
   * gives the same outcome. A new file that nothing was written to is returned as it was made,
   * while the manager is being told. There is nothing to lose, and a client that wants to write the
   * file waits until the manager has heard.
   *
   * @throws IllegalStateException if the write before has not completed
   */
  public CompletableFuture<FileStatus> close() {
    return writing.close(() -> sink.finish().thenCompose(grant::close));
  }

  /**
   * Completes when everything written so far is acknowledged by every component that the map calls
   * present, and its length is published. A client that opens the file now, or refreshes an input,
   * can read it. It survives the death of this client. Costs one round trip to the OSDs and one to
   * the manager; neither if nothing was written since the last time.
   *
   * @throws IllegalStateException if the call before has not completed, or the file is closed
   */
  public CompletableFuture<Void> hflush() {
    return flush(false);
  }

  /** As {@link #hflush}, and everything is on stable storage. */
  public CompletableFuture<Void> hsync() {
    return flush(true);
  }

  private CompletableFuture<Void> flush(boolean onStableStorage) {
    return writing.call(
        () -> sink.flush(onStableStorage).thenCompose(writing::publish).thenAccept(told -> {}));
  }

  /**
   * Gives up: nothing more is written; the file keeps what was published, and what else the manager
   * finds to be whole. Does nothing on a file that is closed. Completes when the manager knows.
   */
  public CompletableFuture<Void> abort() {
    return writing.abort();
  }
}
