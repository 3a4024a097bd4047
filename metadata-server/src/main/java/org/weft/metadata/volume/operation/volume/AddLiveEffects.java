package org.weft.metadata.volume.operation.volume;

import com.google.protobuf.MessageLite;
import java.util.List;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.wire.Empty;

/** The manager's own: journals the findings of its flusher, such as copies that lag. */
public record AddLiveEffects(List<LiveEffect> effects) implements Operation {
  public AddLiveEffects {
    effects = List.copyOf(effects);
  }

  @Override
  public MessageLite execute(Execution on) {
    effects.forEach(on.draft()::add);
    return Empty.getDefaultInstance();
  }
}
