package org.weft.metadata.volume.operation.grant;

import com.google.protobuf.MessageLite;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: each writer of a file asks for another grant, as if one of them had lost a
 * component. But none is lost (P 5.8). Then no grant is older than those that were closed since,
 * and OSDs need not remember these any more (P 5.4). Without a writer, or during a resolve, it has
 * no effect.
 */
public record RenewGrants(ObjectId object) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws WeftException {
    on.crowded(object);
    if (!on.grants().awaitsResolve(object)) {
      on.grants().of(object).stream()
          .filter(grant -> grant.state() == WriteGrant.State.HELD)
          .map(grant -> new LiveEffect.GrantResolving(grant.number(), object, true))
          .forEach(on.draft()::add);
    }
    return Empty.getDefaultInstance();
  }
}
