package org.weft.metadata.volume.operation.repair;

import com.google.protobuf.MessageLite;
import java.util.Objects;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: a component is not written anew after all. Its bytes are removed (P 6.8). A
 * rebuild that has ended already is no error.
 *
 * @param number under which it was written
 */
public record AbandonRebuild(ObjectId object, Lsn number) implements Operation {
  public AbandonRebuild {
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(number, "number");
  }

  @Override
  public MessageLite execute(Execution on) {
    on.rebuilds()
        .find(object)
        .filter(rebuild -> rebuild.number().equals(number))
        .ifPresent(on.draft()::abandon);
    on.view().sawAll();
    return Empty.getDefaultInstance();
  }
}
