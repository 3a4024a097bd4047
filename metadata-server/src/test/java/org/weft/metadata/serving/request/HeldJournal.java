package org.weft.metadata.serving.request;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.JournalLog;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.JournalSize;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/** A journal whose disk is as slow as the test wants. */
final class HeldJournal implements JournalLog {
  private final Deque<CompletableFuture<Void>> waiting = new ArrayDeque<>();
  private long records;
  private long bytes;
  private boolean room = true;
  private boolean snapshotWanted;
  private int snapshots;
  private Error error;
  private Error errorOfRoom;

  /** Everything that was appended is on disk now. */
  void sync() {
    while (!waiting.isEmpty()) {
      waiting.poll().complete(null);
    }
  }

  /** The disk refuses. */
  void fail() {
    while (!waiting.isEmpty()) {
      waiting.poll().completeExceptionally(new WeftException(ErrorCode.INTERNAL, "disk is full"));
    }
  }

  /** The next record is not taken: this is thrown. */
  void throwAtTheNextRecord(Error thrown) {
    error = thrown;
  }

  /** Whether there is room cannot be told once: this is thrown. */
  void throwWhenNextAskedForRoom(Error thrown) {
    errorOfRoom = thrown;
  }

  void room(boolean hasRoom) {
    room = hasRoom;
  }

  /** So long is what is not yet on OSDs. */
  void bytes(long unflushedBytes) {
    bytes = unflushedBytes;
  }

  long records() {
    return records;
  }

  @Override
  public JournalContents contents() {
    return new JournalContents(List.of(), List.of(), Lsn.ZERO);
  }

  @Override
  public CompletionStage<Void> append(JournalRecord record) {
    if (error != null) {
      Error thrown = error;
      error = null;
      throw thrown;
    }
    records++;
    CompletableFuture<Void> durable = new CompletableFuture<>();
    waiting.add(durable);
    return durable;
  }

  @Override
  public boolean hasRoom() {
    if (errorOfRoom != null) {
      Error thrown = errorOfRoom;
      errorOfRoom = null;
      throw thrown;
    }
    return room;
  }

  /** From now on a snapshot would give space back. */
  void wantSnapshot() {
    snapshotWanted = true;
  }

  int snapshots() {
    return snapshots;
  }

  @Override
  public boolean snapshotWanted() {
    return snapshotWanted;
  }

  @Override
  public CompletionStage<Void> writeSnapshot(List<LiveEffect> liveState) {
    snapshotWanted = false;
    snapshots++;
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void dropBelow(Lsn lsn) {}

  @Override
  public Optional<WeftException> failure() {
    return Optional.empty();
  }

  @Override
  public JournalSize size() {
    return new JournalSize(records, bytes);
  }

  @Override
  public void close() {}
}
