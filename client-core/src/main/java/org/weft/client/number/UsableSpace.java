package org.weft.client.number;

import org.weft.client.ids.Answers;
import org.weft.client.ids.NodeAttributes;
import org.weft.protocol.wire.StatfsReply;

/** Space in bytes of files, as programs on a mounted file system expect it. */
public final class UsableSpace {
  private UsableSpace() {}

  static Answers.Space of(StatfsReply reply, NodeAttributes node) {
    long total = of(reply, reply.getCapacityBytes());
    long free = of(reply, reply.getFreeBytes());
    return reply.hasQuotaBytes()
        ? new Answers.Space(
            Math.min(reply.getQuotaBytes(), total),
            Math.min(quotaFree(reply), free),
            reply.getFiles(),
            node)
        : new Answers.Space(total, free, reply.getFiles(), node);
  }

  /** What the quota leaves. */
  public static long quotaFree(StatfsReply reply) {
    return Math.max(0, reply.getQuotaBytes() - reply.getQuotaUsedBytes());
  }

  /** What is left of bytes on OSDs when the parity of usual files is taken off. */
  public static long of(StatfsReply space, long rawBytes) {
    int units = space.getDataUnits() + space.getParityUnits();
    return space.getDataUnits() == 0 ? rawBytes : rawBytes / units * space.getDataUnits();
  }
}
