package org.weft.metadata.grant;

import org.weft.client.osd.OsdTarget;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.OsdId;

/**
 * The manager's right to everything in its partition (P 5.7, 6.2). It never expires: fences end it,
 * and an OSD whose clock is wrong must not refuse its manager. Immutable.
 */
public final class ManagerCapability {
  private final SignedCapability capability;

  public ManagerCapability(CapabilityMint mint, long epoch) {
    this(mint.manager(epoch));
  }

  private ManagerCapability(SignedCapability capability) {
    this.capability = capability;
  }

  /** The right of a check that changes nothing, and reads in the last known epoch. */
  public static ManagerCapability looking(CapabilityMint mint, long epoch) {
    return new ManagerCapability(mint.looker(epoch));
  }

  public SignedCapability get() {
    return capability;
  }

  public OsdTarget target(OsdId osd, int timeoutMillis) {
    return new OsdTarget(osd, capability, timeoutMillis);
  }
}
