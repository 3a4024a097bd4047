package org.weft.metadata.journal;

/**
 * How much a journal holds.
 *
 * @param records not dropped yet
 * @param bytes of the files
 */
public record JournalSize(long records, long bytes) {}
