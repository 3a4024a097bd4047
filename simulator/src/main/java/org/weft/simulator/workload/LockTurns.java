package org.weft.simulator.workload;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.weft.client.CreateOptions;
import org.weft.client.LockMode;
import org.weft.client.LockOwner;
import org.weft.client.LockedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.simulator.check.LockHistory;
import org.weft.simulator.check.LockHistory.Kind;
import org.weft.simulator.check.Seen;
import org.weft.simulator.model.NameOperation;
import org.weft.testkit.names.NameKind;

/** What a hand does with byte-range locks on one file, on which all others lock, too. */
public final class LockTurns {
  /** Nothing else is done with it. */
  public static final String PATH = "/locks";

  private static final int CELLS = Histories.LOCKED_CELLS;
  private static final int CELL_BYTES = 10;
  private static final long MAX_PATIENCE_MILLIS = 6_000;

  private final ClientThread hand;
  private final LeftLocks left;

  /** What its processes have in common, one after another. */
  private final String place;

  private LockedFile file;
  private String owner = "";
  private String key = "";
  private Optional<LeftLocks.Left> reclaiming = Optional.empty();
  private int opened;
  private boolean mayClaim;
  private long livedNanos;

  /** What came of asking for a lock. */
  private enum Told {
    LOCKED,
    REFUSED,
    CANCELLED
  }

  LockTurns(ClientThread hand, LeftLocks left, String place) {
    this.hand = hand;
    this.left = left;
    this.place = place;
  }

  private RandomGenerator random() {
    return hand.random();
  }

  private LockHistory history() {
    return hand.histories().locks();
  }

  private long moment() {
    return hand.histories().moment();
  }

  boolean isOpen() {
    return file != null;
  }

  void turn() {
    if (!history().isMade()) {
      make();
    } else if (file == null) {
      open();
    } else if (mayClaim) {
      mayClaim = false;
      claim();
    } else if (reclaiming.filter(each -> each.isThere()).isPresent()) {
      reclaim(reclaiming.get());
    } else if (random().nextInt(24) == 0) {
      close();
    } else if (random().nextInt(5) < 3) {
      lock();
    } else {
      unlock();
    }
  }

  private void make() {
    Histories histories = hand.histories();
    NameOperation operation = new NameOperation.Create(PATH, false);
    int asked = histories.names().asked(hand.name(), moment(), operation);
    hand.ask(
        "#" + asked + " " + operation,
        () ->
            hand.files()
                .create(hand.workload().at(PATH), CreateOptions.newFile())
                .thenCompose(output -> output.close().thenApply(closed -> output.objectId())),
        new CallAnswer<Long>() {
          @Override
          public void done(Long objectId) {
            Seen told = Seen.object(objectId, Optional.of(NameKind.FILE));
            histories.names().done(asked, moment(), told);
            history().made();
          }

          @Override
          public void failed(WeftException failure) {
            if (failure.code() == ErrorCode.EXISTS) {
              histories.names().refused(asked, moment(), failure.code());
              history().made();
            }
          }
        });
  }

  private void open() {
    owner = hand.name() + "#" + ++opened;
    reclaiming = left.take(place, random());
    key = reclaiming.map(LeftLocks.Left::key).orElse(owner);
    reclaiming.ifPresent(from -> history().succeeds(owner, from.owner()));
    mayClaim = hand.workload().geometry().has(WorkloadBias.CLAIMING);
    LockOwner named = random().nextBoolean() ? LockOwner.process(key) : LockOwner.openFile(key);
    hand.ask(
        "open locks as " + owner,
        () -> hand.locks().open(hand.workload().at(PATH), named),
        new CallAnswer<LockedFile>() {
          @Override
          public void done(LockedFile found) {
            file = found;
          }

          @Override
          public void failed(WeftException failure) {
            // It tries again.
          }
        });
  }

  private int[] cells() {
    int from = random().nextInt(CELLS);
    return new int[] {from, from + 1 + random().nextInt(CELLS - from)};
  }

  private static ByteRange range(int[] cells) {
    return new ByteRange(
        (long) cells[0] * CELL_BYTES,
        cells[1] == CELLS ? ByteRange.END : (long) cells[1] * CELL_BYTES);
  }

  private void lock() {
    int[] cells = cells();
    Kind kind = random().nextInt(3) == 0 ? Kind.SHARED : Kind.EXCLUSIVE;
    LockMode mode = kind == Kind.SHARED ? LockMode.SHARED : LockMode.EXCLUSIVE;
    long patience = random().nextBoolean() ? 0 : random().nextLong(MAX_PATIENCE_MILLIS);
    long cancelNanos =
        random().nextInt(8) == 0
            ? random().nextLong(TimeUnit.MILLISECONDS.toNanos(20))
            : Long.MAX_VALUE;
    ask(
        "lock " + range(cells) + " " + mode + " within " + patience + " ms",
        cells,
        () -> cancelling(file.lock(range(cells), mode, Duration.ofMillis(patience)), cancelNanos),
        told -> {
          switch (told) {
            case LOCKED -> history().locked(owner, kind, moment());
            case REFUSED -> history().refused(owner);
            case CANCELLED -> history().cancelled(owner, kind);
          }
        });
  }

