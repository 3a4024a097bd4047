package org.weft.protocol.transport;

import java.nio.ByteBuffer;
import org.weft.protocol.frame.FrameHeader;

/** A frame as it stands in the stream; unsigned. */
record SentFrame(FrameHeader header, byte[] body, byte[] payload) {
  byte[] bytes() {
    ByteBuffer bytes = ByteBuffer.allocate(FrameHeader.BYTES + body.length + payload.length);
    header.encode(bytes);
    return bytes.put(body).put(payload).array();
  }
}
