package org.weft.metadata.volume.length;

import org.weft.metadata.grant.WriteGrant;
import org.weft.protocol.id.Lsn;

/**
 * Asks the holder of a write grant how long its file is (P 6.5).
 *
 * @param number larger than that of any question before
 */
public record LengthQuestion(WriteGrant writer, Lsn number) {}
