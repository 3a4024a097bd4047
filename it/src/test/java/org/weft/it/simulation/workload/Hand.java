package org.weft.it.simulation.workload;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.weft.client.WeftFileSystem;
import org.weft.it.simulation.check.Writer;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * A thread of a client, which does one thing after another, with pauses. It may hold one file open
 * for writing and one for reading. Lives as long as its client's process.
 */
final class Hand {
  private static final long LONG_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long SHORT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  private final Worker worker;
  private final String name;
  private final RandomGenerator random;
  private final NameTurns names;
  private final WriteTurns writing;
  private final ReadTurns reading;

  private String doing = "";
  private long doingSinceNanos;
  private boolean finished;

  Hand(Worker worker, String name, RandomGenerator random) {
    this.worker = worker;
    this.name = name;
    this.random = random;
    this.names = new NameTurns(this);
    this.writing = new WriteTurns(this);
    this.reading = new ReadTurns(this);
  }

  NameTurns names() {
    return names;
  }

  /** As in "client-2.1/0": process and thread. */
  String name() {
    return name;
  }

  RandomGenerator random() {
    return random;
  }

  Workload workload() {
    return worker.workload();
  }

  Histories histories() {
    return worker.workload().histories();
  }

  WeftFileSystem files() {
    return worker.files();
  }

  /** It has nothing more to do, and holds nothing. */
  boolean isFinished() {
    return finished;
  }

  /** What it waits for, and since when. */
  String state() {
    return name
        + (doing.isEmpty()
            ? " pauses"
            : " waits for "
                + doing
                + " since "
                + TimeUnit.NANOSECONDS.toMillis(histories().nanos() - doingSinceNanos)
                + " ms");
  }

  /** Goes on after a pause. */
  void next() {
    doing = "";
    long pause =
        random.nextInt(12) == 0
            ? random.nextLong(LONG_PAUSE_NANOS)
            : random.nextLong(SHORT_PAUSE_NANOS);
    worker.later(pause, this::turn);
  }

  private void turn() {
    if (!workload().mayGoOn()) {
      windUp();
      return;
    }
    workload().count();
    if (workload().isFirst()) {
      names.setLayout("/");
      return;
    }
    int kind = random.nextInt(workload().geometry().dataOnly() ? 66 : 100);
    if (writing.isOpen() && kind < 75) {
      writing.turn();
    } else if (reading.isOpen() && kind < 85) {
      reading.turn();
    } else if (kind < 40 && !writing.isOpen()) {
      writing.open();
    } else if (kind < 62 && !reading.isOpen()) {
      reading.open();
    } else {
      names.turn();
    }
  }

  private void windUp() {
    if (writing.isOpen()) {
      writing.end();
    } else {
      reading.end();
      finished = true;
    }
  }

  /** The process died: nothing that is under way will be answered. */
  void died() {
    finished = true;
    writing.died();
  }

  /** Asks for something, and goes on when it is answered. */
  <T> void ask(String what, Supplier<CompletableFuture<T>> call, Answer<T> answer) {
    doing = what;
    doingSinceNanos = histories().nanos();
    histories().note(name, () -> what);
    CompletableFuture<T> asked;
    try {
      asked = call.get();
    } catch (RuntimeException e) {
      histories().found("the client library threw", name + ", " + what + ": " + e);
      finished = true;
      return;
    }
    var unused =
        asked.whenComplete(
            (value, thrown) -> {
              if (finished) {
                return;
              }
              try {
                answered(what, value, thrown, answer);
              } catch (RuntimeException | Error e) {
                workload().broken(e);
              }
            });
  }

  private <T> void answered(String what, T value, Throwable thrown, Answer<T> answer) {
    if (thrown == null) {
      answer.done(value);
    } else {
      RpcException failure = RpcException.of(thrown);
      judge(what, failure);
      answer.failed(failure);
    }
    next();
  }

  private void judge(String what, RpcException failure) {
    ErrorCode code = failure.code();
    histories().note(name, () -> what + " failed: " + code + " " + failure.getMessage());
    boolean explained =
        switch (Errors.of(code)) {
          case REFUSED, IN_THE_WAY -> true;
          case UNKNOWN -> workload().faults() != Intensity.NONE;
          case OF_A_DISK -> workload().faults().has(Intensity.DISKS);
          case WRONG -> false;
        };
    if (!explained) {
      histories()
          .found(
              "an operation failed as no fault explains",
              name + ", " + what + ": " + code + " " + failure.getMessage());
    }
  }

  /** Whatever is answered. */
  static <T> Answer<T> ignoring() {
    return new Answer<>() {
      @Override
      public void done(T value) {}

      @Override
      public void failed(RpcException failure) {}
    };
  }

  /** An attempt to write whose outcome the answer tells. */
  <T> Answer<T> of(Writer.Attempt attempt, Runnable afterFailure) {
    return new Answer<>() {
      @Override
      public void done(T value) {
        attempt.acknowledged(histories().moment(), histories().nanos());
      }

      @Override
      public void failed(RpcException failure) {
        attempt.failed();
        afterFailure.run();
      }
    };
  }
}
