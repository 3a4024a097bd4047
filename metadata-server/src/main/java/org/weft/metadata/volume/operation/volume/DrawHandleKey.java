package org.weft.metadata.volume.operation.volume;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.journal.LiveEffect.VolumeCreated;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.capability.HandleKey;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own, before it serves: a volume of an earlier release, which knew no handles, gets
 * the key that it signs them with. A volume that has a key keeps it.
 */
public record DrawHandleKey() implements Operation {
  @Override
  public MessageLite execute(Execution on) {
    VolumeCreated created = on.created();
    if (created.handleKey().isEmpty()) {
      on.draft()
          .add(
              new VolumeCreated(
                  created.volume(),
                  created.metaCopies(),
                  created.createdMillis(),
                  Optional.of(HandleKey.draw(on.random()))));
    }
    return Empty.getDefaultInstance();
  }
}
