package org.weft.client.volume;

import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.PublishedFile;
import org.weft.protocol.wire.RenewSessionRequest;

/**
 * Tracks what one session has published of the files that it writes, under grants that it has not
 * given back. Managers keep it in memory alone, so that one that starts has to be told again (P
 * 4.3, 6.5). It is told no less than was published, for the one before may have told others.
 *
 * <p>Of a file whose lengths the manager leaves to the session ({@link #keeps}) it holds what the
 * manager has yet to hear. That ends with whatever is said of the file, with the manager's
 * question, and with the manager. No answer counts that was given before a question, or by another
 * manager.
 *
 * <p>Thread-safe; never blocks.
 */
final class PublishedLengths {
  /**
   * A length.
   *
   * @param cuts how often the file had been cut by then (P 4.3); empty: not said, because no other
   *     client can have cut it meanwhile
   */
  record Length(long sizeBytes, OptionalInt cuts) {
    static final Length NONE = of(0);

    /** Of a file that no other client can have cut. */
    static Length of(long sizeBytes) {
      return new Length(sizeBytes, OptionalInt.empty());
    }

    /** The larger one of the same cut; else the one of the later cut. */
    Length and(Length other) {
      boolean asMany =
          cuts.isEmpty() || other.cuts.isEmpty() || cuts.getAsInt() == other.cuts.getAsInt();
      if (asMany) {
        return new Length(
            Math.max(sizeBytes, other.sizeBytes), cuts.isPresent() ? cuts : other.cuts);
      }
      return cuts.getAsInt() > other.cuts.getAsInt() ? this : other;
    }
  }

  private static final class Published {
    private Length length = Length.NONE;
    private long toldBytes;
    private boolean kept;
    private Lsn question = Lsn.ZERO;
  }

  // By object, and by the number of the grant: a session may have one file open shared twice.
  private final TreeMap<Long, TreeMap<Long, Published>> published = new TreeMap<>();
  private long epoch;

  /**
   * @param epoch of the manager; 0 if it does not say
   */
  PublishedLengths(long epoch) {
    this.epoch = epoch;
  }

  /**
   * A length is about to be told, and later ones are not kept any more.
   *
   * @return what is to be told: the largest that was published since the file was cut last
   */
  synchronized Length telling(long objectId, long grant, Length length) {
    Published file =
        published
            .computeIfAbsent(objectId, id -> new TreeMap<>())
            .computeIfAbsent(grant, number -> new Published());
    file.length = file.length.and(length);
    file.kept = false;
    return file.length;
  }

  /**
   * Publishes a length, if that takes no word to the manager: it will ask.
   *
   * @return false if the manager has to be told
   */
  synchronized boolean keeps(long objectId, long grant, long sizeBytes) {
    Published file = find(objectId, grant);
    if (file == null || !file.kept) {
      return false;
    }
    file.length = file.length.and(Length.of(sizeBytes));
    return true;
  }

  /** The manager has yet to hear of a length. */
  synchronized boolean isBehind(long objectId, long grant) {
    Published file = find(objectId, grant);
    return file != null && file.length.sizeBytes() > file.toldBytes;
  }

  /**
   * Something else is about to be said of the file, and no length is kept any more.
   *
   * @return the largest that was published under the grant, to be said with it
   */
  synchronized OptionalLong saying(long objectId, long grant) {
    Published file = find(objectId, grant);
    if (file == null) {
      return OptionalLong.empty();
    }
    file.kept = false;
    return OptionalLong.of(file.length.sizeBytes());
  }

  /**
   * The manager's answer to what was told last.
   *
   * @param toldBytes the length that it knows now
   * @param asOf later lengths may be kept as long as no newer question was seen; zero if they are
   *     to be told
   */
  synchronized void answered(long objectId, long grant, long toldBytes, Lsn asOf) {
    Published file = find(objectId, grant);
    if (file == null) {
      return;
    }
    file.toldBytes = Math.max(file.toldBytes, toldBytes);
    if (!asOf.equals(Lsn.ZERO) && asOf.epoch() == epoch) {
      file.kept = asOf.compareTo(file.question) >= 0;
    }
  }

  /**
   * The manager wants to know how long the file is.
   *
   * @return false if nothing was published under the grant
   */
  synchronized boolean wanted(long objectId, long grant, Lsn question) {
    Published file = find(objectId, grant);
    if (file == null) {
      return false;
    }
    if (question.compareTo(file.question) > 0) {
      file.question = question;
    }
    file.kept = false;
    return true;
  }

  /** Another manager has taken over, and knows nothing of what is kept. */
  synchronized void managerChanged(long newEpoch) {
    epoch = newEpoch;
    published.values().forEach(byGrant -> byGrant.values().forEach(file -> file.kept = false));
  }

  /** Whatever was published under the grant is in the manager's journal, or the grant has ended. */
  synchronized void settled(long objectId, long grant) {
    Map<Long, Published> byGrant = published.get(objectId);
    if (byGrant != null) {
      byGrant.remove(grant);
      if (byGrant.isEmpty()) {
        published.remove(objectId);
      }
    }
  }

  /** Another grant has taken the place of one. */
  synchronized void renumbered(long objectId, long before, long now) {
    Map<Long, Published> byGrant = published.get(objectId);
    Published file = byGrant == null ? null : byGrant.remove(before);
    if (file != null) {
      byGrant.put(now, file);
    }
  }

  /** Says all of it to a manager that has started. */
  synchronized void addTo(RenewSessionRequest.Builder renewal) {
    published.forEach(
        (objectId, byGrant) -> {
          Length length =
              byGrant.values().stream().map(each -> each.length).reduce(Length.NONE, Length::and);
          PublishedFile.Builder file =
              renewal.addPublishedBuilder().setObjectId(objectId).setSize(length.sizeBytes());
          length.cuts().ifPresent(file::setTruncationNumber);
        });
  }

  private Published find(long objectId, long grant) {
    Map<Long, Published> byGrant = published.get(objectId);
    return byGrant == null ? null : byGrant.get(grant);
  }
}
