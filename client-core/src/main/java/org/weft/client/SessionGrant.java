package org.weft.client;

import java.util.concurrent.CompletableFuture;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.wire.FileAttributes;

/** A write grant as the volume's manager keeps it for a session. */
record SessionGrant(VolumeCalls calls, String path, long sessionId, long objectId, long number)
    implements WriteGrant {
  @Override
  public boolean isLive() {
    return calls.isLive(sessionId);
  }

  @Override
  public CompletableFuture<FileAttributes> close(FileSink.Written written) {
    return calls.close(
        path, sessionId, objectId, number, written.sizeBytes(), written.completeUpTo(), false);
  }

  @Override
  public CompletableFuture<FileAttributes> abandon() {
    return calls.close(path, sessionId, objectId, number, 0, 0, true);
  }
}
