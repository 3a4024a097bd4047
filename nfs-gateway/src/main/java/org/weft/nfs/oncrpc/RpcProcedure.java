package org.weft.nfs.oncrpc;

/** One procedure of a program. Thread-safe: connections of several event loops call it. */
@FunctionalInterface
public interface RpcProcedure {
  /**
   * Reads the arguments; runs on an event loop and must not block. A payload that was read belongs
   * to the task.
   *
   * @throws MalformedXdrException if they are none: the caller gets GARBAGE_ARGS
   */
  RpcTask read(XdrReader arguments) throws MalformedXdrException;

  /** What is done with a call that comes once more. */
  default Repeats repeats() {
    return Repeats.CARRIED_OUT;
  }
}
