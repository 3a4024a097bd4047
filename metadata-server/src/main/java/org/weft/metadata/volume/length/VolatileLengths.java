package org.weft.metadata.volume.length;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.Times;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;

/**
 * Lengths of files that are being written, as their writers published them last (P 4.3, 6.4). Only
 * the first is in the journal, with the note that others may follow. Those are kept here alone,
 * since each flush of a writer would else cost a flush of the journal. The next record that puts
 * the file's attributes takes them in and says that they are all, unless the writer keeps what came
 * after ({@link DelegatedLengths}).
 *
 * <p>A manager that starts therefore does not know what it may tell of such a file. It tells no
 * client before every writer has said again what it published, or is gone and its file resolved.
 * What was published is on all components that the map calls present, which know the length.
 *
 * <p>Confined to the volume's thread.
 */
public final class VolatileLengths {
  /**
   * A length that a writer has told.
   *
   * @param truncation how often the file had been cut by then: a length of before a later cut
   *     counts no more (P 6.5.78)
   * @param whenNanos since 1970; ctime of the file since then
   * @param changed bytes within the length were written, too
   */
  private record Told(long sizeBytes, int truncation, long whenNanos, boolean changed) {
    Told and(Told later) {
      boolean longer = later.isLongerThan(this);
      boolean shorter = isLongerThan(later);
      return new Told(
          shorter ? sizeBytes() : later.sizeBytes(),
          Math.max(truncation(), later.truncation()),
          longer || later.changed() ? Math.max(whenNanos(), later.whenNanos()) : whenNanos(),
          changed() || later.changed());
    }

    /**
     * After more truncations, or as many and longer. Where the number is unknown there was one
     * writer alone.
     */
    private boolean isLongerThan(Told other) {
      boolean asMany =
          truncation == other.truncation || truncation == NEWEST || other.truncation == NEWEST;
      return asMany ? sizeBytes > other.sizeBytes : truncation > other.truncation;
    }
  }

  /** Its writer is alone, so that no other has truncated the file. */
  private static final int NEWEST = Integer.MAX_VALUE;

  private final TreeSet<ObjectId> live = new TreeSet<>();
  private final Map<ObjectId, Told> told = new HashMap<>();
  private final TreeSet<ObjectId> unheard = new TreeSet<>();

  /** Files of which another manager may have told times that no record holds. */
  private final TreeSet<ObjectId> toldByOthers = new TreeSet<>();

  private long othersToldUpToNanos;
  private final DelegatedLengths delegated;

  public VolatileLengths(DelegatedLengths delegated) {
    this.delegated = delegated;
  }

  /** Those that writers keep to themselves. */
  public DelegatedLengths delegated() {
    return delegated;
  }

  /** Applies a journalled change. */
  public void apply(LiveEffect.LengthLive effect) {
    if (effect.live()) {
      live.add(effect.object());
    } else {
      live.remove(effect.object());
      told.remove(effect.object());
      unheard.remove(effect.object());
      toldByOthers.remove(effect.object());
      delegated.forget(effect.object());
    }
  }

  /**
   * A manager starts: only others know the lengths that were told.
   *
   * @param toldUpToNanos managers before it have told no later time without a record
   */
  public void begin(long epoch, long toldUpToNanos) {
    othersToldUpToNanos = toldUpToNanos;
    toldByOthers.clear();
    toldByOthers.addAll(live);
    told.clear();
    delegated.begin(epoch);
    unheard.addAll(live);
  }

  /** All of them, as a snapshot has them. */
  public List<LiveEffect> snapshot() {
    return live.stream()
        .<LiveEffect>map(object -> new LiveEffect.LengthLive(object, true))
        .toList();
  }

  /** Lengths of the file are published without a record. */
  public boolean isLive(ObjectId object) {
    return live.contains(object);
  }

  /** A client may have been told a length of the file that this manager does not know. */
  public boolean isUnheard(ObjectId object) {
    return unheard.contains(object);
  }

  /**
   * A writer has published a length. One that is no larger than what is known changes nothing,
   * unless the writer has changed bytes within it: then the file's times are others.
   *
   * @param shown the file as it was shown last
   * @param changed bytes within the length were written since it was told last
   */
  public void tell(Attributes shown, long sizeBytes, boolean changed, long dayNanos) {
    if (sizeBytes > shown.sizeBytes() || changed) {
      int truncation = shown.truncation().number();
      tell(shown.object(), new Told(sizeBytes, truncation, shown.times().after(dayNanos), changed));
    }
  }

  /**
   * A writer says what it published before, to this manager or another one, or to itself alone. A
   * smaller length than others told changes nothing, nor does one from before a truncation.
   *
   * @param truncation how often the file had been cut when it had that length; empty: unknown
   */
  public void tellAgain(ObjectId object, long sizeBytes, OptionalInt truncation, long dayNanos) {
    // Others may have told that the file was changed. So it was, then or now.
    boolean changed = toldByOthers.contains(object);
    tell(object, new Told(sizeBytes, truncation.orElse(NEWEST), later(object, dayNanos), changed));
  }

  /** A time that is later than all times of the file that were told without a record. */
  public long later(ObjectId object, long dayNanos) {
    Told here = told.get(object);
    long others = toldByOthers.contains(object) ? othersToldUpToNanos + 1 : 0;
    return Math.max(dayNanos, Math.max(others, here == null ? 0 : here.whenNanos()));
  }

  private void tell(ObjectId object, Told now) {
    told.merge(object, now, Told::and);
  }

  /** Its only writer has told every length that it ever published. */
  public void heard(ObjectId object, long nowNanos) {
    unheard.remove(object);
    delegated.told(object, nowNanos);
  }

  /**
   * Some that were waited for have spoken, or are gone.
   *
   * @param isAwaited some writer of the file has yet to speak, or left it to be resolved
   */
  public void review(Predicate<ObjectId> isAwaited) {
    if (!unheard.isEmpty()) {
      unheard.removeIf(object -> !isAwaited.test(object));
    }
  }

  /** The attributes of a file as they are to be shown, with the length that was told last. */
  public Attributes shown(Attributes stored) {
    Told last = told.isEmpty() ? null : told.get(stored.object());
    Times times = stored.times();
    boolean counts = last != null && last.truncation() >= stored.truncation().number();
    boolean longer = counts && last.sizeBytes() > stored.sizeBytes();
    boolean changed = last != null && last.changed() && last.whenNanos() > times.ctimeNanos();
    if (!longer && !changed) {
      return stored;
    }
    long whenNanos = times.after(last.whenNanos());
    return stored
        .edit()
        .sizeBytes(longer ? last.sizeBytes() : stored.sizeBytes())
        .times(new Times(whenNanos, whenNanos, times.atimeNanos()))
        .build();
  }

  /** This manager knows all that was published. */
  public boolean isKnown(ObjectId object) {
    return !isUnheard(object) && !delegated.isDelegated(object);
  }

  /** A record that puts the file's attributes now takes in all that was published. */
  public boolean isToSettle(ObjectId object) {
    return isLive(object) && isKnown(object);
  }

  /**
   * @throws WeftException UNAVAILABLE while a client may have been told of a greater length than
   *     this manager knows
   */
  public void requireHeard(ObjectId object) throws WeftException {
    if (isUnheard(object)) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "object "
              + object
              + " was being written when its manager went away, and how long it was by then is not"
              + " known before its writer has said so, or its file was resolved; try again");
    }
  }
}
