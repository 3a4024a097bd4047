package org.weft.protocol.frame;

import org.weft.protocol.rpc.ListenOptions;

/**
 * The largest body and payload, in bytes, that a receiver takes; checked before anything is
 * allocated.
 */
public record FrameLimits(int maxBodyBytes, int maxPayloadBytes) {
  /** Until the handshake is done. */
  public static final FrameLimits HANDSHAKE = new FrameLimits(4096, 0);

  /** The largest that any receiver takes. */
  public static final FrameLimits MAX =
      new FrameLimits(ListenOptions.MAX_BODY_BYTES, ListenOptions.MAX_PAYLOAD_BYTES);

  public FrameLimits {
    if (maxBodyBytes < 0 || maxPayloadBytes < 0) {
      throw new IllegalArgumentException(
          "limits cannot be negative: body " + maxBodyBytes + ", payload " + maxPayloadBytes);
    }
  }

  public static FrameLimits of(ListenOptions options) {
    return new FrameLimits(options.maxBodyBytes(), options.maxPayloadBytes());
  }
}
