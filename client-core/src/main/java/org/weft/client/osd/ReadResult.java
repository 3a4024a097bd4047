package org.weft.client.osd;

import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.ReadReply;

/**
 * Answer to a READ.
 *
 * @param reply which blocks the payload holds, without their CRC32Cs
 * @param crcs the CRC32Cs of the payload's blocks, not yet checked
 * @param payload the bytes; to be released once by what gets the result
 */
public record ReadResult(ReadReply reply, BlockCrcs crcs, Payload payload) {}
