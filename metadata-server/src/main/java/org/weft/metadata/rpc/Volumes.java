package org.weft.metadata.rpc;

import org.weft.metadata.serving.AnswerSink;
import org.weft.metadata.volume.Caller;
import org.weft.metadata.volume.Operation;
import org.weft.protocol.rpc.RpcException;

/** The volumes of a manager, as requests reach them. Thread-safe; never blocks. */
@FunctionalInterface
public interface Volumes {
  /**
   * Hands a request to a volume, which answers it through the sink.
   *
   * @param caller null for a request outside any reply slot
   * @throws RpcException NOT_SERVING if this manager does not serve the volume
   */
  void submit(long volumeId, Caller caller, Operation operation, AnswerSink sink)
      throws RpcException;
}
