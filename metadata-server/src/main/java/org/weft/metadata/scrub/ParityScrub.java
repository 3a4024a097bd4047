package org.weft.metadata.scrub;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.check.CheckedVolume;
import org.weft.metadata.check.ComparedParity;
import org.weft.metadata.check.NodeState;
import org.weft.metadata.check.ParityComparison;
import org.weft.metadata.check.Steps;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/**
 * Compares the parity of all files of a volume with their data, a few stripes after others, again
 * and again (P 6.8f). All volumes of a manager together read no more in a second than that is
 * allowed. Each volume reads one piece at a time, and rests four times as long as that took. So it
 * makes way by itself where OSDs are busy. A file that is not at rest is skipped and read later.
 * What contradicts itself is named in the journal, and stays as it is. Damaged blocks are left to
 * the repair of blocks, which learns of them from their OSDs.
 *
 * <p>Its place is recorded every few minutes. After a failover the files since then are read again.
 * Single-threaded, on the volume's thread.
 */
public final class ParityScrub {
  private static final Logger LOG = LoggerFactory.getLogger(ParityScrub.class);

  /** So much is read for one piece; a stripe at least. */
  static final long PIECE_BYTES = 4 << 20;

  /** The least size that a file counts, for its round trips. */
  static final long MIN_FILE_BYTES = 256 << 10;

  /** What each window of objects counts. */
  private static final long WINDOW_BYTES = 1 << 20;

  private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MAX_AT_ONCE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int REST_FACTOR = 4;
  private static final long RECORD_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final long FAILED_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final int MAX_FAILURES = 5;
  private static final long LATER_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long CHANGED_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** So that it does not begin while clients come back. */
  private static final long START_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** Nothing was read, and nothing is to be done now. */
  private static final long IDLE = -1;

  private final CheckedVolume volume;
  private final ScrubJournal journal;
  private final ScrubOptions options;
  private final ScrubShares shares;
  private final LongSupplier clockNanos;
  private final LongSupplier clockMillis;
  private final Steps steps;
  private final ParityComparison comparison;
  private final ContradictingFiles named;
  private ScrubPass pass;
  private Optional<FileScrub> file = Optional.empty();
  private String waits = "";
  private boolean underWay;
  private boolean closed;
  private long begunNanos;
  private long notBeforeNanos;
  private long paidNanos;
  private long recordedNanos;
  private long changedNanos;

  /** Bytes that were read of named files, and that the pass may read before the next one. */
  private long owedBytes;

  /**
   * @param shares of the manager's rate
   * @param clockNanos a monotonic clock
   * @param clockMillis since 1970
   * @param steps on the volume's thread
   */
  public ParityScrub(
      CheckedVolume volume,
      ScrubJournal journal,
      ScrubOptions options,
      ScrubShares shares,
      LongSupplier clockNanos,
      LongSupplier clockMillis,
      Steps steps) {
    this.volume = volume;
    this.journal = journal;
    this.options = options;
    this.shares = shares;
    this.clockNanos = clockNanos;
    this.clockMillis = clockMillis;
    this.steps = steps;
    this.comparison = new ParityComparison(volume, steps);
    this.named = new ContradictingFiles(volume, journal, clockMillis);
  }

  /** To be called now and then, while the volume is served. */
  public void look() {
    if (closed || underWay || !options.isOn()) {
      return;
    }
    long nowNanos = clockNanos.getAsLong();
    if (pass == null) {
      begin(nowNanos);
    }
    if (nowNanos - notBeforeNanos >= 0) {
      underWay = true;
      begunNanos = nowNanos;
      run();
    }
  }

  private void begin(long nowNanos) {
    pass = new ScrubPass(volume, steps, journal.reached());
    notBeforeNanos = nowNanos + (options.passDays() == 0 ? 0 : START_NANOS);
    paidNanos = nowNanos;
    recordedNanos = nowNanos;
    changedNanos = nowNanos;
  }

