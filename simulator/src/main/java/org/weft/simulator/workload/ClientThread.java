package org.weft.simulator.workload;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.weft.client.FileLocks;
import org.weft.client.WeftFileSystem;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.simulator.check.Writer;

/**
 * A thread of a client, which does one thing after another, with pauses. It may hold one file open
 * for writing and one for reading. Lives as long as its client's process.
 */
public final class ClientThread {
  private static final long LONG_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long MAX_IDLE_NANOS = TimeUnit.SECONDS.toNanos(8);
  private static final long SHORT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
  private static final long HURRIED_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(3);
  private static final long PROMPTED_NANOS = TimeUnit.MICROSECONDS.toNanos(600);
  private static final int MAX_HURRIED = 8;
  private static final int SLOWER_WHILE_WAITING = 4;
  private static final int DATA_IS_QUICKER = 2;
  private static final int LONG_PAUSE_OUT_OF = 12;
  private static final int LONG_HOT_PAUSE_OUT_OF = 6;
  private static final int LASTING_IS_SLOWER = 12;
  private static final int MAX_READS_ON = 5;

  private final ClientWorker worker;
  private final String name;
  private final RandomGenerator random;
  private final NameTurns names;
  private final WriteTurns writing;
  private final ReadTurns reading;
  private final CrowdTurns crowding;
  private final LockTurns locking;

  private String doing = "";
  private long doingSinceNanos;
  private boolean finished;
  private int pauses;
  private int hurried;
  private final Deque<Runnable> planned = new ArrayDeque<>();

  /**
   * One of several calls that run together.
   *
   * @param what for people
   */
  record Part<T>(String what, Supplier<CompletableFuture<T>> call, CallAnswer<T> answer) {}

  /**
   * A hand.
   *
   * @param number counts the hands of the client, from 0
   */
  ClientThread(ClientWorker worker, String name, int number, RandomGenerator random) {
    this.worker = worker;
    this.name = name;
    this.random = random;
    this.names = new NameTurns(this);
    this.writing = new WriteTurns(this);
    this.reading = new ReadTurns(this);
    this.crowding = new CrowdTurns(this, worker.owner(number));
    this.locking = new LockTurns(this, worker.workload().leftLocks(), worker.owner(number));
  }

  NameTurns names() {
    return names;
  }

  /** As in "client-2.1/0": process and thread. */
  public String name() {
    return name;
  }

  RandomGenerator random() {
    return random;
  }

  ClientWorkload workload() {
    return worker.workload();
  }

  Histories histories() {
    return worker.workload().histories();
  }

  WeftFileSystem files() {
    return worker.files();
  }

  FileLocks locks() {
    return worker.node().locks();
  }

