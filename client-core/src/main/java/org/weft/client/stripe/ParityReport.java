package org.weft.client.stripe;

/**
 * What a check of a file's parity found.
 *
 * @param eofBytes length of the file, the largest that a component knows since the newest
 *     truncation
 * @param stripes looked at
 * @param wrongUnits parities and copies that do not belong to the data, and units that hold
 *     something behind the end of the file
 */
public record ParityReport(long eofBytes, long stripes, long wrongUnits) {}
