package org.weft.osd.store.engine.change;

import java.io.IOException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.weft.osd.store.OutOfSpaceException;
import org.weft.osd.store.engine.commit.Checkpointer;
import org.weft.osd.store.engine.commit.CommitGroup;
import org.weft.osd.store.engine.commit.Committer;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.mutation.Mutation;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Prepares units and hands them to the committer. A unit that finds no blocks waits until segments
 * have grown, or until a checkpoint has given blocks back. It is then prepared again on the space
 * executor.
 */
public final class MutationPreparer {
  private static final int MAX_ATTEMPTS = 32;

  private final StoreState store;
  private final Checkpointer checkpointer;
  private final Executor later;

  /** That of the last growth that counted: all units that waited for one hear of the same. */
  private final AtomicReference<Throwable> counted = new AtomicReference<>();

  private Committer committer;

  /**
   * @param later where units that waited are prepared again: the space executor
   */
  public MutationPreparer(StoreState store, Checkpointer checkpointer, Executor later) {
    this.store = store;
    this.checkpointer = checkpointer;
    this.later = later;
  }

  /** The two know each other: called once, before anything is submitted. */
  public void commitTo(Committer other) {
    committer = other;
  }

  /** Prepares the unit on this thread and submits it. */
  public void start(CommitGroup unit) {
    start(unit, true);
  }

  /** Prepares the unit once more, on the space executor. */
  public void again(CommitGroup unit) {
    laterStart(unit, true);
  }

  private void laterStart(CommitGroup unit, boolean mayWait) {
    try {
      later.execute(() -> startLate(unit, mayWait));
    } catch (RejectedExecutionException e) {
      unit.fail(new WeftException(ErrorCode.UNAVAILABLE, "the object store is closed", e));
    }
  }

  /** No caller is above it: it tells the waiting ones of a failure itself. */
  private void startLate(CommitGroup unit, boolean mayWait) {
    try {
      start(unit, mayWait);
    } catch (Throwable e) {
      // If it is queued already, blocks that it has taken stay as they are until the next start.
      store.health().report("the store is at fault: " + e, e);
      unit.fail(new WeftException(ErrorCode.INTERNAL, "the store is at fault: " + e, e));
    }
  }

  private void start(CommitGroup unit, boolean mayWait) {
    int attempt = unit.startAgain();
    boolean last = !mayWait || attempt >= MAX_ATTEMPTS;
    for (Mutation mutation : unit.mutations()) {
      try {
        requireRoom(mutation);
        boolean follows = !unit.changes().isEmpty();
        unit.changes().add(new ChangeFactory(store, follows, unit.durable()).prepare(mutation));
      } catch (ShortOfSpaceException e) {
        if (!last && await(unit, e)) {
          return;
        }
        unit.changes().add(new RefusedChange(noSpace()));
      } catch (WeftException e) {
        unit.changes().add(new RefusedChange(e));
      } catch (IOException e) {
        unit.changes().add(new RefusedChange(store.health().unreadTables(e)));
      } catch (RuntimeException | Error e) {
        // It is not queued yet: what was prepared before lets go of its blocks and pins.
        unit.abandonAll();
        throw e;
      }
    }
    if (store.segments().shouldGrow()) {
      var unused = store.segments().grow();
    }
    committer.submit(unit);
  }

  /**
   * What clients add is refused while the tables can hardly grow: what is left is for managers, and
   * for whatever gives space back.
   */
  private void requireRoom(Mutation mutation) throws WeftException {
    if (mutation.adds() && !store.values().hasRoom()) {
      throw new WeftException(
          ErrorCode.NO_SPACE,
          "the disk under this OSD is nearly full, and what is left is kept for removing: free some"
              + " space on it, remove files, or add OSDs");
    }
  }

  /** Puts the unit back until there may be space; false if nothing can help. */
  private boolean await(CommitGroup unit, ShortOfSpaceException shortage) {
    if (shortage.segmentsCanGrow()) {
      unit.abandonAll();
      var unused =
          store.segments().grow().whenComplete((done, failure) -> afterGrowth(unit, failure));
      return true;
    }
    if (store.segments().mayGrowAgain()) {
      unit.abandonAll();
      again(unit);
      return true;
    }
    if (checkpointer.holdsBlocks()) {
      unit.abandonAll();
      afterCheckpoint(unit);
      return true;
    }
    return false;
  }

  private void afterCheckpoint(CommitGroup unit) {
    CompletionStage<Long> checkpoint = checkpointer.now();
    var unused =
        checkpoint.whenComplete(
            (number, failure) -> laterStart(unit, failure == null && checkpointer.holdsBlocks()));
  }

  private void afterGrowth(CommitGroup unit, Throwable failure) {
    if (failure == null) {
      again(unit);
      return;
    }
    if (failure instanceof WeftException refused) {
      unit.fail(refused);
      return;
    }
    if (failure instanceof IOException disk && OutOfSpaceException.caused(disk)) {
      // What segments have is all there is, in pieces and with what overwrites have let go.
      if (checkpointer.holdsBlocks()) {
        afterCheckpoint(unit);
      } else {
        laterStart(unit, false);
      }
      return;
    }
    if (counted.getAndSet(failure) != failure) {
      store.health().writeFailed("a segment could not grow: " + failure, failure);
    }
    unit.fail(
        new WeftException(
            ErrorCode.BAD_MEDIA, "the store could not make room: " + failure, failure));
  }

  private WeftException noSpace() {
    long blockBytes = DataChange.BLOCK_BYTES;
    long missing = store.space().missingBlocks() * blockBytes;
    if (missing > 0) {
      return new WeftException(
          ErrorCode.NO_SPACE,
          "the disk under the store is full: it has "
              + missing
              + " bytes less than the OSD's capacity says; free some on it, remove files, or lower"
              + " the capacity");
    }
    return new WeftException(
        ErrorCode.NO_SPACE,
        "the OSD is full: "
            + Math.max(0, store.space().freeBlocks()) * blockBytes
            + " bytes are free, "
            + store.reserveBlocks() * blockBytes
            + " of them kept in reserve; remove files or add OSDs");
  }
}
