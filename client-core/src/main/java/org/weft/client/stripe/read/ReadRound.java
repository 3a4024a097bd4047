package org.weft.client.stripe.read;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.stripe.base.Countdown;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.hedge.Hedging;
import org.weft.client.stripe.hedge.LateWatch;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Carries out the reads that the plans of one round want. Where answers are late and other
 * components hold as much, those are asked too, and the answer that comes first is taken (DESIGN
 * 5). For each late request, one step decides between its answer and the other way to its pieces.
 * In the second case the answer is dropped. Beside a writer the other way is taken only once its
 * units have been looked at again (P 5.6).
 *
 * <p>A component that answers FENCED ends the round at once. The file has been written under a
 * newer grant, so an answer which is late may come from an OSD that was written around (P 5.8). It
 * is not waited for, and nothing of it is taken.
 */
final class ReadRound {
  private static final Logger LOG = LoggerFactory.getLogger(ReadRound.class);

  private final StripeContext context;
  private final StripedFile file;
  private final PiecePlanner planner;
  private final boolean beingWritten;
  private final boolean mayUseEventLoop;
  private final ReadTarget target;
  private final List<StripePiece> pieces;
  private final List<PiecePlan> plans;
  private final Consumer<WeftException> done;
  private final List<ComponentRead> fetches = new ArrayList<>();
  private LateWatch.Watched watched;

  // Guarded by this.
  private Hedge hedge;
  private WeftException fenced;
  private boolean ended;

  /**
   * A round.
   *
   * @param mayUseEventLoop where little is wanted, or nothing is copied, {@code done} may run on an
   *     event loop
   * @param target where bytes go; one that has been taken back gets none, and no want counts then
   * @param plans one for each piece; where another way was faster it takes the plan's place
   * @param done runs once, with null when all wants of the plans are filled or have failed. It gets
   *     the refusal when a component says that the right to read has ended, or what kept the round
   *     from ending well. Then no want counts
   */
  ReadRound(
      StripeContext context,
      StripedFile file,
      PiecePlanner planner,
      boolean beingWritten,
      boolean mayUseEventLoop,
      ReadTarget target,
      List<StripePiece> pieces,
      List<PiecePlan> plans,
      Consumer<WeftException> done) {
    this.context = context;
    this.file = file;
    this.planner = planner;
    this.beingWritten = beingWritten;
    this.mayUseEventLoop = mayUseEventLoop;
    this.target = target;
    this.pieces = pieces;
    this.plans = plans;
    this.done = done;
  }

  void start() {
    fetches.addAll(fetchesOf(plans));
    Countdown countdown = new Countdown(fetches.size(), this::end);
    if (!fetches.isEmpty()) {
      fetches.forEach(fetch -> fetch.whenEnded(() -> endOf(fetch, countdown)));
      watchIfPossible();
      fetches.forEach(ComponentRead::send);
    }
  }

  private List<ComponentRead> fetchesOf(List<PiecePlan> wanted) {
    List<UnitRead> plain = new ArrayList<>();
    List<UnitRead> stamped = new ArrayList<>();
    for (PiecePlan plan : wanted) {
      boolean check = beingWritten && plan instanceof ComputedPlan;
      (check ? stamped : plain).addAll(plan.wants());
    }
    List<ComponentRead> all =
        ComponentRead.of(context, file, target, plain, false, mayUseEventLoop);
    all.addAll(ComponentRead.of(context, file, target, stamped, true, mayUseEventLoop));
    return all;
  }

  private void endOf(ComponentRead fetch, Countdown countdown) {
    try {
      if (fetch.isDone()) {
        WeftException refusal = refusal(fetch);
        if (refusal != null) {
          fence(refusal);
        }
      }
    } finally {
      countdown.one();
    }
  }

  /** That the right to read has ended, if the component has said so; else null. */
  private static WeftException refusal(ComponentRead fetch) {
    for (UnitRead want : fetch.wants()) {
      if (want.failure() != null && want.failure().code() == ErrorCode.FENCED) {
        return want.failure();
      }
    }
    return null;
  }

  /** No read waits for the other answers any more; dropping the last one ends the round. */
  private void fence(WeftException refusal) {
    synchronized (this) {
      if (ended || fenced != null) {
        return;
      }
      fenced = refusal;
    }
    fetches.forEach(ComponentRead::drop);
  }

  /** Without memory to do without late answers they are waited for. */
  private void watchIfPossible() {
    try {
      watch();
    } catch (RuntimeException | Error e) {
      LOG.debug("late units of {} cannot be watched: {}", file.name(), e.toString());
    }
  }

  private void watch() {
    Hedging hedging = context.hedging();
    if (!hedging.isEnabled() || file.layout().parityUnits() == 0) {
      return;
    }
    long longest = 0;
    for (ComponentRead fetch : fetches) {
      long bytes = fetch.bytes();
      hedging.asked(bytes);
      longest = Math.max(longest, bytes);
    }
    watched = hedging.watch(longest, this::late);
  }

