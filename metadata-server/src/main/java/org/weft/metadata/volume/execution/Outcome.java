package org.weft.metadata.volume.execution;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.objects.Missing;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;

/** What came of executing an operation. */
public sealed interface Outcome {
  /** The operation needs more than is in memory. */
  static Outcome of(NeedsInput needed) {
    return needed.length().<Outcome>map(Ask::new).orElseGet(() -> new Need(needed.missing()));
  }

  /** Something must be loaded; execute again from scratch after that. Never empty. */
  record Need(List<Missing> missing) implements Outcome {}

  /** The operation waits for others. It is executed again when nothing is awaited any more. */
  sealed interface Waits extends Outcome {}

  /** Only the file's writer knows how long it is: execute again when it has said so. */
  record Ask(ObjectId object) implements Waits {}

  /** Sessions may rely on these objects. The operation is executed again when none does (P 6.5). */
  record Recall(SortedSet<ObjectId> objects) implements Waits {}

  /** Too much waits to be flushed for one more change: execute again when there is room. */
  record NoRoom() implements Outcome {}

  /**
   * The operation is decided, and applied to the state.
   *
   * @param seen the reply may leave once everything up to this LSN is durable (P 6.1)
   * @param record to be journalled, if something changes
   */
  record Done(MessageLite reply, Lsn seen, Optional<JournalRecord> record) implements Outcome {}

  /**
   * The request is refused.
   *
   * @param seen the refusal may leave once everything up to this LSN is durable
   */
  record Refused(WeftException why, Lsn seen) implements Outcome {}
}
