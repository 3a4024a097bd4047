package org.weft.metadata.recovery;

import java.util.concurrent.CompletableFuture;
import org.weft.metadata.grant.WriteGrant;
import org.weft.protocol.capability.SignedCapability;

/** Puts the components of a file in order after its writer went away. Thread-safe. */
public interface FileResolver {
  /**
   * What was done.
   *
   * @param sizeBytes the file's length: the largest that a component knows since the newest
   *     truncation
   * @param createdComponents that the writer had not reached
   */
  record Resolved(long sizeBytes, int createdComponents) {}

  /**
   * Makes every parity agree with the data units that are stored. Nobody writes the file meanwhile.
   * Completes on any thread; fails with an {@link org.weft.protocol.rpc.RpcException} that names
   * the OSD that is missing.
   *
   * @param begun number above the dead grants, and what was published of the file
   * @param capability for everything on the file, under that number
   */
  CompletableFuture<Resolved> resolve(
      WriteGrant abandoned, AbandonedFiles.Begun begun, SignedCapability capability);
}
