package org.weft.osd.command.request;

import com.google.protobuf.Parser;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;

/**
 * One command as a handler sees it: alone in its frame, or an item of a BATCH. Body and payload are
 * valid until the frame is answered.
 */
public interface ReceivedCommand {
  Opcode opcode();

  /** Parses the body; MALFORMED if it is not such a message. */
  <T> T parse(Parser<T> parser) throws WeftException;

  /** The bytes behind the body; they stay the transport's. */
  Payload payload();

  /** True if the MAC of the frame, or of the item, was made with the secret (P 5.7). */
  boolean signedWith(byte[] secret);
}
