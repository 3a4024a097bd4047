package org.weft.metadata.scrub;

import java.util.Map;
import java.util.Optional;
import org.weft.client.stripe.check.ParityReport;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.LiveEffect.FileDamaged;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;

/** A file during its scrub, some stripes after others. On the volume's thread. */
final class FileScrub {
  /** Why a file is scrubbed. */
  enum Cause {
    /** It is the next one of the pass. */
    TURN,
    /** It was not at rest when its turn came. */
    LATE,
    /** It is named as contradicting itself, and has changed. */
    NAMED
  }

  private final ObjectId object;
  private final Cause cause;
  private final long firstStripe;
  private Optional<Attributes> assumed;
  private long stripe;
  private long units;
  private ByteRanges inDoubt = ByteRanges.NONE;
  private Lsn seen = Lsn.ZERO;
  private String name = "";
  private int failures;

  /**
   * @param firstStripe those before it were looked at before
   * @param assumed attributes that need not be the newest, so that none need be loaded
   */
  FileScrub(ObjectId object, Cause cause, long firstStripe, Optional<Attributes> assumed) {
    this.object = object;
    this.cause = cause;
    this.firstStripe = firstStripe;
    this.stripe = firstStripe;
    this.assumed = assumed;
  }

  ObjectId object() {
    return object;
  }

  Cause cause() {
    return cause;
  }

  /** The next stripe that is to be looked at. */
  long stripe() {
    return stripe;
  }

  /** The first stripe that was to be looked at. */
  long firstStripe() {
    return firstStripe;
  }

  /** Its name when it was looked at; empty: it has several, or was not looked at. */
  String name() {
    return name;
  }

  /** All of the file is looked at in one go. */
  boolean isFromTheBeginning() {
    return firstStripe == 0;
  }

  /** None of its stripes was read yet. */
  boolean isFresh() {
    return stripe == firstStripe;
  }

  /** Its attributes, if they need not be loaded. */
  Map<ObjectId, Attributes> assumed() {
    return assumed.map(file -> Map.of(object, file)).orElseGet(Map::of);
  }

  /** Units that contradict others of their stripes, as far as it was looked at. */
  long units() {
    return units;
  }

  /** Bytes of these stripes. */
  ByteRanges inDoubt() {
    return inDoubt;
  }

  /**
   * The last record that had changed the file when its first stripes were looked at. If the file
   * changes afterwards, even while this goes on, it is to be looked at again.
   */
  Lsn seen() {
    return seen;
  }

  /** Some stripes were looked at. */
  void took(Attributes file, ParityReport report) {
    // A file that goes on for long may change between its pieces: from here on as it is then.
    assumed = Optional.empty();
    name = file.parent().name();
    seen = isFresh() ? file.changeLsn() : seen;
    stripe += report.stripes();
    units += report.contradictingUnits();
    long stripeBytes = file.map().layout().stripeBytes();
    for (long wrong : report.contradicted()) {
      long from = wrong * stripeBytes;
      long to = Math.min(from + stripeBytes, Math.max(from + 1, file.sizeBytes()));
      ByteRanges more = inDoubt.plus(new ByteRange(from, to));
      inDoubt = more.size() > FileDamaged.MAX_GONE ? inDoubt : more;
    }
  }

  /** What was found of it so far is durable. */
  void noted() {
    failures = 0;
  }

  /** It could not be looked at; how often that was so one after another. */
  int failed() {
    assumed = Optional.empty();
    failures++;
    return failures;
  }
}
