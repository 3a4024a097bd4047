package org.weft.metadata.rpc;

import org.weft.metadata.volume.Caller;
import org.weft.metadata.volume.Operation;

/**
 * A request as it was read.
 *
 * @param caller null for requests about a session as a whole, which have no reply slot
 */
record VolumeOperation(long volumeId, Caller caller, Operation operation) {}
