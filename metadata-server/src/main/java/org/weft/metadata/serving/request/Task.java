package org.weft.metadata.serving.request;

import org.weft.metadata.volume.Caller;
import org.weft.metadata.volume.execution.Operation;

/** A request on its way through the service. Confined to the volume's thread. */
final class Task {
  /** An operation that still lacks something after so many loads is given up. */
  static final int MAX_LOADS = 2_000;

  /** One that still lacks something after so many loads, and so many again, asks for less. */
  private static final int LOADS_BEFORE_LESS = 8;

  private final Caller caller;
  private final boolean clients;
  private final AnswerSink sink;
  private Operation operation;
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
    if (loads % LOADS_BEFORE_LESS == 0) {
      operation = operation.lessened();
    }
    return loads <= MAX_LOADS;
  }
}
