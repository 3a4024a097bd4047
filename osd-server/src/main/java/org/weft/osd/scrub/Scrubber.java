package org.weft.osd.scrub;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.BadBlock;
import org.weft.osd.store.BadBlocks;
import org.weft.osd.store.MediumLook;
import org.weft.osd.store.MediumPlace;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.ScrubNotes;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.Clock;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * Reads every stored block once in a period, at a low and even rate, and makes way for clients. A
 * bad block is a standing problem of the OSD until it was written anew or belongs to no object any
 * more. How far it is and what it found is noted in the store, so that a new start goes on there.
 * Blocks that readers complain of are looked at out of turn.
 *
 * <p>The damage itself is left as it is. A reader of such a block finds that it does not match its
 * checksum, and rebuilds it from others. Managers ask for the list, and write blocks anew (P 6.8b).
 *
 * <p>All work is done on an executor of its own; the public methods are thread-safe.
 */
public final class Scrubber implements BadBlocks, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);
  private static final long NOTE_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int NAMED_BLOCKS = 3;
  private static final int MAX_COMPLAINTS = 256;
  private static final long HURRIED_STEP_BYTES = 1 << 20;
  private static final long HURRIED_YIELD_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long MIN_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ObjectStore store;
  private final ScrubPace pace;
  private final boolean isOn;
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
  private int turn;
  private boolean hurried;
  // Also read by others.
  private final AtomicInteger complaints = new AtomicInteger();
  private volatile List<BadBlock> known = List.of();
  private volatile ScrubPasses passes = new ScrubPasses(0, false);
  private volatile Scheduler.Timer timer;
  private volatile ScrubFigures figures = ScrubFigures.NONE;
  private volatile List<String> problems = List.of();
  private volatile boolean closed;

  /**
   * Does nothing before {@link #start}.
   *
   * @param periodMillis in which everything is read; 0: only what is asked for
   * @param busy clients have something under way
   */
  public Scrubber(
      long periodMillis, ObjectStore store, BooleanSupplier busy, Environment environment) {
    this.isOn = periodMillis > 0;
    this.pace = new ScrubPace(isOn ? periodMillis : TimeUnit.DAYS.toMillis(1));
    this.store = store;
    this.busy = busy;
    this.clock = environment.clock();
    this.ticker = environment.ticker();
    this.scheduler = environment.scheduler();
    this.executor = scheduler.newSerialExecutor("osd-scrub");
  }

  /** Begins, with a rest; not once it is closed. */
  public void start() {
    onExecutor(this::resume);
  }

  public ScrubFigures figures() {
    return figures;
  }

  /** Whole passes, and whether one goes on that was asked for. */
  public ScrubPasses passes() {
    return passes;
  }

  /** All that is to be read is read now, without rests; not once it is closed. */
  public void hurry() {
    passes = passes.withOneBegun();
    onExecutor(this::hurryNow);
  }

  private void hurryNow() {
    hurried = true;
    if (notes != null && !closed) {
      timer.cancel();
      notes = notes.again(clock.nowMillis());
      next();
    }
  }

  @Override
  public List<BadBlock> of(PartitionId partition) {
    List<BadBlock> all =
        known.stream()
            .filter(block -> !block.kept() && block.object().partition().equals(partition))
            .sorted(BadBlock.BY_PLACE)
            .toList();
    if (!all.isEmpty()) {
      // Those that were written anew since are no manager's business any more.
      onExecutor(this::lookAgainSoon);
    }
    return all;
  }

  @Override
  public void complain(ObjectName object, long firstBlock, int count) {
    if (complaints.incrementAndGet() > MAX_COMPLAINTS) {
      // The next reader of the block complains again.
      complaints.decrementAndGet();
      return;
    }
    if (!onExecutor(() -> lookAt(object, firstBlock, count))) {
      complaints.decrementAndGet();
    }
  }

  private boolean onExecutor(Runnable task) {
    try {
      executor.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      LOG.debug("closed before it was asked");
      return false;
    }
  }

  private void lookAt(ObjectName object, long firstBlock, int count) {
    complaints.decrementAndGet();
    if (notes == null || closed || store.hasFailed()) {
      return;
    }
    try {
      List<BadBlock> bad = new ArrayList<>();
      for (long block = firstBlock; block < firstBlock + count; block++) {
        BadBlock each = new BadBlock(object, block, false);
        if (store.medium().isBad(each)) {
          bad.add(each);
        }
      }
      if (found(bad) > 0) {
        note();
      }
    } catch (WeftException e) {
      LOG.warn("what a reader complained of cannot be looked at: {}", e.getMessage());
    }
  }

  /** Takes in blocks that are bad; the number of those that were not known. */
  private int found(List<BadBlock> bad) {
    List<BadBlock> found = bad.stream().filter(block -> !notes.bad().contains(block)).toList();
    if (!found.isEmpty()) {
      List<BadBlock> all = new ArrayList<>(notes.bad());
      all.addAll(found);
      notes = notes.withBad(all, notes.moreBad());
      LOG.error("{} blocks are bad on the disk, the first is {}", found.size(), found.get(0));
      tell(0, found.size());
    }
    return found.size();
  }

  private void lookAgainSoon() {
    boolean isEarly = ticker.nowNanos() - lookedAgainNanos < MIN_AGAIN_NANOS;
    if (notes == null || closed || store.hasFailed() || isEarly) {
      return;
    }
    try {
      lookAgainNow();
    } catch (WeftException e) {
      LOG.warn("bad blocks cannot be looked at again: {}", e.getMessage());
    }
  }

  /** For the cluster's status; empty while all is well. */
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
    } catch (WeftException e) {
      // The store says by itself what is wrong with its tables.
      LOG.warn("what was scrubbed before is not known, so it begins anew", e);
      notes = ScrubNotes.first(clock.nowMillis());
    }
    notedNanos = ticker.nowNanos();
    lookedAgainNanos = notedNanos - ScrubPace.MAX_STEP_NANOS;
    tell(0, 0);
    next();
  }

  private void next() {
    if (closed || store.hasFailed()) {
      return;
    }
    if (hurried) {
      wait(0, this::step);
      return;
    }
    if (!isOn) {
      wait(ScrubPace.MAX_STEP_NANOS, this::step);
      return;
    }
    long rest = pace.restNanos(store.status().usedBytes());
    wait(notes.place().equals(MediumPlace.START) ? Math.max(rest, untilPass()) : rest, this::step);
  }

  /** As long as the last pass is younger than the period; in parts, to look at what was bad. */
  private long untilPass() {
    if (notes.passBytes() == 0 || isToFindMore()) {
      return 0;
    }
    long millis = pace.untilNextPassMillis(notes.startedMillis(), clock.nowMillis());
    return Math.min(TimeUnit.MILLISECONDS.toNanos(millis), ScrubPace.MAX_STEP_NANOS);
  }

  private void wait(long nanos, Runnable then) {
    int mine = ++turn;
    timer =
        scheduler.schedule(
            nanos,
            executor,
            () -> {
              // One that was cancelled may have been on its way.
              if (turn == mine) {
                then.run();
              }
            });
  }

  private void step() {
    if (closed || store.hasFailed()) {
      return;
    }
    if (yields < ScrubPace.MAX_YIELDS && busy.getAsBoolean()) {
      yields++;
      long nanos = pace.yieldNanos(store.status().usedBytes());
      wait(hurried ? Math.min(nanos, HURRIED_YIELD_NANOS) : nanos, this::step);
      return;
    }
    yields = 0;
    try {
      if (!isBetweenPasses()) {
        look();
      }
      lookAgain();
    } catch (WeftException e) {
      if (e.code() == ErrorCode.UNAVAILABLE) {
        return;
      }
      LOG.warn("scrubbing stopped for now: {}", e.getMessage());
    }
    next();
  }

  /** There was no room for all that is bad, and there is now. */
  private boolean isToFindMore() {
    return notes.moreBad() && notes.bad().size() <= ScrubNotes.MAX_BAD / 2;
  }

  private boolean isBetweenPasses() {
    if (hurried || isToFindMore()) {
      return false;
    }
    return !isOn
        || notes.place().equals(MediumPlace.START)
            && notes.passBytes() > 0
            && pace.untilNextPassMillis(notes.startedMillis(), clock.nowMillis()) > 0;
  }

  private void look() throws WeftException {
    if (notes.place().equals(MediumPlace.START)) {
      notes = notes.nextPass(clock.nowMillis());
    }
    MediumLook seen =
        store
            .medium()
            .look(
                notes.place(),
                hurried ? HURRIED_STEP_BYTES : pace.stepBytes(store.status().usedBytes()));
    int found = found(seen.bad());
    boolean ended = seen.next().isEmpty();
    notes =
        ended
            ? notes.ended(clock.nowMillis(), seen.bytes())
            : notes.reached(seen.next().get(), seen.bytes());
    if (ended) {
      hurried = false;
      passes = passes.withOneEnded();
    }
    tell(seen.bytes(), 0);
    if (ended || found > 0 || ticker.nowNanos() - notedNanos > NOTE_EVERY_NANOS) {
      note();
    }
  }

  /** What was written anew is well again. */
  private void lookAgain() throws WeftException {
    if (ticker.nowNanos() - lookedAgainNanos < ScrubPace.MAX_STEP_NANOS / 2) {
      return;
    }
    lookAgainNow();
  }

  private void lookAgainNow() throws WeftException {
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
    } catch (WeftException e) {
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
    known = notes.bad();
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
        + "). Their volumes' managers write them anew from other OSDs; replace the disk if there are"
        + " more and more";
  }
}
