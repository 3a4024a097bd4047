package org.weft.simulator.base;

import java.util.List;
import java.util.function.Supplier;

/** What happened, in order. */
public interface Trace {
  /** Adds a line of the caller's; the text is made only if lines are kept. */
  void note(String actor, Supplier<String> what);

  /** Lines with virtual time, oldest first; the oldest are dropped past a limit. */
  List<String> lines();

  /** Hash of every event so far; equal for two runs of one seed. */
  long hash();

  /** How many events there were. */
  long events();
}
