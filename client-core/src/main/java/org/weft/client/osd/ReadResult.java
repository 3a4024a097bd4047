package org.weft.client.osd;

import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.ReadReply;

/**
 * Answer to a READ.
 *
 * @param reply which blocks the payload holds, and their CRC32Cs, not yet checked
 * @param payload the bytes; who gets the result releases it once
 */
public record ReadResult(ReadReply reply, Payload payload) {}
