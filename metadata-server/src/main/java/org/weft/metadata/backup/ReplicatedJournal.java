package org.weft.metadata.backup;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.metadata.journal.FileJournal;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.JournalEntry;
import org.weft.metadata.journal.JournalLog;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.JournalSize;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.WarmCopyState;

/**
 * A journal here, and the same one on a backup. While the backup is required, a record is committed
 * when both have it on disk: the two are written side by side (P 6.1). Else it is committed when it
 * is on disk here. Without a backup this class adds nothing to {@link FileJournal}.
 *
 * <p>Appends come from one thread, and so do the calls that change the backup. The monitor guards
 * the queue; nothing is called under it.
 */
public final class ReplicatedJournal implements JournalLog {
  private static final int MAX_WAITING = 1 << 14;

  private record Waiting(Lsn lsn, CompletableFuture<Void> done) {}

  private final FileJournal local;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private Lsn here = Lsn.ZERO;
  private Lsn there = Lsn.ZERO;
  private BackupStream stream;
  private boolean required;
  private WeftException failure;

  public ReplicatedJournal(FileJournal local) {
    this.local = local;
  }

  FileJournal local() {
    return local;
  }

  /** What is appended from now on goes to this backup, too. */
  synchronized void attach(BackupStream to) {
    stream = to;
    there = Lsn.ZERO;
    to.dropBelow(local.droppedBelow());
  }

  /** What the backup said last of its warm state. Any thread. */
  Optional<WarmCopyState> backupsWarmth() {
    BackupStream target;
    synchronized (this) {
      target = stream;
    }
    return target == null ? Optional.empty() : target.warmth();
  }

  /** Nothing more goes to the backup. What waits for it goes on waiting while it is required. */
  void detach() {
    BackupStream old;
    synchronized (this) {
      old = stream;
      stream = null;
      there = Lsn.ZERO;
    }
    if (old != null) {
      old.close();
    }
  }

  /**
   * From now on nothing is committed that the backup does not have.
   *
   * @return what was appended last: once the backup has it, it has all that was ever committed
   */
  synchronized Lsn require() {
    required = true;
    return local.lastAppended();
  }

  /** What is on disk here is committed. */
  void release() {
    synchronized (this) {
      required = false;
    }
    advance();
  }

  /** The backup has all records up to this one. */
  void acknowledged(BackupStream by, Lsn upTo) {
    synchronized (this) {
      if (by != stream) {
        return;
      }
      there = upTo.compareTo(there) > 0 ? upTo : there;
    }
    advance();
  }

  /** How far the backup is. */
  synchronized Lsn there() {
    return there;
  }

  @Override
  public JournalContents contents() {
    return local.contents();
  }

  /** The failure of the local part. The loss of a backup is handled elsewhere. */
  @Override
  public Optional<WeftException> failure() {
    return local.failure();
  }

  @Override
  public CompletionStage<Void> append(JournalRecord record) {
    BackupStream target;
    CompletableFuture<Void> done = new CompletableFuture<>();
    JournalEntry entry = JournalEntry.of(record);
    boolean alone;
    synchronized (this) {
      if (failure != null) {
        return CompletableFuture.failedFuture(failure);
      }
      target = stream;
      alone = target == null && !required && waiting.isEmpty();
      if (!alone) {
        waiting.addLast(new Waiting(record.lsn(), done));
      }
    }
    if (alone) {
      return local.append(entry);
    }
    var unused =
        local
            .append(entry)
            .whenComplete(
                (nothing, failed) -> {
                  if (failed != null) {
                    fail(WeftException.of(failed));
                  } else {
                    durableHere(record.lsn());
                  }
                });
    if (target != null) {
      target.offer(entry);
    }
    return done;
  }

  private void durableHere(Lsn lsn) {
    synchronized (this) {
      here = lsn.compareTo(here) > 0 ? lsn : here;
    }
    advance();
  }

  private void advance() {
    List<Waiting> committed = new ArrayList<>();
    synchronized (this) {
      Lsn upTo = required && there.compareTo(here) < 0 ? there : here;
      while (!waiting.isEmpty() && waiting.peekFirst().lsn().compareTo(upTo) <= 0) {
        committed.add(waiting.removeFirst());
      }
    }
    for (int last = committed.size() - 1; last >= 0; last--) {
      committed.get(last).done().complete(null);
    }
  }

  /** Whatever is not committed by now never is. */
  private void fail(WeftException why) {
    List<Waiting> lost;
    synchronized (this) {
      failure = failure == null ? why : failure;
      lost = List.copyOf(waiting);
      waiting.clear();
    }
    lost.forEach(each -> each.done().completeExceptionally(why));
  }

  @Override
  public boolean hasRoom() {
    BackupStream target;
    synchronized (this) {
      target = stream;
      if (waiting.size() > MAX_WAITING / 2) {
        return false;
      }
    }
    return local.hasRoom() && (target == null || target.hasRoom());
  }

  @Override
  public boolean snapshotWanted() {
    return local.snapshotWanted();
  }

  @Override
  public CompletionStage<Void> writeSnapshot(List<LiveEffect> liveState) {
    JournalEntry entry = JournalEntry.ofSnapshot(local.lastAppended(), liveState);
    BackupStream target;
    synchronized (this) {
      target = stream;
    }
    CompletionStage<Void> written = local.append(entry);
    if (target != null) {
      target.offer(entry);
    }
    return written;
  }

  @Override
  public void dropBelow(Lsn lsn) {
    BackupStream target;
    synchronized (this) {
      target = stream;
    }
    local.dropBelow(lsn);
    if (target != null) {
      target.dropBelow(lsn);
    }
  }

  @Override
  public JournalSize size() {
    return local.size();
  }

  @Override
  public void close() throws IOException {
    detach();
    local.close();
    fail(new WeftException(ErrorCode.CANCELLED, "the journal has been closed"));
  }
}
