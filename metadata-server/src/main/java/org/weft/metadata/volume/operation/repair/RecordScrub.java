package org.weft.metadata.volume.operation.repair;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.ScrubEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: journals how far the scrub of parity is, and what it found of files (P 6.8f).
 * A file that was removed meanwhile is left out, since its removal has ended its findings.
 */
public record RecordScrub(List<ScrubEffect> effects) implements Operation {
  public RecordScrub {
    effects = List.copyOf(effects);
  }

  /**
   * @throws WeftException UNAVAILABLE if it is unknown whether a file still exists
   */
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    for (ScrubEffect effect : effects) {
      boolean names = effect instanceof ScrubEffect.Contradicted named && named.units() > 0;
      if (!names || isThere(on, ((ScrubEffect.Contradicted) effect).object())) {
        on.draft().add(effect);
      }
    }
    on.view().sawAll();
    return Empty.getDefaultInstance();
  }

  private static boolean isThere(Execution on, ObjectId object) throws NeedsInput, WeftException {
    Optional<Attributes> file = on.view().find(object, List.of());
    if (file.isEmpty() && !on.view().mayHaveAttributes(object).isEmpty()) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "OSDs %s, which may have the attributes of object %s, do not reply"
              .formatted(on.view().mayHaveAttributes(object), object));
    }
    return file.isPresent();
  }
}
