package org.weft.metadata.volume.operation.salvage;

import com.google.protobuf.MessageLite;
import java.util.List;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.LaggingAdded;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own, when it recovers a volume from its OSDs (P 6.8e). It journals, of nodes that
 * were found, which copies are out of date, what is to be removed, and what is to be rebuilt.
 *
 * @param nodes at most a few hundred, so that the record is far below the largest
 */
public record TakeSalvaged(List<SalvagedNode> nodes) implements Operation {
  public TakeSalvaged {
    nodes = List.copyOf(nodes);
  }

  @Override
  public MessageLite execute(Execution on) {
    for (SalvagedNode each : nodes) {
      ObjectId object = each.node().object();
      each.stale()
          .forEach(
              osd -> on.draft().add(new LaggingAdded(osd, object, LaggingKind.REFRESH, Lsn.ZERO)));
      // By the record's number: it is larger than every version and grant of the epochs before.
      each.leftover()
          .forEach(
              osd ->
                  on.draft()
                      .add(new LaggingAdded(osd, object, LaggingKind.REMOVE, on.draft().lsn())));
      each.toRebuild()
          .forEach(
              component ->
                  on.draft()
                      .add(
                          new LiveEffect.RepairAdded(
                              object, each.node().map().osdOf(component), component)));
    }
    return Empty.getDefaultInstance();
  }
}
