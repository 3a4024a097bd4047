package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * The manager's own: begins an attempt to resolve a file (P 5.5). The LSN of the record is the
 * number of the attempt, which no other has, also not of a later manager (P 5.1). The same record
 * marks the components missing whose OSDs SysMgr has given up: only then it may go without them.
 * Answers with the file as it is published: what must not be lost of it.
 *
 * @param down OSDs that SysMgr calls down
 */
public record BeginResolve(Lsn number, Set<OsdId> down) implements Operation {
  public BeginResolve {
    down = Set.copyOf(down);
  }

  /**
   * @throws RpcException GRANT_REVOKED if the grant has ended; TOO_MANY_LOST if the code does not
   *     bear the loss of what is down: then it has to come back
   */
  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    WriteGrant grant =
        on.grants()
            .find(number)
            .filter(WriteGrant::awaitsResolve)
            .orElseThrow(
                () ->
                    new RpcException(
                        ErrorCode.GRANT_REVOKED, "grant " + number + " has ended already"));
    Attributes file =
        on.view()
            .attributes(
                grant.object(),
                grant.map().attributeHolders(on.settings().metaCopies()),
                "object " + grant.object());
    on.draft().add(new LiveEffect.GrantResolving(number, grant.object(), grant.renewing()));
    List<Integer> lost = downIn(file.map());
    return Replies.attributes(lost.isEmpty() ? file : new LostComponents(on).mark(file, lost));
  }

  private List<Integer> downIn(StorageMap map) {
    return IntStream.range(0, map.components().size())
        .filter(component -> !map.isMissing(component))
        .filter(component -> down.contains(map.osdOf(component)))
        .boxed()
        .toList();
  }
}
