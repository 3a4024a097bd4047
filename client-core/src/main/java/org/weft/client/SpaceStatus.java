package org.weft.client;

import org.weft.client.ids.Answers;
import org.weft.client.ids.NodeAttributes;
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
            Math.min(quotaFree(reply), usable(reply, reply.getFreeBytes())),
            reply.hasQuotaFiles() ? reply.getQuotaUsedFiles() : reply.getFiles())
        : raw(reply);
  }

  /** In bytes of files, as programs on a mounted file system expect it. */
  static Answers.Space usable(StatfsReply reply, NodeAttributes node) {
    long total = usable(reply, reply.getCapacityBytes());
    long free = usable(reply, reply.getFreeBytes());
    return reply.hasQuotaBytes()
        ? new Answers.Space(
            Math.min(reply.getQuotaBytes(), total),
            Math.min(quotaFree(reply), free),
            reply.getFiles(),
            node)
        : new Answers.Space(total, free, reply.getFiles(), node);
  }

  private static long quotaFree(StatfsReply reply) {
    return Math.max(0, reply.getQuotaBytes() - reply.getQuotaUsedBytes());
  }

  /** What is left of bytes on OSDs when the parity of usual files is taken off. */
  private static long usable(StatfsReply space, long rawBytes) {
    int units = space.getDataUnits() + space.getParityUnits();
    return space.getDataUnits() == 0 ? rawBytes : rawBytes / units * space.getDataUnits();
  }
}