  private void run() {
    var unused =
        next()
            .whenCompleteAsync(
                (bytes, failure) -> {
                  if (failure == null) {
                    stepped(bytes);
                  } else {
                    failed(WeftException.of(failure).getMessage());
                  }
                },
                steps.home());
  }

  private void stepped(long bytes) {
    long nowNanos = clockNanos.getAsLong();
    if (bytes > 0) {
      paidNanos =
          Math.max(paidNanos, nowNanos - BURST_NANOS) + options.nanosOf(bytes) * shares.count();
      pass.read(bytes);
    }
    shares.reads(this, !closed && (pass.isUnderWay() || file.isPresent()));
    boolean mayGoOn =
        bytes != IDLE
            && nowNanos - paidNanos >= 0
            && nowNanos - notBeforeNanos >= 0
            && nowNanos - begunNanos < MAX_AT_ONCE_NANOS;
    if (mayGoOn && !closed) {
      run();
      return;
    }
    underWay = false;
    notBefore(paidNanos);
    notBefore(nowNanos + REST_FACTOR * (nowNanos - begunNanos));
    if (bytes == IDLE) {
      notBefore(nowNanos + IDLE_NANOS);
    }
  }

  private void failed(String why) {
    LOG.warn("the scrub of parity waits: {}", why);
    waits = why;
    underWay = false;
    // What was found of it could not be recorded, and is to be found again.
    file.filter(looked -> looked.failed() >= MAX_FAILURES)
        .ifPresent(
            looked -> leave(looked, looked.units() > 0 ? looked.firstStripe() : looked.stripe()));
    notBefore(clockNanos.getAsLong() + FAILED_NANOS);
  }

  private void notBefore(long nanos) {
    notBeforeNanos = Math.max(notBeforeNanos, nanos);
  }

  /** Does a little, and tells how many bytes were read for it. */
  private CompletionStage<Long> next() {
    long nowNanos = clockNanos.getAsLong();
    if (pass.isUnderWay() && nowNanos - recordedNanos >= RECORD_NANOS) {
      return recorded().thenApply(nothing -> 0L);
    }
    if (file.isPresent()) {
      return piece(file.get());
    }
    if (nowNanos - changedNanos >= 0) {
      changedNanos = nowNanos + CHANGED_NANOS;
      return named.findChanged().thenApply(nothing -> 0L);
    }
    file = isTurnOfNamed() ? named.poll() : Optional.empty();
    if (file.isPresent()) {
      return piece(file.get());
    }
    return pass.isUnderWay() ? nextOfPass(nowNanos) : nextPass();
  }

  /** Large files that are named and change again and again do not keep the pass from its turns. */
  private boolean isTurnOfNamed() {
    return owedBytes <= 0 || !pass.isUnderWay();
  }

  private CompletionStage<Long> nextPass() {
    long nowMillis = clockMillis.getAsLong();
    long sinceMillis = nowMillis - pass.lastBegunMillis();
    // A clock that was put back does not put a pass off.
    boolean isDue = sinceMillis >= options.passMillis() || sinceMillis < 0;
    if (!isDue) {
      return CompletableFuture.completedStage(IDLE);
    }
    pass.begin(nowMillis);
    return recorded().thenApply(nothing -> 0L);
  }

  private CompletionStage<Long> nextOfPass(long nowNanos) {
    file = pass.poll();
    if (file.isPresent()) {
      return piece(file.get());
    }
    if (!pass.isListed()) {
      owe(-WINDOW_BYTES);
      return pass.list(nowNanos)
          .thenApply(
              nothing -> {
                waits = "";
                return WINDOW_BYTES;
              });
    }
    if (pass.hasLater()) {
      pass.takeLater();
      owedBytes = 0;
      notBefore(nowNanos + LATER_NANOS);
      return CompletableFuture.completedStage(IDLE);
    }
    pass.end(clockMillis.getAsLong());
    return recorded().thenApply(nothing -> IDLE);
  }

  private CompletionStage<Void> recorded() {
    recordedNanos = clockNanos.getAsLong();
    return journal.record(List.of(pass.reached(file)));
  }

