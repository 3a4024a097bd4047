package org.weft.it.nfs;

/** Programs that use gateways while those die. */
interface GatewayPrograms extends AutoCloseable {
  /** Until each of them has gone on; that one of them does not is a finding. */
  void awaitProgress(long seconds) throws Exception;

  /** When all faults are over: the programs end, and everything is looked at once more. */
  void finish(long seconds) throws Exception;

  /** Ends what still runs. */
  @Override
  void close();
}
