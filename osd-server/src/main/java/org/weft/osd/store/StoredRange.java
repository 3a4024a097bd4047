package org.weft.osd.store;

import java.util.List;
import org.weft.osd.store.value.BlockRun;
import org.weft.osd.store.value.Stamp;
import org.weft.protocol.rpc.Payload;

/**
 * What is stored of a range. The payload's bytes do not change, and their blocks are not used again
 * until it is released (P 5.2). The receiver of the result releases it, once.
 *
 * @param eofBytes file length as this component knows it
 * @param runs blocks that are stored, ascending; others of the range read as zeros
 * @param blockCrcs CRC32C of each block of the payload, as stored
 * @param payload the blocks of all runs, one after another; not checked against the CRCs here
 * @param stamps empty unless asked for
 */
public record StoredRange(
    long eofBytes,
    int truncationNumber,
    int mapGeneration,
    List<BlockRun> runs,
    int[] blockCrcs,
    Payload payload,
    boolean pending,
    List<Stamp> stamps) {}