  private CompletionStage<Long> piece(FileScrub looked) {
    return volume
        .nodes(List.of(looked.object()), looked.assumed())
        .thenComposeAsync(
            states -> {
              NodeState state = states.get(looked.object());
              if (state == null) {
                return notCompared(looked, "OSDs with its attributes do not reply", false);
              }
              Optional<Attributes> attributes = ParityComparison.fileOf(state);
              return attributes.isEmpty()
                  ? passedOver(looked)
                  : piece(looked, state, attributes.get());
            },
            steps.home());
  }

  /** It is gone, or has nothing that could be compared. */
  private CompletionStage<Long> passedOver(FileScrub looked) {
    file = Optional.empty();
    return named.nothingToCompare(looked).thenApply(nothing -> 0L);
  }

  private CompletionStage<Long> piece(FileScrub looked, NodeState state, Attributes attributes) {
    Layout layout = attributes.map().layout();
    long stripeBytes = (long) layout.width() * layout.unitBytes();
    long most = Math.max(1, PIECE_BYTES / stripeBytes);
    boolean isFresh = looked.isFresh();
    return comparison
        .compare(state, looked.stripe(), most)
        .thenComposeAsync(
            compared -> {
              long read = Math.max(compared.report().stripes() * stripeBytes, 0);
              long cost = isFresh ? Math.max(read, MIN_FILE_BYTES) : read;
              owe(looked.cause() == FileScrub.Cause.NAMED ? cost : -cost);
              return took(looked, attributes, compared).thenApply(nothing -> cost);
            },
            steps.home());
  }

  private void owe(long bytes) {
    owedBytes = Math.max(0, owedBytes + bytes);
  }

  private CompletionStage<Void> took(
      FileScrub looked, Attributes attributes, ComparedParity compared) {
    if (!compared.isKnown()) {
      boolean isWritten = compared.outcome() == ComparedParity.Outcome.WRITTEN;
      return notCompared(looked, compared.why(), isWritten).thenAccept(nothing -> {});
    }
    waits = "";
    looked.took(attributes, compared.report());
    boolean isEnd = compared.report().isEnd();
    return named
        .note(looked, isEnd ? ContradictingFiles.Reach.END : ContradictingFiles.Reach.PIECE)
        .thenRun(
            () -> {
              looked.noted();
              if (isEnd) {
                file = Optional.empty();
                if (looked.cause() != FileScrub.Cause.NAMED) {
                  pass.compared();
                }
              }
            });
  }

  /**
   * Where a file is written it comes later. Where a part of it is absent, other files lack the same
   * OSD. So it waits for a while.
   */
  private CompletionStage<Long> notCompared(FileScrub looked, String why, boolean isWritten) {
    boolean waitsForIt =
        !isWritten
            && looked.cause() == FileScrub.Cause.TURN
            && looked.failed() < MAX_FAILURES
            && pass.mayWait();
    if (waitsForIt) {
      waits = "object %s: %s".formatted(looked.object(), why);
      notBefore(clockNanos.getAsLong() + FAILED_NANOS);
      return CompletableFuture.completedStage(0L);
    }
    return named
        .note(looked, ContradictingFiles.Reach.LEFT)
        .thenApplyAsync(
            nothing -> {
              leave(looked, looked.stripe());
              return 0L;
            },
            steps.home());
  }

  /**
   * @param from the stripe that comes next
   */
  private void leave(FileScrub looked, long from) {
    file = Optional.empty();
    if (looked.cause() != FileScrub.Cause.NAMED) {
      pass.later(looked.object(), from);
    }
  }

  /** How far it is. */
  public ScrubProgress progress() {
    boolean isOn = options.isOn() && pass != null;
    return new ScrubProgress(
        options.isOn(),
        isOn ? pass.reached(file) : journal.reached(),
        journal.contradicted().size(),
        isOn ? (waits.isEmpty() ? pass.without() : waits) : "",
        named.words());
  }

  /** Begins nothing any more. */
  public void close() {
    closed = true;
    shares.reads(this, false);
  }
}
