package org.weft.metadata.volume.operation.session;

import com.google.protobuf.MessageLite;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: changes nothing, and is answered once every earlier record is durable (P 6.1).
 * It is for answers about the volume as a whole.
 */
public record SeeAll() implements Operation {
  @Override
  public MessageLite execute(Execution on) {
    on.view().sawAll();
    return Empty.getDefaultInstance();
  }

  @Override
  public boolean isAnsweredOnce() {
    return false;
  }
}
