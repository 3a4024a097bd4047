package org.weft.nfs.oncrpc;

/** Receives the calls that were answered. Called on event loops, so it must be quick. */
@FunctionalInterface
public interface CallObserver {
  /** Looks away. */
  CallObserver NONE = (call, nanos, refused) -> {};

  /**
   * A call was answered.
   *
   * @param nanos since it had arrived whole
   * @param refused by RPC itself: the procedure was not carried out, or failed
   */
  void answered(RpcCall call, long nanos, boolean refused);
}
