package org.weft.osd.scrub;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.BadBlock;
import org.weft.osd.store.MediumLook;
import org.weft.osd.store.MediumPlace;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.ScrubNotes;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.seam.Clock;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * Reads every stored block once in a period, at a low and even rate, and makes way for clients. A
 * bad block is a standing problem of the OSD until it was written anew or belongs to nobody any
 * more. How far it is and what it found is noted in the store, so that a new start goes on there.
 *
 * <p>The damage itself is left as it is: who reads such a block finds that it does not match its
 * checksum, and rebuilds it from others.
 *
 * <p>All work is done on an executor of its own; the public methods are thread-safe.
 */
public final class Scrubber implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);
  private static final long NOTE_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int NAMED_BLOCKS = 3;

  private final ObjectStore store;
  private final ScrubPace pace;
  private final BooleanSupplier busy;
  private final Clock clock;
  private final Ticker ticker;
  private final Scheduler scheduler;
  private final Scheduler.OwnedExecutor executor;
  // Of the executor.
  private ScrubNotes notes;
  private long notedNanos;
  private long lookedAgainNanos;
  private int yields;
  // Also read by others.
  private volatile Scheduler.Timer timer;
  private volatile ScrubFigures figures = ScrubFigures.NONE;
  private volatile List<String> problems = List.of();
  private volatile boolean closed;

  /**
   * Does nothing before {@link #start}.
   *
   * @param periodMillis in which everything is read
   * @param busy clients have something under way
   */
  public Scrubber(
      long periodMillis, ObjectStore store, BooleanSupplier busy, Environment environment) {
    this.pace = new ScrubPace(periodMillis);
    this.store = store;
    this.busy = busy;
    this.clock = environment.clock();
    this.ticker = environment.ticker();
    this.scheduler = environment.scheduler();
    this.executor = scheduler.newSerialExecutor("osd-scrub");
  }

  /** Begins, with a rest; not once it is closed. */
  public void start() {
    try {
      executor.execute(this::resume);
    } catch (RejectedExecutionException e) {
      LOG.debug("closed before it began");
    }
  }

  public ScrubFigures figures() {
    return figures;
  }

  /** For whoever looks at the cluster's status; empty while all is well. */
  public List<String> problems() {
    return problems;
  }

  /** Ends after the step under way, and notes how far it was. */
  @Override
  public void close() {
    closed = true;
    Scheduler.Timer last = timer;
    if (last != null) {
      last.cancel();
    }
    executor.close();
    if (notes != null && !store.hasFailed()) {
      note();
    }
  }

  private void resume() {
    try {
      notes = store.medium().notes().orElseGet(() -> ScrubNotes.first(clock.nowMillis()));
    } catch (RpcException e) {
      // The store says by itself what is wrong with its tables.
      LOG.warn("what was scrubbed before is not known, so it begins anew", e);
      notes = ScrubNotes.first(clock.nowMillis());
    }
    notedNanos = ticker.nowNanos();
    lookedAgainNanos = notedNanos - ScrubPace.LONGEST_STEP_NANOS;
    tell(0, 0);
    next();
  }

  private void next() {
    if (closed || store.hasFailed()) {
      return;
    }
    long rest = pace.restNanos(store.status().usedBytes());
    wait(notes.place().equals(MediumPlace.START) ? Math.max(rest, untilPass()) : rest, this::step);
  }

  /** As long as the last pass is younger than the period; in parts, to look at what was bad. */
  private long untilPass() {
    if (notes.passBytes() == 0) {
      return 0;
    }
    long millis = pace.untilNextPassMillis(notes.startedMillis(), clock.nowMillis());
    return Math.min(TimeUnit.MILLISECONDS.toNanos(millis), ScrubPace.LONGEST_STEP_NANOS);
  }

  private void wait(long nanos, Runnable then) {
    timer = scheduler.schedule(nanos, executor, then);
  }

  private void step() {
    if (closed || store.hasFailed()) {
      return;
    }
    if (yields < ScrubPace.MOST_YIELDS && busy.getAsBoolean()) {
      yields++;
      wait(pace.yieldNanos(store.status().usedBytes()), this::step);
      return;
    }
    yields = 0;
    try {
      if (!isBetweenPasses()) {
        look();
      }
      lookAgain();
    } catch (RpcException e) {
      if (e.code() == ErrorCode.UNAVAILABLE) {
        return;
      }
      LOG.warn("scrubbing stopped for now: {}", e.getMessage());
    }
    next();
  }

  private boolean isBetweenPasses() {
    return notes.place().equals(MediumPlace.START)
        && notes.passBytes() > 0
        && pace.untilNextPassMillis(notes.startedMillis(), clock.nowMillis()) > 0;
  }

  private void look() throws RpcException {
    if (notes.place().equals(MediumPlace.START)) {
      notes = notes.nextPass(clock.nowMillis());
    }
    MediumLook seen =
        store.medium().look(notes.place(), pace.stepBytes(store.status().usedBytes()));
    List<BadBlock> found =
        seen.bad().stream().filter(block -> !notes.bad().contains(block)).toList();
    if (!found.isEmpty()) {
      List<BadBlock> all = new ArrayList<>(notes.bad());
      all.addAll(found);
      notes = notes.withBad(all, notes.moreBad());
      LOG.error("{} blocks are bad on the disk, the first is {}", found.size(), found.get(0));
    }
    boolean ended = seen.next().isEmpty();
    notes =
        ended
            ? notes.ended(clock.nowMillis(), seen.bytes())
            : notes.reached(seen.next().get(), seen.bytes());
    tell(seen.bytes(), found.size());
    if (ended || !found.isEmpty() || ticker.nowNanos() - notedNanos > NOTE_EVERY_NANOS) {
      note();
    }
  }

  /** What was written anew is well again. */
  private void lookAgain() throws RpcException {
    if (ticker.nowNanos() - lookedAgainNanos < ScrubPace.LONGEST_STEP_NANOS / 2) {
      return;
    }
    lookedAgainNanos = ticker.nowNanos();
    List<BadBlock> left = new ArrayList<>();
    for (BadBlock block : notes.bad()) {
      if (store.medium().isBad(block)) {
        left.add(block);
      }
    }
    if (left.size() < notes.bad().size()) {
      notes = notes.withBad(left, notes.moreBad());
      tell(0, 0);
      note();
    }
  }

  private void note() {
    try {
      store.medium().note(notes);
    } catch (RpcException e) {
      LOG.warn("{}", e.getMessage());
    }
    notedNanos = ticker.nowNanos();
  }

  private void tell(long bytes, int errors) {
    ScrubFigures before = figures;
    figures =
        new ScrubFigures(
            before.bytes() + bytes,
            before.errors() + errors,
            notes.bad().size(),
            notes.fullPassMillis());
    problems = notes.bad().isEmpty() ? List.of() : List.of(problem());
  }

  private String problem() {
    List<BadBlock> bad = notes.bad();
    String named =
        String.join("; ", bad.stream().limit(NAMED_BLOCKS).map(BadBlock::toString).toList());
    return "the disk does not give back what was written: "
        + (notes.moreBad() ? "more than " : "")
        + bad.size()
        + (bad.size() == 1 ? " bad block (" : " bad blocks (")
        + named
        + (bad.size() > NAMED_BLOCKS ? "; ..." : "")
        + "). Reads rebuild them from other OSDs; write these files anew, and replace the disk if"
        + " there are more and more";
  }
}
