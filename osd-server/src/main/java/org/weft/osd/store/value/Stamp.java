package org.weft.osd.store.value;

/** The write that blocks carry (P 5.6). */
public record Stamp(long firstBlock, int blockCount, long grant, long sequence) {}
