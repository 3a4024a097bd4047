package org.weft.metadata.volume.operation.quota;

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
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.ListQuotasReply;
import org.weft.protocol.wire.QuotaLimitsMessage;
import org.weft.protocol.wire.QuotaState;

/**
 * Lists quotas. A superuser gets all in the volume. A user that may look a node up gets those that
 * the node is under, from the volume's down.
 *
 * @param after of all: the page begins behind the quota of this directory; 0: at the first
 * @param most of all: quotas on the page; 0: all of them
 */
public record ListQuotas(Optional<NodePath> node, ObjectId after, int most) implements Operation {
  /** Quotas on one page; their paths are looked up, and are long. */
  private static final int MAX_ON_PAGE = 100;

  /** The quotas that a node is under. */
  public static ListQuotas of(NodePath node) {
    return new ListQuotas(Optional.of(node), ObjectId.ROOT, 0);
  }

  @Override
  public Operation lessened() {
    return most > 1 ? new ListQuotas(node, after, most / 2) : this;
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    QuotaTable table = on.quotas().table();
    ListQuotasReply.Builder reply = ListQuotasReply.newBuilder();
    List<QuotaTree> trees;
    if (node.isPresent()) {
      Attributes found = on.walk().node(node.get());
      trees = new ArrayList<>(table.chain(found.quotaTree()));
      Collections.reverse(trees);
      reply.setOwn(table.tree(found.object()).isPresent());
    } else {
      trees = page(on, table, reply);
    }
    on.view().sawAll();
    for (QuotaTree tree : trees) {
      reply.addQuota(state(table, tree, path(on, tree)));
    }
    return reply.build();
  }

  @Override
  public boolean isAnsweredOnce() {
    return false;
  }

  private List<QuotaTree> page(Execution on, QuotaTable table, ListQuotasReply.Builder reply)
      throws WeftException {
    if (!on.credentials().superuser()) {
      throw new WeftException(
          ErrorCode.PERMISSION_DENIED,
          "all quotas are listed to the superuser alone; name a path to see those it is under");
    }
    List<QuotaTree> trees = new ArrayList<>();
    for (QuotaTree tree : table.trees().tailMap(after).values()) {
      if (tree.limits().isNone() || tree.directory().equals(after)) {
        continue;
      }
      if (trees.size() == size()) {
        reply.setNext(trees.get(trees.size() - 1).directory().value());
        break;
      }
      trees.add(tree);
    }
    return trees;
  }

  private int size() {
    return most == 0 ? Integer.MAX_VALUE : Math.min(most, MAX_ON_PAGE);
  }

  /** Where the directory is now; where it was when the quota was set, if that cannot be said. */
  private static String path(Execution on, QuotaTree tree) throws NeedsInput {
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
