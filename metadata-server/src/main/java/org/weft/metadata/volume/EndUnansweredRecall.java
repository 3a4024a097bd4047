package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.grant.WriteGrant;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: an owner of ranges has not given them back for a whole lease although others
 * want them, or a writer has not said how long its file is. It counts as gone, whatever else its
 * client still does (P 6.5).
 */
record EndUnansweredRecall(Lsn number) implements Operation {
  @Override
  public MessageLite execute(Execution on) {
    Optional<WriteGrant> found = on.grants().find(number);
    boolean overdue = on.isOverdue(number);
    if (overdue && found.isPresent() && !found.get().resolving()) {
      new GrantEnd(on)
          .revoke(
              List.of(found.get()),
              "the file was taken from this writer, which did not answer a question about it for a"
                  + " whole lease");
    }
    return Empty.getDefaultInstance();
  }
}
