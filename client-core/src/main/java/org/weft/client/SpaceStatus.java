package org.weft.client;

import org.weft.client.number.UsableSpace;
import org.weft.protocol.wire.StatfsReply;

/**
 * The space of a volume, in bytes of raw capacity: what parity takes is not taken off. Where a
 * quota limits bytes: what it leaves, in bytes of files.
 *
 * @param files files and directories
 */
public record SpaceStatus(long capacityBytes, long usedBytes, long freeBytes, long files) {
  static SpaceStatus raw(StatfsReply reply) {
    return new SpaceStatus(
        reply.getCapacityBytes(), reply.getUsedBytes(), reply.getFreeBytes(), reply.getFiles());
  }

  static SpaceStatus at(StatfsReply reply) {
    return reply.hasQuotaBytes()
        ? new SpaceStatus(
            reply.getQuotaBytes(),
            reply.getQuotaUsedBytes(),
            Math.min(UsableSpace.quotaFree(reply), UsableSpace.of(reply, reply.getFreeBytes())),
            reply.hasQuotaFiles() ? reply.getQuotaUsedFiles() : reply.getFiles())
        : raw(reply);
  }
}
