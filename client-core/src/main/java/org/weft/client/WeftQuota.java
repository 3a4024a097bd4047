package org.weft.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.weft.protocol.wire.ListQuotasReply;
import org.weft.protocol.wire.QuotaLimitsMessage;
import org.weft.protocol.wire.QuotaState;

/**
 * The quota of a directory's tree (P 6.6a). Bytes are lengths of files; files are nodes of every
 * kind, the directory itself too. Immutable.
 *
 * @param path the directory's, in the cluster
 * @param reservedBytes promised to files that are being written, and not written yet
 * @param counting the tree is being counted; nothing is refused yet, and usage is not all of it
 * @param softBytesSinceMillis since 1970; 0: the soft limit of bytes is not exceeded
 * @param softFilesSinceMillis the same of files
 */
public record WeftQuota(
    WeftPath path,
    Limits limits,
    long usedBytes,
    long usedFiles,
    long reservedBytes,
    boolean counting,
    long softBytesSinceMillis,
    long softFilesSinceMillis) {
  /** What a tree may hold; 0: no limit. */
  public record Limits(long hardBytes, long hardFiles, long softBytes, long softFiles) {
    /** No limit of anything. */
    public static final Limits NONE = new Limits(0, 0, 0, 0);

    QuotaLimitsMessage toMessage() {
      return QuotaLimitsMessage.newBuilder()
          .setHardBytes(hardBytes)
          .setHardFiles(hardFiles)
          .setSoftBytes(softBytes)
          .setSoftFiles(softFiles)
          .build();
    }
  }

  /**
   * The quotas that a node is under.
   *
   * @param quotas from the volume's down; some may have no limits
   * @param own the last one is of the node itself
   */
  public record Over(List<WeftQuota> quotas, boolean own) {
    public Over {
      quotas = List.copyOf(quotas);
    }
  }

  public WeftQuota {
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(limits, "limits");
  }

  static Over fromMessage(String mountPath, ListQuotasReply reply) {
    List<WeftQuota> quotas = new ArrayList<>();
    reply.getQuotaList().forEach(state -> quotas.add(fromMessage(mountPath, state)));
    return new Over(quotas, reply.getOwn());
  }

  /**
   * @param mountPath where the volume stands
   */
  static WeftQuota fromMessage(String mountPath, QuotaState state) {
    String above = mountPath.equals("/") ? "" : mountPath;
    String path = state.getPath().isEmpty() ? mountPath : above + "/" + state.getPath();
    QuotaLimitsMessage limits = state.getLimits();
    return new WeftQuota(
        WeftPath.of(path),
        new Limits(
            limits.getHardBytes(),
            limits.getHardFiles(),
            limits.getSoftBytes(),
            limits.getSoftFiles()),
        state.getUsedBytes(),
        state.getUsedFiles(),
        state.getReservedBytes(),
        state.getCounting(),
        state.getSoftBytesSinceMillis(),
        state.getSoftFilesSinceMillis());
  }
}