  /** Runs something in its process after a while, unless that has died by then. */
  void later(long nanos, Runnable task) {
    worker.later(nanos, task);
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

  /** Goes on after a pause; now and then several things follow each other closely. */
  void next() {
    doing = "";
    long nanos;
    if (hurried > 0) {
      hurried--;
      nanos = random.nextLong(HURRIED_PAUSE_NANOS);
    } else {
      hurried = random.nextInt(6) == 0 ? random.nextInt(MAX_HURRIED) : 0;
      boolean hot = workload().geometry().has(WorkloadBias.HOT);
      int outOf = hot ? LONG_HOT_PAUSE_OUT_OF : LONG_PAUSE_OUT_OF;
      long most = random.nextInt(outOf) == 0 ? LONG_PAUSE_NANOS : SHORT_PAUSE_NANOS;
      most *= workload().geometry().has(WorkloadBias.LASTING) ? LASTING_IS_SLOWER : 1;
      most /= workload().geometry().dataOnly() && !hot ? DATA_IS_QUICKER : 1;
      nanos = random.nextLong(most) * (workload().isWaiting() ? SLOWER_WHILE_WAITING : 1);
    }
    pause(nanos, this::turn);
  }

  /** What it does next, or after what was planned before, whatever it would have done. */
  void afterwards(Runnable next) {
    planned.addLast(next);
  }

  /** The next few things follow each other closely. */
  void hurry() {
    hurried = MAX_HURRIED;
  }

  /** Goes on after a while. */
  void rest() {
    pause(random.nextLong(LONG_PAUSE_NANOS), this::turn);
  }

  /** Goes on after a time in which others may think that it is gone. */
  void restLong() {
    pause(workload().idling().nextLong(MAX_IDLE_NANOS), this::turn);
  }

  /** A client is let in to write a file. */
  void noticeLent(long objectId) {
    writing.noticeLent(objectId);
  }

  private void pause(long nanos, Runnable then) {
    int number = ++pauses;
    worker.later(
        nanos,
        () -> {
          if (number == pauses && !finished) {
            then.run();
          }
        });
  }

  /** A client writes a file: a hand that has nothing else to do reads it meanwhile. */
  void prompted(long objectId) {
    boolean idle = !finished && doing.isEmpty() && workload().mayGoOn();
    if (idle && reading.isOpen(objectId) && random.nextInt(3) != 0) {
      pause(
          random.nextLong(PROMPTED_NANOS),
          () -> {
            // It may have been its own write, that was about to begin.
            if (doing.isEmpty()) {
              workload().count();
              reading.read();
            }
          });
    }
  }

  /** A client speaks of a path: a hand that has nothing else to do looks at it, soon. */
  void pointed(String path) {
    if (!finished && doing.isEmpty() && workload().mayGoOn()) {
      pause(
          random.nextLong(PROMPTED_NANOS),
          () -> {
            if (doing.isEmpty()) {
              workload().count();
              names.lookAgain(path);
            }
          });
    }
  }

  /** The file that it has open for reading. */
  public Optional<String> pathOfReading() {
    return reading.isOpen() ? Optional.of(reading.path()) : Optional.empty();
  }

  /** The file that it has open for writing. */
  public Optional<String> pathOfWriting() {
    return writing.isOpen() ? Optional.of(writing.path()) : Optional.empty();
  }

  /** Another file is to be put in place of one, once nothing else is under way. */
  public void replace(String path) {
    planned.addFirst(() -> writing.replace(path));
    hurry();
  }

  /** A hand that has a file open for reading reads it a few times, and asks for its length. */
  public void readOn() {
    for (int times = 0; times < MAX_READS_ON; times++) {
      planned.addLast(this::rest);
      planned.addLast(reading::readOn);
    }
  }

  /** A unit of the file that it has open for reading, if that is longer than a unit. */
  public Optional<OpenUnit> unitOfReading(RandomGenerator drawing) {
    return reading.unit(drawing);
  }

  /** It reads that before anything else. */
  public void readAtOnce(OpenUnit unit) {
    planned.addFirst(() -> reading.read(unit));
    hurry();
  }

  /** It opens the file of the unit, writes there and closes it, before anything else. */
  public void change(OpenUnit unit) {
    planned.addFirst(() -> writing.endOf(unit.path()));
    planned.addFirst(() -> writing.writeTo(unit));
    planned.addFirst(() -> writing.openFor(unit.path()));
    hurry();
  }

  /** Closes the file that it has open for writing, if there is one. */
  void endWriting() {
    if (writing.isOpen()) {
      writing.end();
    } else {
      next();
    }
  }

  /** The work before this client cuts a file, which it is about to do. */
  Optional<Consumer<String>> takeBeforeCut() {
    return worker.takeBeforeCut();
  }

  private void turn() {
    if (!workload().mayGoOn()) {
      windUp();
      return;
    }
    if (worker.isStubborn() && !writing.isOpen() && !reading.isOpen()) {
      next();
      return;
    }
    workload().count();
    if (workload().isFirst()) {
      names.setLayout("/");
      return;
    }
    if (worker.isStubborn()) {
      stubbornTurn();
      return;
    }
    if (!planned.isEmpty()) {
      planned.removeFirst().run();
      return;
    }
    Optional<String> doomed = workload().paths().takeDoomed();
    if (doomed.isPresent()) {
      names.unlink(doomed.get());
      return;
    }
    if (workload().geometry().has(WorkloadBias.HOT)) {
      hotTurn(random.nextInt(100));
      return;
    }
    if (workload().geometry().has(WorkloadBias.CROWDING) && random.nextInt(8) != 0) {
      crowding.turn();
      return;
    }
    if (workload().geometry().has(WorkloadBias.CACHING) && random.nextInt(4) != 0) {
      if (random.nextInt(5) < (reading.isOpen() ? 3 : 2)) {
        reading.cachedTurn();
      } else {
        names.cachedTurn();
      }
      return;
    }
    if (workload().geometry().has(WorkloadBias.LOCKING) && random.nextInt(8) != 0) {
      locking.turn();
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

  /** Some write, more read, and few look at anything else. */
  private void hotTurn(int kind) {
    if (writing.isOpen() && kind < 65) {
      writing.turn();
    } else if (reading.isOpen() && kind < 96) {
      reading.turn();
    } else if (!writing.isOpen() && kind < 50) {
      writing.open();
    } else if (!reading.isOpen() && kind < 90) {
      reading.open();
    } else {
      names.hotTurn();
    }
  }

  /** Without the manager. */
  private void stubbornTurn() {
    if (writing.isOpen()) {
      writing.write();
    } else {
      reading.read();
    }
  }

  private void windUp() {
    if (writing.isOpen()) {
      writing.end();
    } else if (locking.isOpen()) {
      locking.end();
    } else {
      reading.end();
      finished = true;
    }
  }

  /** The process died: nothing that is under way will be answered. */
  void died() {
    finished = true;
    writing.died();
    crowding.died();
    locking.died();
  }

  /** Asks for something, and goes on when it is answered. */
  <T> void ask(String what, Supplier<CompletableFuture<T>> call, CallAnswer<T> answer) {
    begins(what);
    call(new Part<>(what, call, answer), this::next);
  }

  /**
   * Asks for several things at once, and goes on when all are answered.
   *
   * @param then run before it goes on
   */
  <T> void askTogether(List<Part<T>> parts, Runnable then) {
    begins(parts.size() + " things together, first " + parts.get(0).what());
    int[] left = {parts.size()};
    for (Part<T> part : parts) {
      call(
          part,
          () -> {
            if (--left[0] == 0) {
              then.run();
              next();
            }
          });
    }
  }

  private void begins(String what) {
    doing = what;
    doingSinceNanos = histories().nanos();
  }

  private <T> void call(Part<T> part, Runnable then) {
    if (finished) {
      return;
    }
    histories().note(name, part::what);
    CompletableFuture<T> asked;
    try {
      asked = part.call().get();
    } catch (RuntimeException e) {
      histories().found("the client library threw", name + ", " + part.what() + ": " + e);
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
                answered(part, value, thrown);
                then.run();
              } catch (RuntimeException | Error e) {
                workload().broken(e);
              }
            });
  }

  private <T> void answered(Part<T> part, T value, Throwable thrown) {
    if (thrown == null) {
      part.answer().done(value);
    } else {
      WeftException failure = WeftException.of(thrown);
      judge(part.what(), failure);
      part.answer().failed(failure);
    }
  }

  /** No byte was written, or a file has its former length. */
  private boolean isLimited(ErrorCode code) {
    return code == ErrorCode.QUOTA_EXCEEDED && workload().geometry().has(WorkloadBias.LIMITED);
  }

  private void judge(String what, WeftException failure) {
    ErrorCode code = failure.code();
    histories().note(name, () -> what + " failed: " + code + " " + failure.getMessage());
    boolean explained =
        switch (Errors.of(code)) {
          case REFUSED, IN_THE_WAY -> true;
          case UNKNOWN ->
              workload().faults() != Intensity.NONE
                  || Errors.isReplaced(failure)
                  || isLimited(code);
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
  static <T> CallAnswer<T> ignoring() {
    return new CallAnswer<>() {
      @Override
      public void done(T value) {}

      @Override
      public void failed(WeftException failure) {}
    };
  }

  /** An attempt to write whose outcome the answer tells. */
  <T> CallAnswer<T> of(Writer.Attempt attempt, Runnable afterFailure) {
    return new CallAnswer<>() {
      @Override
      public void done(T value) {
        attempt.acknowledged(histories().moment(), histories().nanos());
        worker.acknowledged();
      }

      @Override
      public void failed(WeftException failure) {
        attempt.failed();
        afterFailure.run();
      }
    };
  }
}