  /** As if it had had there what no process of its key had. */
  private void claim() {
    int[] cells = cells();
    if (!history().areSurelyNotHeld(owner, cells[0], cells[1])) {
      turn();
      return;
    }
    String what = "falsely reclaim " + range(cells);
    history().asks(owner, cells[0], cells[1], moment());
    long begunNanos = hand.histories().nanos();
    hand.ask(
        owner + ": " + what,
        () -> file.reclaim(range(cells), LockMode.EXCLUSIVE),
        new CallAnswer<Boolean>() {
          @Override
          public void done(Boolean all) {
            hand.histories().note(owner, () -> what + " -> " + all);
            livedNanos = begunNanos;
            history().falselyReclaimed(owner, all);
          }

          @Override
          public void failed(WeftException failure) {
            if (failure.code() == ErrorCode.LOCKED) {
              livedNanos = begunNanos;
              history().refused(owner);
            } else {
              history().inDoubt(owner);
              forget();
            }
          }
        });
  }

  /** In its predecessor's place: what that one left, one run of cells after another. */
  private void reclaim(LeftLocks.Left from) {
    LeftLocks.Run run = from.next();
    int[] cells = {run.from(), run.to()};
    LockMode mode = run.kind() == Kind.SHARED ? LockMode.SHARED : LockMode.EXCLUSIVE;
    String what = "reclaim " + range(cells) + " " + mode + " of " + from.owner();
    history().reclaims(owner, from.owner(), cells[0], cells[1], moment());
    long begunNanos = hand.histories().nanos();
    hand.ask(
        owner + ": " + what,
        () -> file.reclaim(range(cells), mode),
        new CallAnswer<Boolean>() {
          @Override
          public void done(Boolean all) {
            hand.histories().note(owner, () -> what + " -> " + all);
            livedNanos = begunNanos;
            from.done(run);
            history().reclaimed(owner, from.owner(), run.kind(), all, moment());
          }

          @Override
          public void failed(WeftException failure) {
            if (failure.code() == ErrorCode.LOCKED) {
              // The session before may not be over yet.
              livedNanos = begunNanos;
              history().refused(owner);
              from.refused(run);
            } else {
              from.done(run);
              history().letGo(owner, from.owner());
              history().inDoubt(owner);
              forget();
            }
          }
        });
  }

  private CompletableFuture<Told> cancelling(CompletableFuture<Void> asked, long afterNanos) {
    if (afterNanos != Long.MAX_VALUE) {
      hand.later(afterNanos, () -> asked.cancel(true));
    }
    return asked.handle(
        (locked, failure) -> {
          if (failure == null) {
            return Told.LOCKED;
          }
          if (asked.isCancelled()) {
            return Told.CANCELLED;
          }
          WeftException why = WeftException.of(failure);
          // The model tells another's lock from a circle of waiters no more than programs do.
          if (why.code() == ErrorCode.LOCKED || why.code() == ErrorCode.DEADLOCK) {
            return Told.REFUSED;
          }
          throw new CompletionException(why);
        });
  }

  private void unlock() {
    int[] cells = cells();
    ask(
        "unlock " + range(cells),
        cells,
        () -> file.unlock(range(cells)),
        heldAll -> history().unlocked(owner, heldAll, moment()));
  }

  private <T> void ask(
      String what, int[] cells, Supplier<CompletableFuture<T>> call, Consumer<T> told) {
    history().asks(owner, cells[0], cells[1], moment());
    long begunNanos = hand.histories().nanos();
    hand.ask(
        owner + ": " + what,
        call,
        new CallAnswer<T>() {
          @Override
          public void done(T value) {
            hand.histories().note(owner, () -> what + " -> " + value);
            livedNanos = begunNanos;
            told.accept(value);
          }

          @Override
          public void failed(WeftException failure) {
            history().inDoubt(owner);
            // What is asked for again may meet what is still under way.
            forget();
          }
        });
  }

  private void forget() {
    LockedFile open = file;
    file = null;
    history().gone(owner);
    var unused = open.close();
  }

  private void close() {
    LockedFile open = file;
    history().asks(owner, 0, CELLS, moment());
    history().gone(owner);
    file = null;
    hand.ask("close locks of " + owner, open::close, ClientThread.ignoring());
  }

  /** What is left ends, too. */
  void end() {
    if (file != null) {
      close();
    } else {
      throw new IllegalStateException("nothing is locked");
    }
  }

  /** The process died. */
  void died() {
    if (file == null) {
      return;
    }
    if (left.areKept()) {
      left.leave(place, owner, key, history().died(owner), livedNanos);
    } else {
      history().gone(owner);
    }
  }
}
