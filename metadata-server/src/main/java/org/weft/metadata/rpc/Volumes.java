package org.weft.metadata.rpc;

import java.util.function.Predicate;
import org.weft.metadata.serving.request.AnswerSink;
import org.weft.metadata.volume.Caller;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.SessionId;

/** The volumes of a manager, as requests reach them. Thread-safe; never blocks. */
public interface Volumes {
  /**
   * Whether a request comes from the holder of the session that it names.
   *
   * @param signedWith whether the request was signed with such a secret
   * @return false also if there is no such session, or this manager does not serve the volume
   */
  boolean isHolder(long volumeId, SessionId session, Predicate<byte[]> signedWith);

  /**
   * Hands a request to a volume, which answers it through the sink.
   *
   * @param caller null for a request outside any reply slot
   * @throws WeftException NOT_SERVING if this manager does not serve the volume
   */
  void submit(long volumeId, Caller caller, Operation operation, AnswerSink sink)
      throws WeftException;
}
