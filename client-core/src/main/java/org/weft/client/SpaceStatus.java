package org.weft.client;

import org.weft.protocol.wire.StatfsReply;

/**
 * The space of a volume, in bytes of raw capacity: what parity takes is not taken off.
 *
 * @param files files and directories
 */
public record SpaceStatus(long capacityBytes, long usedBytes, long freeBytes, long files) {
  static SpaceStatus fromMessage(StatfsReply reply) {
    return new SpaceStatus(
        reply.getCapacityBytes(), reply.getUsedBytes(), reply.getFreeBytes(), reply.getFiles());
  }
}
