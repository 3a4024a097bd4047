package org.weft.client.osd;

import org.weft.protocol.rpc.Payload;

/**
 * Answer to a command that shows what a write changes (P 5.3).
 *
 * @param reply with the CRC32Cs of the payload's blocks, not yet checked
 * @param payload old ⊕ new, in whole blocks; the receiver of the result releases it once
 */
public record DeltaResult<T>(T reply, Payload payload) {}
