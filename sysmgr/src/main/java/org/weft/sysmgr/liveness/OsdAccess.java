package org.weft.sysmgr.liveness;

import org.weft.protocol.id.OsdId;

/**
 * A manager's report on an OSD that it cannot use, or can use again.
 *
 * @param incarnation start of the OSD that this is about
 * @param lastedNanos how long that has lasted, by the manager's monotonic clock
 * @param waits what of the manager waits for the OSD, for people
 * @param problem the last error, for people
 */
public record OsdAccess(
    OsdId osd, long incarnation, boolean usable, long lastedNanos, String waits, String problem) {}
