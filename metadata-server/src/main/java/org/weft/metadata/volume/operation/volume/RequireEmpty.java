package org.weft.metadata.volume.operation.volume;

import com.google.protobuf.MessageLite;
import java.util.List;
import org.weft.metadata.directory.DirectoryPage;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.Empty;

/** The manager's own: fails with NOT_EMPTY unless the volume is empty. */
public record RequireEmpty() implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    // The volume goes on the strength of the answer (P 6.1).
    on.view().sawAll();
    var unused = on.view().attributes(ObjectId.ROOT, List.of(), "/");
    DirectoryPage page = on.view().page(ObjectId.ROOT, 0, 1);
    if (!page.entries().isEmpty()) {
      throw new WeftException(
          ErrorCode.NOT_EMPTY,
          "the volume is not empty: it holds "
              + page.entries().get(0).name()
              + "; remove what is in it first");
    }
    if (on.grants().size() > 0) {
      throw new WeftException(
          ErrorCode.NOT_EMPTY,
          "the volume is not empty: "
              + on.grants().size()
              + " files that have no name any more are still being written");
    }
    return Empty.getDefaultInstance();
  }
}
