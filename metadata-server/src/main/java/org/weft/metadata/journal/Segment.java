package org.weft.metadata.journal;

import org.weft.protocol.id.Lsn;

/**
 * A journal file that is not written any more.
 *
 * @param lastLsn the largest in it
 * @param records in it
 * @param endBytes behind its last frame
 */
record Segment(String name, Lsn base, Lsn lastLsn, long records, long endBytes) {}
