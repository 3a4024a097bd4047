package org.weft.metadata.volume.operation.grant;

import com.google.protobuf.MessageLite;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.Empty;

/**
 * Ends the grants of files that nothing was written to, in one record (P 6.6). It ends all of them,
 * or none if one cannot end, so that the client closes each by itself.
 */
public record CloseUnwritten(List<CloseFile> files) implements Operation {
  public static final int MAX_FILES = 64;

  public CloseUnwritten {
    files = List.copyOf(files);
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Set<ObjectId> closed = new HashSet<>();
    for (CloseFile file : files) {
      if (!closed.add(file.object())) {
        throw new WeftException(
            ErrorCode.INVALID_ARGUMENT,
            "object " + file.object() + " is named twice; close it once");
      }
      // A client that replaced a file meanwhile has ended its grant, perhaps so long ago that the
      // reason is forgotten. The others are to be closed all the same.
      if (hasEnded(on, file)) {
        // Its writer forgets it for good: that it has ended must not be taken back (P 6.1).
        on.view().sawAll();
      } else {
        var unused = file.end(on);
      }
    }
    return Empty.getDefaultInstance();
  }

  /**
   * Its writer has lost it, or it is over: nothing was written under it, so that nothing is lost.
   */
  private static boolean hasEnded(Execution on, CloseFile file) {
    return on.grants().isRevoked(file.number())
        || on.grants().find(file.number()).filter(grant -> !grant.resolving()).isEmpty();
  }
}
