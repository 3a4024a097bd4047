package org.weft.metadata.volume.state;

import java.util.Arrays;
import java.util.List;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.Counter;
import org.weft.metadata.journal.LiveEffect.CounterKind;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;

/** The numbers a volume gives out, never twice (P 6.4). An execution draws from a copy. */
public final class Counters {
  private long nextObject = ObjectId.FIRST_ISSUED;
  private long nextSession = 1;
  private long files;
  private Lsn createFloor = Lsn.ZERO;
  private long toldUpToNanos;

  /** A copy that a draft may change; these stay as they are. */
  public Counters copy() {
    Counters copy = new Counters();
    copy.nextObject = nextObject;
    copy.nextSession = nextSession;
    copy.files = files;
    copy.createFloor = createFloor;
    copy.toldUpToNanos = toldUpToNanos;
    return copy;
  }

  /** Numbers go on from these, unless they are past them. */
  public void beginAt(long object, long session) {
    nextObject = Math.max(nextObject, object);
    nextSession = Math.max(nextSession, session);
  }

  /** The next number of an object, which is never given out again. */
  public ObjectId drawObject() {
    return new ObjectId(nextObject++);
  }

  /** The next number of a session, which is never given out again. */
  public SessionId drawSession() {
    return new SessionId(nextSession++);
  }

  /** How many files and directories have a name. */
  public long files() {
    return files;
  }

  /** As many more nodes have a name; negative: fewer. */
  public void addFiles(long change) {
    files += change;
  }

  /** No grant below it makes components any more, whatever is held; {@link Lsn#ZERO}: all do. */
  public Lsn createFloor() {
    return createFloor;
  }

  /** As {@link #createFloor}, unless that is higher already. */
  public void raiseCreateFloor(Lsn floor) {
    createFloor = floor.compareTo(createFloor) > 0 ? floor : createFloor;
  }

  /** No manager has told a later time of a file without a record. */
  public long toldUpToNanos() {
    return toldUpToNanos;
  }

  /** Times up to this one may be told without a record. */
  public void mayTellUpTo(long nanos) {
    toldUpToNanos = Math.max(toldUpToNanos, nanos);
  }

  /** Puts the counters that differ from the older ones into the draft. */
  public void writeChanges(Counters older, Draft draft) {
    for (CounterKind kind : CounterKind.values()) {
      if (get(kind) != older.get(kind)) {
        draft.add(new Counter(kind, get(kind)));
      }
    }
  }

  /** Applies a journalled counter. */
  void apply(Counter counter) {
    switch (counter.kind()) {
      case OBJECT -> nextObject = counter.next();
      case SESSION -> nextSession = counter.next();
      case FILES -> files = counter.next();
      case CREATE_FLOOR -> createFloor = new Lsn(counter.next());
      case TOLD_UP_TO -> toldUpToNanos = counter.next();
    }
  }

  /** All of them, as a snapshot has them. */
  List<LiveEffect> snapshot() {
    return Arrays.stream(CounterKind.values())
        .<LiveEffect>map(kind -> new Counter(kind, get(kind)))
        .toList();
  }

  /** The value of a counter as it is journalled. */
  public long get(CounterKind kind) {
    return switch (kind) {
      case OBJECT -> nextObject;
      case SESSION -> nextSession;
      case FILES -> files;
      case CREATE_FLOOR -> createFloor.value();
      case TOLD_UP_TO -> toldUpToNanos;
    };
  }
}
