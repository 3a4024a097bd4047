package org.weft.metadata.volume.operation.session;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;

/**
 * A request whose session has dropped read grants of what it changes (P 6.5), so that they need not
 * be recalled from it.
 *
 * @param inner the request itself
 */
public record DropReads(List<Dropped> dropped, Operation inner) implements Operation {
  /** A request names at most so many. */
  public static final int MAX_DROPPED = 16;

  /**
   * Grants that a session has no more.
   *
   * @param upTo those by larger numbers it may have still
   */
  public record Dropped(ObjectId object, Lsn upTo) {}

  public DropReads {
    dropped = List.copyOf(dropped);
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    dropped.forEach(each -> on.reads().dropped(on.session().id(), each.object(), each.upTo()));
    return inner.execute(on);
  }

  @Override
  public Optional<MessageLite> lookedAt(Execution on) throws NeedsInput, WeftException {
    return inner.lookedAt(on);
  }

  @Override
  public Operation lessened() {
    return new DropReads(dropped, inner.lessened());
  }

  @Override
  public boolean isAnsweredOnce() {
    return inner.isAnsweredOnce();
  }
}
