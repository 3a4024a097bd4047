package org.weft.osd.check;

/**
 * A block whose bytes do not match their checksum.
 *
 * @param file name of the segment's
 * @param block number in it
 */
public record DamagedBlock(String file, long block) {}
