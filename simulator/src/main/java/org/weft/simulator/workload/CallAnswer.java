package org.weft.simulator.workload;

import org.weft.protocol.error.WeftException;

/** What becomes of a call; one of the two is run, unless the client dies before. */
public interface CallAnswer<T> {
  void done(T value);

  void failed(WeftException failure);
}
