package org.weft.client.osd;

import java.util.OptionalLong;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.OsdId;

/**
 * Which OSD to call, with what right, and for how long.
 *
 * @param capability goes into the request's body, and its secret signs the request
 * @param timeoutMillis past it the call fails with DEADLINE_EXCEEDED
 * @param start the only incarnation that is meant, if it matters. A later one may lack what was
 *     read or written there before, and the call fails with UNAVAILABLE
 */
public record OsdTarget(
    OsdId osd, SignedCapability capability, int timeoutMillis, OptionalLong start) {
  /** Whatever start of it answers. */
  public OsdTarget(OsdId osd, SignedCapability capability, int timeoutMillis) {
    this(osd, capability, timeoutMillis, OptionalLong.empty());
  }
}
