package org.weft.protocol.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import io.netty.channel.MessageSizeEstimator;

/**
 * Counts file ranges at their length: Netty takes them for nothing, and a channel would never be
 * full.
 */
final class FrameSizes implements MessageSizeEstimator, MessageSizeEstimator.Handle {
  @Override
  public Handle newHandle() {
    return this;
  }

  @Override
  public int size(Object message) {
    if (message instanceof FileRegion region) {
      return (int) Math.min(region.count(), Integer.MAX_VALUE);
    }
    return message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
  }
}
