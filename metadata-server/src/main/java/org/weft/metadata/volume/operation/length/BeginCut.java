package org.weft.metadata.volume.operation.length;

import com.google.protobuf.MessageLite;
import java.util.Set;
import java.util.SortedSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.HeldFile;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.OsdId;

/**
 * The manager's own: the file whose cut is to be finished now, as it is. Changes nothing; the
 * journal has the grant for it.
 *
 * @param down OSDs that SysMgr calls down
 */
public record BeginCut(Lsn number, Set<OsdId> down) implements Operation {
  public BeginCut {
    down = Set.copyOf(down);
  }

  /**
   * @throws WeftException GRANT_REVOKED if there is nothing to finish under that grant. UNAVAILABLE
   *     if components lie on OSDs that are down: they are to be marked missing first, which a
   *     resolve does
   */
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    WriteGrant grant =
        on.grants()
            .find(number)
            .filter(on.grants()::isUnused)
            .orElseThrow(() -> over("grant " + number + " has ended"));
    if (on.grants().isOrphan(grant.object())) {
      throw over("object " + grant.object() + " has no name any more and is not written again");
    }
    Attributes file = HeldFile.attributes(on, grant);
    if (file.truncation().trimBytes().isEmpty()) {
      throw over("the truncation of object " + file.object() + " is over");
    }
    SortedSet<Integer> lost = file.map().presentOn(down);
    if (!lost.isEmpty()) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "components %s of object %s are on OSDs %s, which are down; it is resolved without them first"
              .formatted(lost, file.object(), lost.stream().map(file.map()::osdOf).toList()));
    }
    return Replies.attributes(file);
  }

  private static WeftException over(String why) {
    return new WeftException(ErrorCode.GRANT_REVOKED, why);
  }
}
