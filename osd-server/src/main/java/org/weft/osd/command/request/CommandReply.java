package org.weft.osd.command.request;

import com.google.protobuf.MessageLite;
import org.weft.protocol.rpc.Payload;

/** The reply to a command; the payload belongs to the receiver. */
public record CommandReply(MessageLite body, Payload payload) {
  /** One without bytes. */
  public static CommandReply of(MessageLite body) {
    return new CommandReply(body, Payload.EMPTY);
  }
}
