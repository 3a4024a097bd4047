package org.weft.simulator.workload;

import org.weft.protocol.rpc.RpcException;

/** What becomes of a call; one of the two is run, unless the client dies before. */
public interface CallAnswer<T> {
  void done(T value);

  void failed(RpcException failure);
}
