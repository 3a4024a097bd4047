package org.weft.simulator.check;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A client that has a file open for writing, with its requests under that grant and their results.
 * A grant that was followed by another is over. Nothing that is asked under it afterwards may
 * happen or be acknowledged (P 5.7).
 */
public final class Writer {
  private final FileHistory file;
  private final String actor;
  private final boolean stream;
  private final boolean shared;
  private final long letIn;
  private final long lengthFound;
  private final List<ContentChange> unpublished = new ArrayList<>();
  private final List<ContentChange> own = new ArrayList<>();
  private final List<ContentChange> extending = new ArrayList<>();
  private final List<ContentChange> flushed = new ArrayList<>();

  /** For a shared file: what it wrote, and the least length of the file then. */
  private final List<Reach> reached = new ArrayList<>();

  /**
   * A length that the file had, unless others cut it meanwhile or since.
   *
   * @param since when what gave it that length began
   */
  record Reach(long since, long length) {}

  private long published;

  /** Published for good: lengths that were flushed later may be known by components alone. */
  private long journalled;

  private long size;
  private long acknowledgedSize;
  private long longestAsked;
  private long extendedSince = ContentChange.NEVER;
  private long doubtedSince = ContentChange.NEVER;
  private long supersededAt = ContentChange.NEVER;
  private boolean ended;
  private long leastLeft = ContentChange.NEVER;
  private boolean unsure;
  private boolean alone;

  /**
   * A file that was opened.
   *
   * @param stream its writes count from the next flush on, not from their own completion
   * @param shared others write it too: it is never shorter than one of them makes it
   * @param letIn when it got the answer
   * @param length that it had then
   */
  Writer(FileHistory file, String actor, boolean stream, boolean shared, long letIn, long length) {
    this.file = file;
    this.actor = actor;
    this.stream = stream;
    this.shared = shared;
    this.alone = shared;
    this.letIn = letIn;
    this.lengthFound = length;
    this.published = length;
    this.journalled = length;
    this.size = length;
    this.acknowledgedSize = length;
    this.longestAsked = length;
  }

  /** The file was so long; what made it that began then. */
  void reached(long since, long length) {
    if (shared) {
      reached.add(new Reach(since, length));
    }
  }

  /** How long the file is with what was written under this grant. */
  public long size() {
    return size;
  }

  String actor() {
    return actor;
  }

  long letIn() {
    return letIn;
  }

  long lengthFound() {
    return lengthFound;
  }

  /** Both share the file: neither ends the other's grant. */
  boolean isBeside(Writer other) {
    return shared && other.shared;
  }

  /** It or another was let in last; it is not known which. */
  void isUnsure() {
    unsure = true;
  }

  /** No other client wrote when it was let in, and that was noted. */
  void isAlone() {
    alone = true;
  }

  boolean wasAlone() {
    return alone;
  }

  private long most(long alone) {
    return shared ? FileHistory.MAX_BYTES : alone;
  }

  /** It was closed, given up, lost, or followed by another writer. */
  public boolean isOver() {
    return ended || supersededAt != ContentChange.NEVER;
  }

  /** Something asked for under the grant, until its outcome is known. */
  public final class Attempt {
    private final String what;
    private final long asked;
    private final boolean news;
    private final List<ContentChange> changes;
    private final Runnable then;

    private Attempt(String what, List<ContentChange> changes, Runnable then) {
      this(what, true, changes, then);
    }

    /**
     * Something asked for.
     *
     * @param news it has effects; an answer that nothing was written may come at any time
     */
    private Attempt(String what, boolean news, List<ContentChange> changes, Runnable then) {
      this.what = what;
      this.news = news;
      this.asked = changes.stream().mapToLong(change -> change.start).max().orElse(0);
      this.changes = changes;
      this.then = then;
      own.addAll(changes);
      nothingAfterwards();
    }

    /** The client got an answer that it is done. */
    public void acknowledged(long moment, long nanos) {
      if (asked > supersededAt) {
        if (news) {
          file.found(tooLate(moment));
        }
        return;
      }
      if (unsure && !changes.isEmpty()) {
        if (!news) {
          changes.forEach(ContentChange::never);
          then.run();
          return;
        }
        file.lives(Writer.this, asked);
      }
      changes.forEach(change -> change.acknowledged(moment, nanos));
      then.run();
    }

    private BrokenRule tooLate(long moment) {
      return new BrokenRule(
          "acknowledged under a grant that had ended",
          file.name()
              + ": "
              + what
              + " of "
              + actor
              + " was acknowledged at "
              + moment
              + " although it was asked for after another writer had been let in");
    }

    /** The client got a failure: what is under way may still happen. */
    public void failed() {
      changes.forEach(ContentChange::failed);
      lost();
    }
  }

  /** Begins to write what a write of that number writes. */
  public Attempt write(int number, long moment, long from, long to) {
    ContentChange change = file.write(actor, number, moment, from, to);
    longestAsked = Math.max(longestAsked, to);
    if (to > published) {
      extendedSince = Math.min(extendedSince, moment);
    }
    if (stream) {
      unpublished.add(change);
      own.add(change);
      return new Attempt(
          "write " + number,
          List.of(),
          () -> {
            size = Math.max(size, to);
            reached(moment, to);
          });
    }
    extending.add(change);
    return new Attempt(
        "write " + number,
        List.of(change),
        () -> {
          size = Math.max(size, to);
          acknowledgedSize = Math.max(acknowledgedSize, to);
          reached(moment, to);
        });
  }

