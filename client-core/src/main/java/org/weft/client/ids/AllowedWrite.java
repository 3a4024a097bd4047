package org.weft.client.ids;

import java.util.concurrent.CompletableFuture;
import org.weft.protocol.rpc.Payload;

/** A write of a file that its caller is allowed to do, as of a moment ago. */
@FunctionalInterface
public interface AllowedWrite {
  /**
   * Writes bytes of the regular file. UNSTABLE bytes may be kept in memory; reads of this client
   * see them at once, other clients when they are sent.
   *
   * @param bytes taken over and released, whatever comes of it
   */
  CompletableFuture<Answers.BytesWritten> write(long offsetBytes, Payload bytes);
}
