package org.weft.hadoop;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.QuotaUsage;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.client.WeftQuota;

/**
 * Quotas as Hadoop shows them. Hadoop's space quota is Weft's quota of bytes. It counts the lengths
 * of files and not the space of their parity. Hadoop's quota is Weft's quota of files.
 */
final class QuotaSummaries {
  /** In Hadoop's place of a limit: there is none. */
  private static final long NONE = -1;

  /** In Hadoop's place of a limit that is not to change. */
  private static final long KEPT = Long.MAX_VALUE;

  private QuotaSummaries() {}

  /** The directory's own quota, or usage if its tree is counted without one; empty of others. */
  static Optional<WeftQuota> own(WeftFiles files, WeftPath path) throws IOException {
    WeftQuota.Over over = files.quotasOver(path);
    return over.own()
        ? Optional.of(over.quotas().get(over.quotas().size() - 1)).filter(each -> !each.counting())
        : Optional.empty();
  }

  /** Empty if the directory's tree is not counted by itself. */
  static Optional<QuotaUsage> usage(WeftFiles files, WeftPath path) throws IOException {
    return own(files, path)
        .map(
            quota ->
                new QuotaUsage.Builder()
                    .fileAndDirectoryCount(quota.usedFiles())
                    .quota(limit(quota.limits().hardFiles()))
                    .spaceConsumed(quota.usedBytes())
                    .spaceQuota(limit(quota.limits().hardBytes()))
                    .build());
  }

  /** Soft limits that no longer lie below the hard ones go. */
  static void set(WeftFiles files, WeftPath path, long hardFiles, long hardBytes)
      throws IOException {
    WeftQuota.Over over = files.quotasOver(path);
    WeftQuota.Limits now =
        over.own() ? over.quotas().get(over.quotas().size() - 1).limits() : WeftQuota.Limits.NONE;
    long newFiles = weft("quota", hardFiles, now.hardFiles());
    long newBytes = weft("space quota", hardBytes, now.hardBytes());
    WeftQuota.Limits next =
        new WeftQuota.Limits(
            newBytes,
            newFiles,
            newBytes != 0 && now.softBytes() > newBytes ? 0 : now.softBytes(),
            newFiles != 0 && now.softFiles() > newFiles ? 0 : now.softFiles());
    if (!next.equals(now)) {
      var unused = files.setQuota(path, next);
    }
  }

  private static long weft(String what, long hadoop, long now) {
    if (hadoop == KEPT) {
      return now;
    }
    if (hadoop != NONE && hadoop < 1) {
      throw new IllegalArgumentException("a " + what + " is at least 1, got " + hadoop);
    }
    return hadoop == NONE ? 0 : hadoop;
  }

  static long limit(long weft) {
    return weft == 0 ? NONE : weft;
  }
}
