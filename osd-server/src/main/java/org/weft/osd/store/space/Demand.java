package org.weft.osd.store.space;

/**
 * A request for blocks.
 *
 * @param stream what the blocks are for: demands of equal streams are kept together
 * @param firstBlock where in the stream the first one belongs
 * @param blockCount how many, at least one
 * @param leaveFree refused if fewer blocks of the store would stay free
 */
public record Demand(Object stream, long firstBlock, int blockCount, long leaveFree) {}
