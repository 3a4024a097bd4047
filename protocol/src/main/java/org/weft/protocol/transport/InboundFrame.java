package org.weft.protocol.transport;

import java.nio.ByteBuffer;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.rpc.Payload;

/**
 * A whole frame as it arrived. Who gets it releases the payload.
 *
 * @param head the bytes of the header as received, MAC included
 * @param body on the heap, read-only; lives as long as somebody refers to it
 */
record InboundFrame(FrameHeader header, byte[] head, ByteBuffer body, Payload payload) {}