  /** Some have not answered in the time that the others usually need. */
  private void late() {
    List<ComponentRead> lateOnes = fetches.stream().filter(ComponentRead::isOpen).toList();
    if (lateOnes.isEmpty()) {
      return;
    }
    Hedge begun = new Hedge(lateOnes);
    try {
      // The pieces and plans are the round's until it ends.
      synchronized (this) {
        if (ended || !begun.plan()) {
          return;
        }
        hedge = begun;
      }
      begun.send();
    } catch (RuntimeException | Error e) {
      // The answers may still come; without memory to do without them they are waited for.
      LOG.debug("a late unit of {} cannot be rebuilt: {}", file.name(), e.toString());
      begun.forget();
    }
  }

  /** Every request has been answered or dropped. */
  private void end() {
    Hedge begun;
    boolean isTaken;
    WeftException refusal;
    synchronized (this) {
      // From here on no hedge is begun or taken.
      ended = true;
      begun = hedge;
      isTaken = begun != null && begun.taken;
      refusal = fenced;
    }
    try {
      if (watched != null) {
        watched.end();
      }
      if (begun != null) {
        begun.end(isTaken);
      }
    } catch (RuntimeException | Error e) {
      // Which plans hold is not known: nothing of the round is taken, and its caller is told.
      refusal = refusal == null ? WeftException.of(e) : refusal;
    }
    done.accept(refusal);
  }

  private synchronized boolean hasEnded() {
    return ended;
  }

  /** The other way to the pieces that wait for late answers. */
  private final class Hedge {
    private final List<ComponentRead> lateOnes;
    private final List<Integer> concerned = new ArrayList<>();
    private final List<PiecePlan> others = new ArrayList<>();
    private List<ComponentRead> asked = List.of();

    /**
     * What was asked for in addition has come, is sound, and takes the place of what is late.
     * Guarded by the round.
     */
    private boolean taken;

    Hedge(List<ComponentRead> lateOnes) {
      this.lateOnes = lateOnes;
    }

    /** False if a piece has no other way, or the budget does not reach. */
    boolean plan() {
      if (!planAround()) {
        forget();
        return false;
      }
      asked = fetchesOf(others);
      long bytes = others.stream().mapToLong(plan -> PiecePlan.bytes(plan.wants())).sum();
      if (asked.isEmpty() || !context.hedging().begin(asked.size(), bytes)) {
        forget();
        return false;
      }
      Countdown countdown = new Countdown(asked.size(), this::come);
      asked.forEach(fetch -> fetch.whenEnded(() -> endOf(fetch, countdown)));
      return true;
    }

    private boolean planAround() {
      SortedSet<Integer> lateComponents = new TreeSet<>();
      Set<UnitRead> open = identities();
      for (ComponentRead fetch : lateOnes) {
        lateComponents.add(fetch.component());
        open.addAll(fetch.wants());
      }
      Set<UnitRead> come = identities();
      for (ComponentRead fetch : fetches) {
        if (fetch.isDone()) {
          fetch.wants().stream().filter(want -> want.failure() == null).forEach(come::add);
        }
      }
      for (int i = 0; i < plans.size(); i++) {
        PiecePlan plan = plans.get(i);
        if (plan.wants().stream().anyMatch(open::contains)) {
          Optional<PiecePlan> other =
              planner.around(pieces.get(i), plan, lateComponents::contains, come::contains);
          if (other.isEmpty()) {
            return false;
          }
          concerned.add(i);
          others.add(other.get());
        }
      }
      return true;
    }

    private void forget() {
      others.forEach(PiecePlan::dispose);
    }

    void send() {
      asked.forEach(ComponentRead::send);
    }

    private void come() {
      List<ComputedPlan> looks = new ArrayList<>();
      for (PiecePlan plan : others) {
        if (beingWritten && plan instanceof ComputedPlan computed) {
          looks.add(computed);
          computed.markLooked();
        }
      }
      if (looks.isEmpty() || hasEnded()) {
        decide();
      } else {
        new StampCheck(context, file).all(looks, this::decide);
      }
    }

    private void decide() {
      boolean sound =
          asked.stream().allMatch(ComponentRead::isDone) && others.stream().allMatch(this::isSound);
      synchronized (ReadRound.this) {
        taken = sound && !ended && fenced == null;
      }
      if (!taken) {
        forget();
        return;
      }
      for (ComponentRead late : lateOnes) {
        // Dropping the last one ends the round.
        long ageNanos = late.ageNanos();
        if (late.drop()) {
          context.hedging().outrun(file.map().osdOf(late.component()), late.bytes(), ageNanos);
        }
      }
    }

    private boolean isSound(PiecePlan plan) {
      return plan.wants().stream().allMatch(want -> want.failure() == null)
          && !(plan instanceof ComputedPlan computed && computed.isDisturbed());
    }

    /** The round has ended: what did not come first goes. */
    void end(boolean isTaken) {
      if (!isTaken) {
        // No thread writes to their memory afterwards; the last one gives it back.
        asked.forEach(ComponentRead::drop);
        return;
      }
      Set<UnitRead> dropped = identities();
      lateOnes.stream()
          .filter(ComponentRead::isDropped)
          .forEach(fetch -> dropped.addAll(fetch.wants()));
      for (int i = 0; i < others.size(); i++) {
        int piece = concerned.get(i);
        boolean isLate = plans.get(piece).wants().stream().anyMatch(dropped::contains);
        (isLate ? plans.set(piece, others.get(i)) : others.get(i)).dispose();
      }
      if (!dropped.isEmpty()) {
        context.hedging().won();
      }
    }
  }

  /** To look things up in. */
  private static Set<UnitRead> identities() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }
}
