package org.weft.metadata.journal;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRanges;

/** An effect of the scrub of parity (P 6.8f). */
public sealed interface ScrubEffect extends LiveEffect.OfScrub {
  /** Files that wait until they are at rest, at most. */
  int MAX_LATER = 1_000;

  /**
   * A pass over all files of a volume.
   *
   * @param begunMillis since 1970
   * @param endedMillis 0 while it is under way
   * @param objects that were passed, directories among them
   * @param files that were compared
   * @param bytes that were read of them, parity included
   * @param left files that could not be compared
   * @param unlisted lists of some OSDs were missing
   */
  record Pass(
      long begunMillis,
      long endedMillis,
      long objects,
      long files,
      long bytes,
      long left,
      boolean unlisted) {
    public static final Pass NONE = new Pass(0, 0, 0, 0, 0, 0, false);
  }

  /**
   * How far the scrub is. After a failover it continues there.
   *
   * @param passes that have ended
   * @param last the newest of them; {@link Pass#NONE} before that
   * @param now the one that is under way, or {@link Pass#NONE}
   * @param object all files with smaller numbers were looked at in this pass, except those that
   *     wait
   * @param stripe of that file, the first that is to be looked at
   * @param later files with smaller numbers that wait until they are at rest
   * @param laterStripes of those of them that were looked at in part, the first stripe that is to
   *     be looked at
   * @param rounds how often those that wait have had their turn in this pass
   * @param waits how often this pass has waited for what was not there
   */
  record Reached(
      long passes,
      Pass last,
      Pass now,
      ObjectId object,
      long stripe,
      List<ObjectId> later,
      Map<ObjectId, Long> laterStripes,
      int rounds,
      int waits)
      implements ScrubEffect {
    public static final Reached NOTHING =
        new Reached(0, Pass.NONE, Pass.NONE, new ObjectId(0), 0, List.of());

    /** Where nothing was looked at in part, and nothing was waited for. */
    public Reached(
        long passes, Pass last, Pass now, ObjectId object, long stripe, List<ObjectId> later) {
      this(passes, last, now, object, stripe, later, Map.of(), 0, 0);
    }

    public Reached {
      laterStripes = Map.copyOf(laterStripes);
      Objects.requireNonNull(last, "last");
      Objects.requireNonNull(now, "now");
      Objects.requireNonNull(object, "object");
      later = List.copyOf(later);
      if (later.size() > MAX_LATER) {
        throw new IllegalArgumentException(
            "more than " + MAX_LATER + " files wait: " + later.size());
      }
    }

    /** A pass has begun and has not ended. */
    public boolean isUnderWay() {
      return now.begunMillis() != 0;
    }
  }

  /**
   * The parity of a file and its data contradict each other, though all of it can be read. An
   * operator is told until that has changed. Replaces an earlier such effect on the file.
   *
   * @param sinceMillis when that was found first
   * @param units that do not belong to the others of their stripes; 0: the warning ends
   * @param inDoubt bytes of these stripes; at most {@link LiveEffect.FileDamaged#MAX_GONE} ranges
   * @param what a sentence with the file and what can be done
   */
  record Contradicted(
      ObjectId object, long sinceMillis, long units, ByteRanges inDoubt, String what)
      implements ScrubEffect {
    public Contradicted {
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(inDoubt, "inDoubt");
      Objects.requireNonNull(what, "what");
      if (inDoubt.size() > LiveEffect.FileDamaged.MAX_GONE) {
        throw new IllegalArgumentException(
            "more than " + LiveEffect.FileDamaged.MAX_GONE + " ranges: " + inDoubt.size());
      }
    }

    /** The file does not contradict itself any more, or it is gone. */
    public static Contradicted over(ObjectId object) {
      return new Contradicted(object, 0, 0, ByteRanges.NONE, "");
    }
  }
}
