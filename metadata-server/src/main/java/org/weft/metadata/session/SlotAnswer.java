package org.weft.metadata.session;

import com.google.protobuf.ByteString;
import java.util.Objects;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.MessageText;

/**
 * How the last request of a slot was answered.
 *
 * @param refusal null if it succeeded
 * @param message of a refusal; else empty
 * @param body of the reply; empty for a refusal
 * @param seen the answer may leave once everything up to this LSN is durable (P 6.1)
 * @param recorded a record holds it: it is to be given after a restart too
 */
public record SlotAnswer(
    ErrorCode refusal, String message, ByteString body, Lsn seen, boolean recorded) {
  public SlotAnswer {
    Objects.requireNonNull(message, "message");
    Objects.requireNonNull(body, "body");
    Objects.requireNonNull(seen, "seen");
  }

  public static SlotAnswer success(ByteString body, Lsn seen) {
    return new SlotAnswer(null, "", body, seen, true);
  }

  /** A success that left no record: a restart forgets it. */
  public static SlotAnswer unrecorded(ByteString body, Lsn seen) {
    return new SlotAnswer(null, "", body, seen, false);
  }

  /** Keeps of a long message its beginning and its end: slots of many sessions stay small. */
  public static SlotAnswer refused(ErrorCode code, String message, Lsn seen) {
    return new SlotAnswer(
        Objects.requireNonNull(code), MessageText.cut(message), ByteString.EMPTY, seen, false);
  }
}
