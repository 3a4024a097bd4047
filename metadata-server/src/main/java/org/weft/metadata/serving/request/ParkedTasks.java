package org.weft.metadata.serving.request;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;

/**
 * Requests that cannot be executed now. The journal or what waits for a flush may be full (P 6.2).
 * Or they need the length of a file that only its writer knows, or change what others may rely on
 * (P 6.5). Confined to the volume's thread.
 */
final class ParkedTasks {
  /** How long a request waits for a writer's answer; then its client has to ask again. */
  private static final long LENGTH_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private record Waiting(Outcome.Waits what, Task task, long sinceNanos) {}

  private final Deque<Task> forJournal = new ArrayDeque<>();
  private final Deque<Task> forFlush = new ArrayDeque<>();
  private final Deque<Waiting> forOthers = new ArrayDeque<>();
  private final Consumer<Task> again;

  /**
   * @param again executes a task once more; it may be parked again
   */
  ParkedTasks(Consumer<Task> again) {
    this.again = again;
  }

  void untilJournalHasRoom(Task task) {
    forJournal.add(task);
  }

  void untilFlushed(Task task) {
    forFlush.add(task);
  }

  /** Until what its outcome waits for has come. */
  void untilTold(Outcome.Waits what, Task task, long nowNanos) {
    forOthers.add(new Waiting(what, task, nowNanos));
  }

  /** No request waits. */
  boolean isEmpty() {
    return isRoomEnough() && forOthers.isEmpty();
  }

  /** No request waits for room. */
  boolean isRoomEnough() {
    return forJournal.isEmpty() && forFlush.isEmpty();
  }

  void resume(BooleanSupplier journalHasRoom, BooleanSupplier flushHasRoom) {
    resume(forJournal, journalHasRoom);
    resume(forFlush, () -> journalHasRoom.getAsBoolean() && flushHasRoom.getAsBoolean());
  }

  /** Each of those that wait gets one try at most: it may come back to its queue. */
  private void resume(Deque<Task> waiting, BooleanSupplier room) {
    int tries = waiting.size();
    while (tries-- > 0 && !waiting.isEmpty() && room.getAsBoolean()) {
      again.accept(waiting.remove());
    }
  }

  /**
   * What some wait for may have come.
   *
   * @param isAwaited it has not
   */
  void resumeTold(Predicate<Outcome.Waits> isAwaited, long nowNanos) {
    int tries = forOthers.size();
    while (tries-- > 0 && !forOthers.isEmpty()) {
      Waiting each = forOthers.remove();
      if (!isAwaited.test(each.what()) || each.task().sink().abandoned()) {
        again.accept(each.task());
      } else if (each.what() instanceof Outcome.Ask ask
          && nowNanos - each.sinceNanos() >= LENGTH_PATIENCE_NANOS) {
        each.task().sink().refuse(unanswered(ask.object()));
      } else {
        forOthers.add(each);
      }
    }
  }

  private static WeftException unanswered(ObjectId object) {
    return new WeftException(
        ErrorCode.UNAVAILABLE,
        "the client that writes object "
            + object
            + " has not said how long it is; if it does not within its lease the file is taken from"
            + " it; try again");
  }

  /** Takes out and returns all requests that wait. */
  List<Task> drain() {
    List<Task> left = new ArrayList<>(forJournal);
    left.addAll(forFlush);
    forOthers.forEach(each -> left.add(each.task()));
    forJournal.clear();
    forFlush.clear();
    forOthers.clear();
    return left;
  }
}
