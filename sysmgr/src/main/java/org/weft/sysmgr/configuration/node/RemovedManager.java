package org.weft.sysmgr.configuration.node;

/**
 * A manager that does not come back.
 *
 * @param identity of its data directory, which is let in no more
 * @param host where it ran last; to show
 * @param sinceMillis wall time of its removal; to show
 */
public record RemovedManager(String identity, String host, long sinceMillis) {}
