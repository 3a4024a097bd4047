package org.weft.metadata.volume.operation.grant;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.HeldFile;
import org.weft.metadata.volume.operation.LostComponents;
import org.weft.metadata.volume.operation.PowerLosses;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/**
 * The manager's own: begins an attempt to resolve a file (P 5.5). The LSN of the record is the
 * number of the attempt, which no other has, also not of a later manager (P 5.1). The same record
 * marks the components missing whose OSDs SysMgr has given up: only then it may go without them.
 * Answers with the file as it is published: what must not be lost of it.
 *
 * <p>OSDs that lost power and are taken as they are count as lost here. Together with those that
 * are down they may be more than the code bears.
 *
 * @param down OSDs that SysMgr calls down
 */
public record BeginResolve(Lsn number, Set<OsdId> down) implements Operation {
  public BeginResolve {
    down = Set.copyOf(down);
  }

  /**
   * @throws WeftException GRANT_REVOKED if the grant has ended; TOO_MANY_LOST if the code does not
   *     bear the loss of what is down: then it has to come back
   */
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    WriteGrant grant =
        on.grants()
            .find(number)
            .filter(WriteGrant::awaitsResolve)
            .orElseThrow(
                () ->
                    new WeftException(
                        ErrorCode.GRANT_REVOKED, "grant " + number + " has ended already"));
    Attributes file = HeldFile.attributes(on, grant);
    on.draft().add(new LiveEffect.GrantResolving(number, grant.object(), grant.renewing()));
    if (on.lengths().isLive(grant.object()) && !on.lengths().isUnheard(grant.object())) {
      // Told lengths outlive the writer: from now on no other client could tell them.
      file = on.draft().put(file);
    }
    SortedSet<Integer> lost = file.map().presentOn(down);
    if (lost.isEmpty()) {
      return Replies.attributes(file);
    }
    requireNoneComesBack(on, file, lost);
    return Replies.attributes(new LostComponents(on).mark(file, lost));
  }

  /**
   * What OSDs that lost power hold is believed only beside k others that lost nothing. While there
   * may be more of those, they are waited for (P 5.9).
   */
  private static void requireNoneComesBack(Execution on, Attributes file, SortedSet<Integer> lost)
      throws WeftException {
    StorageMap map = file.map();
    SortedSet<Integer> suspects = new PowerLosses(on, file.object()).suspectsIn(map);
    TreeSet<Integer> out = new TreeSet<>(map.missing());
    out.addAll(lost);
    out.addAll(suspects);
    List<OsdId> awaited =
        lost.stream().map(map::osdOf).filter(osd -> !on.cluster().isRemoved(osd)).toList();
    if (!suspects.isEmpty() && !awaited.isEmpty() && !map.bears(out)) {
      throw new WeftException(
          ErrorCode.TOO_MANY_LOST,
          "object "
              + file.object()
              + " ("
              + file.parent().name()
              + ") was written when OSDs "
              + suspects.stream().map(map::osdOf).toList()
              + " lost power, and what they lost may be on OSDs "
              + awaited
              + ", which are down; bring those back, or remove them from the cluster if they are"
              + " lost");
    }
  }
}
