package org.weft.sysmgr.configuration.volume;

/**
 * An operator's order to recover a volume from its OSDs (P 6.8e). It stands until a manager has
 * carried it out: whichever manager has the volume meanwhile begins anew.
 *
 * @param firstEpoch the one that began with it
 * @param reason why it was ordered although a manager may have the journal; empty: none was heard
 * @param sinceMillis to show
 */
public record OrderedRecovery(long firstEpoch, String reason, long sinceMillis) {}
