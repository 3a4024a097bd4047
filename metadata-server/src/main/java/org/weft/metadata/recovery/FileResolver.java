package org.weft.metadata.recovery;

import java.util.concurrent.CompletableFuture;
import org.weft.metadata.grant.WriteGrant;
import org.weft.protocol.capability.SignedCapability;
import org.weft.recovery.resolve.ResolveOutcome;

/** Decides what writers left pending on the components of a file (P 5.5). Thread-safe. */
public interface FileResolver {
  /**
   * Makes all components agree. No client writes the file meanwhile. Completes on any thread; fails
   * with an {@link org.weft.protocol.error.WeftException} that names the OSD that does not answer.
   *
   * @param oldest the oldest grant on the file that is not in order
   * @param begun number above the dead grants, and what was published of the file
   * @param capability for everything on the file, under that number
   * @param asItIs more of the file is gone than its code bears, and does not come back
   */
  CompletableFuture<ResolveOutcome> resolve(
      WriteGrant oldest, AbandonedFiles.Begun begun, SignedCapability capability, boolean asItIs);
}
