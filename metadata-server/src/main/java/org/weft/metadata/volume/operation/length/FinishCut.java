package org.weft.metadata.volume.operation.length;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import java.util.OptionalLong;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.Truncation;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.HeldFile;
import org.weft.metadata.volume.operation.PowerLosses;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: under a grant of its own it has made zeros of the rest of the last stripe, and
 * has cut all components. All of that is on stable storage. The truncation is over (P 4.3). The
 * grant stays until the file was resolved: then all components know that what was written under it
 * is complete. Without effect if the file is gone.
 *
 * @param truncation which one; a later one is not ended by it
 * @param generation of the map by which it was made
 */
public record FinishCut(Lsn number, int truncation, int generation) implements Operation {
  /**
   * @throws WeftException UNAVAILABLE if what was done does not count any more. Another attempt to
   *     put the file in order has begun, components were lost meanwhile, or OSDs lost power
   */
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Optional<WriteGrant> found = on.grants().find(number);
    if (found.isEmpty()) {
      return Empty.getDefaultInstance();
    }
    WriteGrant grant = found.get();
    Attributes file = HeldFile.attributes(on, grant);
    boolean counts =
        on.grants().isUnused(grant)
            && file.map().generation() == generation
            && file.truncation().number() == truncation
            && new PowerLosses(on, grant.object()).decided().suspects().isEmpty();
    if (!counts) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "object " + grant.object() + " changed while its truncation was being finished");
    }
    Truncation done = new Truncation(truncation, OptionalLong.empty());
    on.draft().put(file.edit().truncation(done).build());
    return Empty.getDefaultInstance();
  }
}
