package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.quota.QuotaLimits;
import org.weft.metadata.quota.QuotaTable;
import org.weft.metadata.quota.QuotaTree;
import org.weft.metadata.quota.QuotaUsage;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.ListQuotasReply;
import org.weft.protocol.wire.QuotaLimitsMessage;
import org.weft.protocol.wire.QuotaState;

/**
 * Tells of quotas: of all in the volume, to the superuser; or of those that a node is under, from
 * the volume's down, to whoever may look the node up.
 */
public record ListQuotas(Optional<NodePath> node) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    QuotaTable table = on.quotas().table();
    ListQuotasReply.Builder reply = ListQuotasReply.newBuilder();
    List<QuotaTree> trees = new ArrayList<>();
    if (node.isPresent()) {
      Attributes found = on.walk().node(node.get());
      trees.addAll(table.chain(found.quotaTree()));
      Collections.reverse(trees);
      reply.setOwn(table.tree(found.object()).isPresent());
    } else {
      if (!on.credentials().superuser()) {
        throw new RpcException(
            ErrorCode.PERMISSION_DENIED,
            "all quotas are listed to the superuser alone; name a path to see those it is under");
      }
      table.trees().values().stream().filter(tree -> !tree.limits().isNone()).forEach(trees::add);
    }
    on.view().sawAll();
    for (QuotaTree tree : trees) {
      reply.addQuota(state(table, tree, path(on, tree)));
    }
    return reply.build();
  }

  /** Where the directory is now; where it was when the quota was set, if that cannot be said. */
  private static String path(Execution on, QuotaTree tree) throws NotCached {
    List<String> names = new ArrayList<>();
    ObjectId next = tree.directory();
    while (!next.equals(ObjectId.ROOT)) {
      Optional<Attributes> found = on.view().find(next, List.of());
      if (found.isEmpty() || names.size() > NodePath.MAX_DEPTH) {
        return tree.path();
      }
      names.add(found.get().parent().name());
      next = found.get().parent().directory();
    }
    Collections.reverse(names);
    return String.join("/", names);
  }

  static QuotaState state(QuotaTable table, QuotaTree tree, String path) {
    QuotaUsage usage = table.usage(tree.directory());
    QuotaLimits limits = tree.limits();
    return QuotaState.newBuilder()
        .setPath(path)
        .setLimits(
            QuotaLimitsMessage.newBuilder()
                .setHardBytes(limits.hardBytes())
                .setHardFiles(limits.hardFiles())
                .setSoftBytes(limits.softBytes())
                .setSoftFiles(limits.softFiles()))
        .setUsedBytes(usage.bytes())
        .setUsedFiles(usage.files())
        .setReservedBytes(table.reservedBytes(tree.directory()))
        .setCounting(!tree.counted())
        .setSoftBytesSinceMillis(usage.softBytesSinceMillis())
        .setSoftFilesSinceMillis(usage.softFilesSinceMillis())
        .build();
  }
}
