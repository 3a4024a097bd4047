package org.weft.it.nfs;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * What was done and what was wrong; a log of it, in which a cause can be looked for. Thread-safe.
 */
final class Findings {
  private final Consumer<String> log;
  private final List<String> wrong = new CopyOnWriteArrayList<>();
  private final Map<String, LongAdder> counts = new TreeMap<>();

  /**
   * @param log takes a line for each event
   */
  Findings(Consumer<String> log) {
    this.log = log;
  }

  /** Something that must not be. */
  void wrong(String what) {
    wrong.add(what);
    event("WRONG: " + what);
  }

  /** Something that happened. */
  void event(String what) {
    log.accept(what);
  }

  List<String> all() {
    return List.copyOf(wrong);
  }

  boolean isSound() {
    return wrong.isEmpty();
  }

  void count(String what, long many) {
    LongAdder adder;
    synchronized (counts) {
      adder = counts.computeIfAbsent(what, key -> new LongAdder());
    }
    adder.add(many);
  }

  void count(String what) {
    count(what, 1);
  }

  /** How often each thing was done, by its name. */
  Map<String, Long> counts() {
    Map<String, Long> copy = new TreeMap<>();
    synchronized (counts) {
      counts.forEach((what, many) -> copy.put(what, many.sum()));
    }
    return copy;
  }
}