  /** Begins to let a range read as zeros; behind the end of a file that is its alone they do. */
  public Attempt punch(long moment, long from, long to) {
    boolean news = shared || from < size;
    return new Attempt("punch", news, List.of(file.zero(actor, moment, from, to)), () -> {});
  }

  /** Begins to publish the length, with everything written so far. */
  public Attempt flush(long moment, boolean onStableStorage) {
    return publish(
        onStableStorage ? "hsync" : "hflush",
        moment,
        length -> {
          if (onStableStorage) {
            own.forEach(ContentChange::durable);
            isJournalled();
          } else {
            flushed.add(length);
          }
        });
  }

  /** Begins to publish the length and to give the grant back. */
  public Attempt close(long moment) {
    return publish(
        "close",
        moment,
        length -> {
          ended = true;
          isJournalled();
        });
  }

  /**
   * The grant goes back by itself, as by a close, with everything on stable storage: at some time
   * since the last call.
   */
  public Attempt giveBack(long moment) {
    long since = Math.min(extendedSince, moment);
    return publish(
        "giving back",
        since,
        length -> {
          own.forEach(ContentChange::durable);
          ended = true;
          isJournalled();
        });
  }

  private Attempt publish(String what, long moment, Consumer<ContentChange> then) {
    List<ContentChange> changes = new ArrayList<>(unpublished);
    boolean news = !unpublished.isEmpty() || size != published;
    unpublished.clear();
    // Others may have truncated what this one wrote.
    long told = shared ? file.setLengths().uncut(reached) : size;
    ContentChange length = file.length(actor, moment, told, most(told));
    changes.add(length);
    return new Attempt(
        what,
        news,
        changes,
        () -> {
          size = shared ? told : size;
          isPublished(told);
          then.accept(length);
        });
  }

  /** The journal has it, or all components have it on their disks. */
  private void isJournalled() {
    journalled = published;
    flushed.clear();
  }

  private void isPublished(long length) {
    published = length;
    acknowledgedSize = length;
    longestAsked = length;
    extendedSince = ContentChange.NEVER;
    doubtedSince = ContentChange.NEVER;
    leastLeft = ContentChange.NEVER;
    extending.clear();
  }

  /** Begins to truncate the file, or to let it grow. */
  public Attempt setLength(long moment, long length) {
    List<ContentChange> changes = new ArrayList<>();
    // The length of a shared file may be any that others make it meanwhile.
    ContentChange before = file.length(actor, moment, shared ? length : size, most(size));
    ContentChange set = file.length(actor, moment, length, most(length));
    file.setLengths().add(set);
    changes.add(set);
    if (shared || length < size) {
      changes.add(file.zero(actor, moment, length, Long.MAX_VALUE));
    }
    longestAsked = Math.max(longestAsked, length);
    extendedSince = Math.min(extendedSince, moment);
    before.failed();
    return new Attempt(
        "length " + length,
        changes,
        () -> {
          before.replaced(changes.get(0).end);
          size = length;
          reached(moment, length);
          isPublished(length);
          isJournalled();
        });
  }

  /**
   * The client no longer writes under the grant, or it is unknown whether it does. The manager then
   * finds the length. It lies between what was published or acknowledged and everything that was
   * asked for.
   */
  public void lost() {
    if (!ended) {
      ended = true;
      if (supersededAt == ContentChange.NEVER) {
        isOver(ContentChange.NEVER);
      }
    }
  }

  /**
   * More machines lost power than the file can bear. Any part of what was acknowledged lately and
   * not journalled may be gone, and the file ends behind what is left.
   */
  void doubted(long moment, long acknowledgedSinceNanos) {
    if (supersededAt == ContentChange.NEVER && longestAsked > journalled) {
      leastLeft = Math.min(leastLeft, onDisks(acknowledgedSinceNanos));
      doubtedSince = Math.min(doubtedSince, moment);
      if (ended) {
        file.length("the manager after " + actor, moment, leastLeft, most(longestAsked)).failed();
      }
    }
  }

  /** The length with what is under checkpoints, or was journalled. */
  private long onDisks(long acknowledgedSinceNanos) {
    long told =
        flushed.stream()
            .filter(length -> !length.isRecent(acknowledgedSinceNanos))
            .mapToLong(length -> length.from)
            .reduce(journalled, Math::max);
    return extending.stream()
        .filter(change -> change.durable || !change.isRecent(acknowledgedSinceNanos))
        .mapToLong(change -> change.to)
        .reduce(told, Math::max);
  }

  /** Another writer was let in. */
  void superseded(long moment) {
    if (supersededAt == ContentChange.NEVER) {
      if (!ended) {
        isOver(moment);
      }
      supersededAt = moment;
      nothingAfterwards();
    }
  }

  private void nothingAfterwards() {
    own.stream().filter(change -> change.start > supersededAt).forEach(ContentChange::never);
  }

  private void isOver(long moment) {
    unpublished.forEach(ContentChange::failed);
    own.forEach(ContentChange::failed);
    long since = Math.min(extendedSince, doubtedSince);
    boolean isKnown = longestAsked == published && leastLeft >= published;
    if (!isKnown && since <= moment) {
      long least = Math.min(acknowledgedSize, leastLeft);
      ContentChange found =
          file.length("the manager after " + actor, since, least, most(longestAsked));
      found.failed();
      if (moment != ContentChange.NEVER) {
        found.settled(moment - 1);
      }
    }
  }
}
