package org.weft.metadata.grant;

import org.weft.client.osd.OsdTarget;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Clock;

/**
 * The manager's right to everything in its partition (P 5.7, 6.2), made anew when half its life is
 * over. Thread-safe.
 */
public final class ManagerCapability {
  private static final long RENEW_AFTER_MILLIS = CapabilityMint.LIFE_MILLIS / 2;

  private final CapabilityMint mint;
  private final Clock clock;
  private final long epoch;
  private SignedCapability capability;
  private long madeMillis;

  public ManagerCapability(CapabilityMint mint, long epoch, Clock clock) {
    this.mint = mint;
    this.epoch = epoch;
    this.clock = clock;
  }

  public synchronized SignedCapability get() {
    long nowMillis = clock.nowMillis();
    if (capability == null || Math.abs(nowMillis - madeMillis) > RENEW_AFTER_MILLIS) {
      capability = mint.manager(epoch, nowMillis);
      madeMillis = nowMillis;
    }
    return capability;
  }

  public OsdTarget target(OsdId osd, int timeoutMillis) {
    return new OsdTarget(osd, get(), timeoutMillis);
  }
}
