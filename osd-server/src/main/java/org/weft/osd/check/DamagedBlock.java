package org.weft.osd.check;

import java.util.Optional;
import org.weft.protocol.id.ObjectName;

/**
 * A block whose bytes do not match their checksum.
 *
 * @param file name of the segment's
 * @param block number in it
 * @param object whose block it is; empty if its name is damaged, too
 * @param objectBlock number in the object
 */
public record DamagedBlock(
    String file, long block, Optional<ObjectName> object, long objectBlock) {}
