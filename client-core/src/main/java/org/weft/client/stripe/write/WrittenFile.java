package org.weft.client.stripe.write;

import org.weft.client.stripe.base.CompletePoint;

/**
 * What a writer has stored: every component that the map calls present has acknowledged all of it.
 *
 * @param sizeBytes length of the file
 * @param complete last write sequence number used; all up to it are complete. 0 if nothing was
 *     written
 */
public record WrittenFile(long sizeBytes, CompletePoint complete) {}
