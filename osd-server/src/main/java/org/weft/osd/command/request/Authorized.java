package org.weft.osd.command.request;

import org.weft.osd.store.PartitionState;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.id.ObjectName;

/** The rights that a command has by a capability which passed every check. */
public record Authorized(ObjectName name, Capability capability, PartitionState partition) {
  /**
   * A manager, or a process that acts for one: bound by the fence instead of the object's version
   * (P 6.2). The rights say what it may do.
   */
  public boolean manager() {
    return capability.isOfAnEpoch();
  }

  /** Nothing may change, not even what the OSD notes for itself (P 6.8d). */
  public boolean looksAlone() {
    return capability.allows(Right.LOOK) && !capability.allows(Right.MANAGE);
  }

  /**
   * A component is copied by its right: all is done under the capability's number alone (P 6.8).
   */
  public boolean copiesAlone() {
    return capability.allows(Right.COPY) && !capability.allows(Right.MANAGE);
  }

  /**
   * Handed down to the store, which checks version and fence again in the committing step (P 5.7).
   */
  public Authority authority() {
    return manager()
        ? Authority.ofManager(capability.epoch()).inAttempt(attempt())
        : Authority.ofClient(capability.grant(), capability.floor());
  }

  /**
   * A manager's right to one object alone is that of one attempt to resolve it, under the number
   * that versions are raised to. A right to all that is in the partition is the manager's own.
   */
  long attempt() {
    boolean isOfOne = capability.object().object().value() != Capability.WHOLE_PARTITION;
    return manager() && isOfOne ? capability.grant() : 0;
  }
}
