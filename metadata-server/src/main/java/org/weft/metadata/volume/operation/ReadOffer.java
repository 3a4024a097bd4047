package org.weft.metadata.volume.operation;

import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.path.ReadTrace;
import org.weft.protocol.acl.RightBits;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.ReadGrants;
import org.weft.protocol.wire.WalkStep;

/**
 * The read grants of one answer (P 6.5). Three kinds of nodes are not granted: what others are
 * about to change, files without a name, and files that are being written. The length of the last
 * moves without a record. Confined to one execution.
 */
public final class ReadOffer {
  private final Execution on;
  private final Lsn number;

  public ReadOffer(Execution on) {
    this.on = on;
    this.number = on.reads().nextNumber();
  }

  /** The grants of the names that a walk has looked up, and of its node. */
  public ReadGrants of(ReadTrace trace, Optional<Attributes> node) {
    ReadGrants.Builder grants = ReadGrants.newBuilder().setNumber(number.value());
    if (!trace.isPlain()) {
      return grants.build();
    }
    for (ReadTrace.Step step : trace.steps()) {
      WalkStep.Builder said =
          WalkStep.newBuilder()
              .setDirectoryId(step.directory().object().value())
              .setGranted(of(step.directory()))
              .setName(step.name());
      if (step.entry().isPresent()) {
        DirectoryEntry entry = step.entry().get();
        said.setObjectId(entry.object().value()).setKind(entry.kind().toMessage());
      }
      grants.addStep(said);
    }
    node.ifPresent(found -> grants.setNode(of(found)));
    return grants.build();
  }

  /** The grant of one node, as a message has it; 0 if it is not granted. */
  public int of(Attributes node) {
    ObjectId object = node.object();
    boolean steady =
        on.grants().find(object).isEmpty()
            && !on.grants().isOrphan(object)
            && !on.lengths().isLive(object);
    boolean given = steady && on.reads().give(on.session().id(), object, number, on.nowNanos());
    return given ? RightBits.GRANTED | Permissions.rights(node, on.credentials()) : 0;
  }

  /**
   * The rights of a file that is being written: owner, type and mode, which its writers do not
   * change (P 6.5c.8.22).
   */
  public ReadGrants rightsOf(Attributes file) {
    ObjectId object = file.object();
    boolean given =
        on.grants().find(object).isPresent()
            && !on.grants().isOrphan(object)
            && on.reads().give(on.session().id(), object, number, on.nowNanos());
    return ReadGrants.newBuilder()
        .setNumber(number.value())
        .setNode(given ? RightBits.RIGHTS_GRANTED : 0)
        .build();
  }
}
