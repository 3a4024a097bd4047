package org.weft.it.simulation.workload;

import org.weft.protocol.rpc.RpcException;

/** What becomes of a call; one of the two is run, unless the client dies before. */
interface Answer<T> {
  void done(T value);

  void failed(RpcException failure);
}
