package org.weft.simulator.harm;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.weft.simulator.workload.ClientThread;
import org.weft.simulator.workload.ClientWorker;
import org.weft.simulator.workload.ClientWorkload;
import org.weft.simulator.workload.WorkloadBias;

/** Clients that are kept away for longer than their leases, while others go to their files. */
final class Contenders {
  private static final int LEASE_MILLIS = 10_500;
  private static final int MAX_BEYOND_LEASE_MILLIS = 4_000;
  private static final int AFTERWARDS_MILLIS = 2_000;

  private final ClientWorkload workload;
  private final RandomGenerator random;

  Contenders(ClientWorkload workload, RandomGenerator random) {
    this.workload = workload;
    this.random = random;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  /** One whose place another may take: it has a file open, mostly for writing, if any has. */
  ClientWorker one() {
    boolean reading = random.nextInt(workload.geometry().has(WorkloadBias.HOT) ? 2 : 3) == 0;
    List<ClientWorker> holding =
        workload.workers().stream()
            .filter(worker -> worker.hands().stream().anyMatch(hand -> holds(hand, reading)))
            .toList();
    return one(holding.isEmpty() ? workload.workers() : holding);
  }

  static boolean holds(ClientThread hand, boolean reading) {
    return (reading ? hand.pathOfReading() : hand.pathOfWriting()).isPresent();
  }

  /** Others go to its file; they are at work until it is back, after so many nanoseconds. */
  long keptAway(ClientWorker worker) {
    List<String> paths =
        worker.hands().stream()
            .flatMap(
                hand -> Stream.concat(hand.pathOfWriting().stream(), hand.pathOfReading().stream()))
            .toList();
    if (!paths.isEmpty()) {
      String path = one(paths);
      boolean writes = worker.hands().stream().anyMatch(hand -> holds(hand, false));
      workload.paths().wanted(path);
      if (!writes || random.nextInt(4) == 0) {
        workload.paths().doomed(path);
      }
    }
    long nanos =
        TimeUnit.MILLISECONDS.toNanos(LEASE_MILLIS + random.nextInt(MAX_BEYOND_LEASE_MILLIS));
    workload.waitFor(nanos + TimeUnit.MILLISECONDS.toNanos(AFTERWARDS_MILLIS));
    return nanos;
  }
}
