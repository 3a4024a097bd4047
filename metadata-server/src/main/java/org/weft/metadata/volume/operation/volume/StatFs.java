package org.weft.metadata.volume.operation.volume;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.placement.PlacementSpec;
import org.weft.metadata.quota.QuotaTable;
import org.weft.metadata.quota.QuotaTree;
import org.weft.metadata.volume.execution.ClusterKnown;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.number.NumberedNodes;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.StatfsReply;

/**
 * Returns how large and how full the volume's BladeSet is, as the OSDs last said: raw bytes, parity
 * included. Returns also what the quotas that a node is under leave.
 *
 * @param node empty: quotas do not count, unless the number is there
 * @param number of the node, by which trusted sessions name it
 */
public record StatFs(Optional<NodePath> node, Optional<ObjectId> number) implements Operation {
  /** The volume as a whole. */
  public StatFs() {
    this(Optional.empty(), Optional.empty());
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    StatfsReply.Builder reply = StatfsReply.newBuilder();
    if (node.isPresent()) {
      addQuotas(on, on.walk().node(node.get()).quotaTree(), reply);
    }
    if (number.isPresent()) {
      addQuotas(on, new NumberedNodes(on).node(number.get()).quotaTree(), reply);
    }
    addSpace(on, reply);
    return reply.build();
  }

  @Override
  public boolean isAnsweredOnce() {
    return false;
  }

  private static void addQuotas(Execution on, ObjectId tree, StatfsReply.Builder reply) {
    QuotaTable table = on.quotas().table();
    table
        .tightest(tree)
        .ifPresent(
            tightest -> {
              ObjectId directory = tightest.directory();
              reply.setQuotaBytes(tightest.limits().hardBytes());
              reply.setQuotaUsedBytes(
                  table.usage(directory).bytes() + table.reservedBytes(directory));
            });
    long room = Long.MAX_VALUE;
    for (QuotaTree each : table.chain(tree)) {
      long limit = each.limits().hardFiles();
      long used = table.usage(each.directory()).files();
      if (each.counted() && limit != 0 && limit - used < room) {
        room = limit - used;
        reply.setQuotaFiles(limit).setQuotaUsedFiles(used);
      }
    }
  }

  private static void addSpace(Execution on, StatfsReply.Builder reply) throws WeftException {
    ClusterKnown known = on.cluster();
    long freeBytes = known.capacityBytes() - known.usedBytes() - known.reserveBytes();
    PlacementSpec usual = on.settings().defaultLayout();
    on.view().sawAll();
    Optional<QuotaTree> whole = on.quotas().table().tree(ObjectId.ROOT).filter(QuotaTree::counted);
    whole.ifPresent(
        tree -> reply.setVolumeBytes(on.quotas().table().usage(tree.directory()).bytes()));
    reply
        .setCapacityBytes(known.capacityBytes())
        .setUsedBytes(known.usedBytes())
        .setFreeBytes(Math.max(0, freeBytes))
        .setFiles(on.counters().files())
        .setDataUnits(on.placement().dataUnits(usual))
        .setParityUnits(usual.parityUnits());
  }
}
