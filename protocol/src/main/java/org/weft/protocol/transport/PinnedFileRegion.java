package org.weft.protocol.transport;

import io.netty.channel.DefaultFileRegion;
import org.weft.protocol.rpc.FilePayload;

/** A range of a file that stays open: Netty's own region would close it. */
final class PinnedFileRegion extends DefaultFileRegion {
  PinnedFileRegion(FilePayload.Range range) {
    super(range.channel(), range.offsetBytes(), range.lengthBytes());
  }

  @Override
  protected void deallocate() {
    // The file belongs to the payload's maker; the payload's release ends the pin on the range.
  }
}
