package org.weft.metadata.backup;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.weft.metadata.journal.FileJournal;
import org.weft.metadata.journal.JournalEntry;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.AppendCopyRequest;
import org.weft.protocol.wire.CopiedFrame;
import org.weft.protocol.wire.CopyIdentity;

/**
 * A copy of a journal that is being written, and its warm state (P 6.2, 6.3a). Confined to the
 * executor of all copies, but for {@link #isBroken}.
 */
final class BackupCopy {
  private final CopyIdentity identity;
  private final FileJournal journal;
  private final WarmCopy warm;
  private long sequence;
  private boolean named;
  private volatile boolean broken;
  private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
  private Lsn newest = Lsn.ZERO;
  private List<byte[]> snapshot = new ArrayList<>();

  BackupCopy(CopyIdentity identity, FileJournal journal, WarmCopy warm) {
    this.identity = identity;
    this.journal = journal;
    this.warm = warm;
  }

  CopyIdentity identity() {
    return identity;
  }

  long volume() {
    return identity.getVolumeId();
  }

  FileJournal journal() {
    return journal;
  }

  WarmCopy warm() {
    return warm;
  }

  /** The volume's row has named this manager its backup since the copy was begun. */
  boolean isNamed() {
    return named;
  }

  void named() {
    named = true;
  }

  /** A write was refused: nothing may follow it. Any thread. */
  boolean isBroken() {
    return broken;
  }

  void broken() {
    broken = true;
  }

  /** Completes when all that was appended is durable. */
  CompletableFuture<Void> last() {
    return last;
  }

  /** What was appended last. */
  Lsn newest() {
    return newest;
  }

  /**
   * Appends what one request holds; completes when it is durable. One that came already is answered
   * as it was then. One without records asks for a sign of life: nothing is written for it, and a
   * journal that has failed refuses it.
   *
   * @throws WeftException INVALID_ARGUMENT if a request is missing before this one. NOT_FOUND if a
   *     record is missing: then nothing of the request is written, and the copy is to be given up
   */
  CompletableFuture<Void> append(AppendCopyRequest request) throws WeftException {
    List<JournalEntry> entries = new ArrayList<>();
    for (CopiedFrame frame : request.getFramesList()) {
      take(frame).ifPresent(entries::add);
    }
    CompletableFuture<Void> written = write(entries);
    journal.dropBelow(new Lsn(request.getDropBelow()));
    sequence = request.getSequence();
    Lsn from = new Lsn(request.getRedoFrom());
    boolean isWhole = request.getWhole();
    // Nothing that may not be there after a crash is applied; the answer does not wait for that.
    last = written.thenRun(() -> warm.durable(entries, from, isWhole));
    return last;
  }

  /** True if the request came before. */
  boolean isRepeated(AppendCopyRequest request) throws WeftException {
    if (request.getSequence() == sequence) {
      return true;
    }
    if (request.getSequence() != sequence + 1) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "request " + request.getSequence() + " of a copy cannot follow request " + sequence);
    }
    return false;
  }

  /** What is to be written now; what is there already is not. */
  private Optional<JournalEntry> take(CopiedFrame frame) throws WeftException {
    Lsn lsn = new Lsn(frame.getLsn());
    byte[] body = frame.getBody().toByteArray();
    if (!frame.getSnapshot()) {
      snapshot = new ArrayList<>();
      return lsn.compareTo(newest) <= 0
          ? Optional.empty()
          : Optional.of(taken(new JournalEntry(false, lsn, List.of(body))));
    }
    snapshot.add(body);
    if (!frame.getLast()) {
      return Optional.empty();
    }
    List<byte[]> parts = snapshot;
    snapshot = new ArrayList<>();
    return lsn.compareTo(newest) < 0
        ? Optional.empty()
        : Optional.of(taken(new JournalEntry(true, lsn, parts)));
  }

  /**
   * A failure gives the copy up: nothing else is taken for what it lacks. One that lacked a record
   * would be promoted without it.
   */
  private JournalEntry taken(JournalEntry entry) throws WeftException {
    if (!entry.follows(newest)) {
      throw new WeftException(
          ErrorCode.NOT_FOUND,
          "the copy has to be begun again: something is missing between "
              + newest
              + " and "
              + entry.lsn());
    }
    newest = entry.lsn();
    return entry;
  }

  private CompletableFuture<Void> write(List<JournalEntry> entries) throws WeftException {
    if (entries.isEmpty()) {
      Optional<WeftException> failure = journal.failure();
      if (failure.isPresent()) {
        throw refusal(CompletableFuture.failedFuture(failure.get()));
      }
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> written = journal.append(entries).toCompletableFuture();
    if (written.isCompletedExceptionally()) {
      throw refusal(written);
    }
    return written;
  }

  /** The sender is not to repeat it, whatever the journal would have said to its own volume. */
  private static WeftException refusal(CompletableFuture<Void> failed) {
    try {
      failed.join();
      throw new IllegalStateException("the write has not failed");
    } catch (CompletionException e) {
      return new WeftException(
          ErrorCode.NOT_FOUND,
          "the copy cannot be written, and has to be begun again: "
              + WeftException.of(e).getMessage(),
          e);
    }
  }
}
