package org.weft.metadata.serving;

import org.weft.metadata.volume.Caller;
import org.weft.metadata.volume.Operation;

/** A request on its way through the service. Confined to the volume's thread. */
final class Task {
  /** An operation that still lacks something after so many loads is given up. */
  static final int MOST_LOADS = 2_000;

  private final Caller caller;
  private final Operation operation;
  private final boolean clients;
  private final AnswerSink sink;
  private int loads;

  /**
   * @param caller null for a request outside any reply slot
   * @param clients a client asks; false for the manager's own operations
   */
  Task(Caller caller, Operation operation, boolean clients, AnswerSink sink) {
    this.caller = caller;
    this.operation = operation;
    this.clients = clients;
    this.sink = sink;
  }

  Caller caller() {
    return caller;
  }

  Operation operation() {
    return operation;
  }

  boolean isClients() {
    return clients;
  }

  AnswerSink sink() {
    return sink;
  }

  /** True if it may be tried once more after loading what it lacks. */
  boolean mayLoadAgain() {
    loads++;
    return loads <= MOST_LOADS;
  }
}
