package org.weft.client.stripe.hedge;

/**
 * Counts the units that were not waited for, since the client began.
 *
 * @param begun units were late, and others were asked for
 * @param won the others came first
 * @param refused units were late, and the budget was spent
 */
public record HedgeCounts(long begun, long won, long refused) {}
