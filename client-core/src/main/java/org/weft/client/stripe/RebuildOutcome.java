package org.weft.client.stripe;

/**
 * What became of a component that was written anew.
 *
 * @param lostBlocks blocks of it that too few of the others could give: they read as damaged
 */
public record RebuildOutcome(long lostBlocks) {}
