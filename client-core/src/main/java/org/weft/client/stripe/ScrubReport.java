package org.weft.client.stripe;

/**
 * What a scrub found and did.
 *
 * @param eofBytes length of the file: the largest that any component knows (P 4.3)
 * @param stripes looked at
 * @param wrongUnits parity units and copies that did not belong to the data
 * @param rewrittenUnits of these; 0 when only verifying
 * @param createdComponents that a writer's death had left out
 */
public record ScrubReport(
    long eofBytes, long stripes, long wrongUnits, long rewrittenUnits, int createdComponents) {}
