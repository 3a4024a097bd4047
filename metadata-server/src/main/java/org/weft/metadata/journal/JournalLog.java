package org.weft.metadata.journal;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/**
 * An append-only log of a volume's records. A record is committed when its append completes: on
 * disk here, and later on the backup as well (P 6.1). Thread-safe, but the order of appends is the
 * order of the calls, so one state machine makes them.
 *
 * <p>The first failure to write is final. Every append under way and every later one fails with it,
 * and the owner stops serving. What was acknowledged before is safe.
 */
public interface JournalLog extends AutoCloseable {
  /** Largest encoded record. */
  int MAX_RECORD_BYTES = 1 << 20;

  /**
   * What was found when the log was opened. Cheap; kept until the first append, past which asking
   * is an {@link IllegalStateException}.
   */
  JournalContents contents();

  /**
   * Appends a record whose LSN is larger than every earlier one; anything else, or a record that is
   * too large, is an {@link IllegalArgumentException}. Never blocks. Completes on the log's own
   * thread once this record and every earlier one are durable. Of records that became durable
   * together the last completes first, so that a caller that waits for all is called once. What
   * hangs on it must not block. Fails with OVERLOADED, and nothing is appended, when the queue is
   * full: ask {@link #hasRoom} before deciding.
   */
  CompletionStage<Void> append(JournalRecord record);

  /** False while the queue of records on their way to the disk is more than half full. */
  boolean hasRoom();

  /**
   * True if space could be freed except for live state that only old records hold. The owner should
   * call {@link #writeSnapshot} soon. Cheap, to be asked after each append or each {@link
   * #dropBelow}.
   */
  boolean snapshotWanted();

  /**
   * Writes the whole live state as of the last record appended, in any order that makes it again
   * when applied to nothing. Completes when it is durable; until then the older one counts.
   */
  CompletionStage<Void> writeSnapshot(List<LiveEffect> liveState);

  /**
   * Records below the LSN have their object effects on every present copy under a checkpoint.
   * Deletes the files that neither they nor the live state need any more. Never blocks.
   */
  void dropBelow(Lsn lsn);

  /** Why nothing can be appended any more, for good; empty while it can. Any thread. */
  Optional<WeftException> failure();

  /** Records and bytes that the log holds, those about to be written included; for status. */
  JournalSize size();

  /** Writes what is queued, then closes. Blocks. */
  @Override
  void close() throws IOException;
}
