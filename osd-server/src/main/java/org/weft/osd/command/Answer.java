package org.weft.osd.command;

import com.google.protobuf.MessageLite;
import org.weft.protocol.rpc.Payload;

/** What a command is answered with; the payload belongs to who gets the answer. */
record Answer(MessageLite body, Payload payload) {
  static Answer of(MessageLite body) {
    return new Answer(body, Payload.EMPTY);
  }
}
