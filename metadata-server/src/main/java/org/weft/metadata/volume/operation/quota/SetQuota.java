package org.weft.metadata.volume.operation.quota;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.QuotaEffect;
import org.weft.metadata.quota.QuotaLimits;
import org.weft.metadata.quota.QuotaTable;
import org.weft.metadata.quota.QuotaTree;
import org.weft.metadata.quota.QuotaUsage;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.SetQuotaReply;

/**
 * Limits what a directory's tree may hold, or does not any more (P 6.6a). A tree that was never
 * counted is counted first, in the background: {@link CountTree}. Contents beyond a new limit stay.
 *
 * @param shownPath where the directory is, for people
 * @param limits all of them; none clears the quota
 */
public record SetQuota(NodePath path, String shownPath, QuotaLimits limits) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes directory = on.walk().node(path);
    if (!on.credentials().superuser()) {
      throw new WeftException(
          ErrorCode.PERMISSION_DENIED,
          "quotas are set by the superuser " + on.settings().superuser() + " alone");
    }
    if (!directory.isDirectory()) {
      throw new WeftException(
          ErrorCode.NOT_DIRECTORY,
          "/" + shownPath + " is no directory; a quota is set on a directory");
    }
    QuotaTable table = on.quotas().table();
    Optional<QuotaTree> known = table.tree(directory.object());
    boolean limited = known.isPresent() && !known.get().limits().isNone();
    if (limits.isNone() && !limited) {
      throw new WeftException(ErrorCode.NOT_FOUND, "/" + shownPath + " has no quota");
    }
    QuotaTree tree =
        known.isPresent() ? known.get().limited(limits, shownPath) : made(on, directory);
    on.draft().add(new QuotaEffect.TreePut(tree));
    QuotaUsage usage = table.usage(directory.object());
    QuotaUsage judged = usage.against(limits, on.nowMillis());
    if (known.isPresent() && !judged.equals(usage)) {
      on.draft().add(new QuotaEffect.TreeUsed(directory.object(), judged));
    }
    return SetQuotaReply.newBuilder().setQuota(ListQuotas.state(table, tree, shownPath)).build();
  }

  private QuotaTree made(Execution on, Attributes directory) throws WeftException {
    QuotaTable table = on.quotas().table();
    ObjectId outer = directory.quotaTree();
    // Any tree of the outer one may lie in the directory, and come to lie within the new one.
    int within = directory.entries() == 0 ? 0 : table.heightWithin(outer);
    boolean deep = table.chain(outer).size() + 1 + within > QuotaTable.MAX_NESTED;
    if (table.trees().size() >= QuotaTable.MAX_TREES || deep) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a volume has at most %d directories with quotas, and at most %d of them around each other"
              .formatted(QuotaTable.MAX_TREES, QuotaTable.MAX_NESTED));
    }
    ObjectId id = directory.object();
    var unused = on.draft().put(directory.edit().quotaTree(id).build());
    return new QuotaTree(id, directory.quotaTree(), shownPath, limits, directory.entries() == 0);
  }
}
