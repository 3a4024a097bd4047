package org.weft.client.osd;

import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.OsdId;

/**
 * Whom to call, with what right, and for how long.
 *
 * @param capability goes into the request's body, and its secret signs the request
 * @param timeoutMillis past it the call fails with DEADLINE_EXCEEDED
 */
public record OsdTarget(OsdId osd, SignedCapability capability, int timeoutMillis) {}
