package org.weft.sysmgr.liveness;

import org.weft.protocol.id.PartitionId;

/**
 * What a manager says of a volume.
 *
 * @param epoch under which it serves
 * @param state "serving", "recovering", "waiting for OSDs: ..."
 * @param laggingCopies metadata copies that wait for a lost OSD's return
 * @param unscrubbedFiles files whose parity waits to be scrubbed
 */
public record VolumeReport(
    PartitionId volume,
    long epoch,
    String state,
    long sessions,
    long writeGrants,
    long journalRecords,
    long journalBytes,
    long files,
    long laggingCopies,
    long unscrubbedFiles) {}
