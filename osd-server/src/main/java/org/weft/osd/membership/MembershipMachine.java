package org.weft.osd.membership;

import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.LeaderHint;

/**
 * When an OSD joins its cluster, how often it reports and which member of SysMgr it asks (P 5.8).
 * Single-threaded; does no IO and reads no clock: {@link #next} says what to do, the service around
 * it does that and tells how it went.
 *
 * <pre>
 *  JOINING --joined--> ADMITTING --admitted--> MEMBER --unknown there--> JOINING
 *     |                    |                      |
 *     | refused, too late  | failed               | leave
 *     v                    v                      v
 *   ENDED <-------------------------------- LEAVING (one last heartbeat)
 * </pre>
 *
 * <p>Members are asked in turn. After one that does not answer, or does not lead, the next is asked
 * at once. After a whole round without success comes a pause, which doubles up to a limit, with
 * jitter. Only the first join may be refused for good: an OSD that was a member goes on serving and
 * asks again. But one that hears that another process has taken its place has to end (P 5.10).
 */
final class MembershipMachine {
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final Backoff PAUSES =
      Backoff.spread(100 * NANOS_PER_MILLI, 2_000 * NANOS_PER_MILLI);

  /** Before the first join: a cluster that starts waits for its OSDs (P 5.8.95). */
  private static final Backoff FIRST_PAUSES =
      Backoff.spread(100 * NANOS_PER_MILLI, 400 * NANOS_PER_MILLI);

  /** Soon after a join, in quarantine: clients wait until its end has been heard (P 5.8.96). */
  private static final long SETTLING_HEARTBEAT_NANOS = 250 * NANOS_PER_MILLI;

  private static final long SETTLING_NANOS = 30_000 * NANOS_PER_MILLI;
  private static final int MAX_ADDRESSES = 16;

  /** What the service should do now. */
  sealed interface Action permits Join, Heartbeat, Wait, Store, End {}

  /** Ask this member to let the OSD in. */
  record Join(Endpoint sysmgr) implements Action {}

  /** Report to this member. */
  record Heartbeat(Endpoint sysmgr, boolean leaving) implements Action {}

  /** Nothing before that instant. */
  record Wait(long untilNanos) implements Action {}

  /** Make what the join brought durable, then say {@link #admitted}. */
  record Store() implements Action {}

  /** It is over; {@code refusal} is null after a clean leave. */
  record End(WeftException refusal) implements Action {}

  private enum State {
    JOINING,
    ADMITTING,
    MEMBER,
    LEAVING,
    ENDED
  }

  private final List<Endpoint> configured;
  private List<Endpoint> sysmgrs;
  private final long joinTimeoutNanos;
  private final long joinDeadlineNanos;
  private final RandomGenerator random;

  private State state = State.JOINING;
  private boolean everAdmitted;
  private boolean farewellSent;
  private int turn;
  private int failuresInARow;
  private long notBeforeNanos;
  private long heartbeatNanos;
  private long admittedNanos;
  private long lastSentNanos;
  private String lastFailure = "no member was asked";
  private WeftException refusal;

  /**
   * @param sysmgrs addresses of members of SysMgr, at least one
   * @param joinTimeoutNanos how long the first join may take from {@code nowNanos} on
   * @param random spreads the pauses of OSDs that SysMgr's members refused together
   */
  MembershipMachine(
      List<Endpoint> sysmgrs, long joinTimeoutNanos, RandomGenerator random, long nowNanos) {
    if (sysmgrs.isEmpty()) {
      throw new IllegalArgumentException("an OSD needs the address of at least one SysMgr");
    }
    this.configured = List.copyOf(sysmgrs);
    this.sysmgrs = configured;
    this.joinTimeoutNanos = joinTimeoutNanos;
    this.random = random;
    this.joinDeadlineNanos = nowNanos + joinTimeoutNanos;
    this.notBeforeNanos = nowNanos;
  }

  /** What to do at this instant; asking twice changes nothing. */
  Action next(long nowNanos) {
    if (state == State.JOINING && !everAdmitted && nowNanos - joinDeadlineNanos >= 0) {
      end(tooLate());
    }
    return switch (state) {
      case JOINING -> isTime(nowNanos) ? new Join(asked()) : new Wait(notBeforeNanos);
      case ADMITTING -> new Store();
      case MEMBER -> isTime(nowNanos) ? new Heartbeat(asked(), false) : new Wait(notBeforeNanos);
      case LEAVING -> new Heartbeat(asked(), true);
      case ENDED -> new End(refusal);
    };
  }

  boolean isMember() {
    return state == State.MEMBER;
  }

  /** A join or a heartbeat leaves now: heartbeats are counted from their sending. */
  void sending(long nowNanos) {
    lastSentNanos = nowNanos;
    farewellSent = state == State.LEAVING;
  }

  /**
   * SysMgr's members are these now, as one of them says. The addresses from the beginning stay, as
   * a way back.
   */
  void learned(List<Endpoint> members) {
    Endpoint asked = asked();
    List<Endpoint> all =
        Stream.concat(members.stream(), configured.stream())
            .distinct()
            .limit(MAX_ADDRESSES)
            .toList();
    if (!all.equals(sysmgrs)) {
      sysmgrs = all;
      turn = Math.max(0, all.indexOf(asked));
    }
  }

  /** SysMgr let the OSD in; what it sent is not durable yet. */
  void joined() {
    if (state == State.JOINING) {
      state = State.ADMITTING;
    }
  }

  /** Keys, partitions and fences are durable: the OSD may serve. */
  void admitted(long heartbeatMillis, long nowNanos) {
    if (state == State.ADMITTING) {
      state = State.MEMBER;
      everAdmitted = true;
      failuresInARow = 0;
      heartbeatNanos = heartbeatMillis * NANOS_PER_MILLI;
      admittedNanos = nowNanos;
      notBeforeNanos = nowNanos;
    }
  }

  /**
   * SysMgr took the heartbeat.
   *
   * @param inQuarantine it says that the OSD is in quarantine
   */
  void reported(boolean inQuarantine) {
    failuresInARow = 0;
    if (farewellSent) {
      end(null);
    } else {
      boolean settling = inQuarantine && lastSentNanos - admittedNanos < SETTLING_NANOS;
      notBeforeNanos =
          lastSentNanos
              + (settling ? Math.min(SETTLING_HEARTBEAT_NANOS, heartbeatNanos) : heartbeatNanos);
    }
  }

  /** The next heartbeat is due now. */
  void hurry(long nowNanos) {
    if (state == State.MEMBER) {
      notBeforeNanos = nowNanos;
    }
  }

  /** The OSD stops: one last heartbeat, if it is a member. */
  void leave() {
    if (state == State.MEMBER) {
      state = State.LEAVING;
      failuresInARow = 0;
    } else if (state != State.LEAVING && state != State.ENDED) {
      end(null);
    }
  }

  /**
   * What the join brought cannot be stored, or must not be: an OSD that never served does not
   * begin.
   */
  void storeFailed(WeftException why, long nowNanos) {
    if (state != State.ADMITTING) {
      return;
    }
    if (everAdmitted) {
      state = State.JOINING;
      failed(why, nowNanos);
    } else {
      end(why);
    }
  }

  /** The member asked last did not help. */
  void failed(WeftException failure, long nowNanos) {
    lastFailure = asked() + " said " + failure;
    if (failure.code() == ErrorCode.FENCED) {
      end(failure);
      return;
    }
    if (state == State.JOINING && !everAdmitted && failure.code().isLasting()) {
      end(failure);
      return;
    }
    if (state == State.LEAVING && !farewellSent) {
      return;
    }
    failuresInARow++;
    LeaderHint.in(failure).ifPresent(this::leads);
    turn = (turn + 1) % sysmgrs.size();
    boolean roundOver = failuresInARow % sysmgrs.size() == 0;
    if (state == State.LEAVING && roundOver) {
      end(null);
    } else if (state == State.MEMBER && failure.code() == ErrorCode.NOT_FOUND) {
      state = State.JOINING;
      notBeforeNanos = nowNanos;
    } else {
      notBeforeNanos = roundOver ? nowNanos + pauseNanos() : nowNanos;
    }
  }

  /** A member names the leader: this OSD may have been told of that one member alone. */
  private void leads(Endpoint leader) {
    if (!sysmgrs.contains(leader) && sysmgrs.size() < MAX_ADDRESSES) {
      sysmgrs = Stream.concat(sysmgrs.stream(), Stream.of(leader)).toList();
    }
  }

  private WeftException tooLate() {
    return new WeftException(
        ErrorCode.UNAVAILABLE,
        "could not join the cluster within %d ms: asked %s; %s. Check that SysMgr runs and is reachable"
            .formatted(joinTimeoutNanos / NANOS_PER_MILLI, sysmgrs, lastFailure));
  }

  private long pauseNanos() {
    int rounds = failuresInARow / sysmgrs.size();
    return (everAdmitted ? PAUSES : FIRST_PAUSES).delayNanos(rounds, random);
  }

  private void end(WeftException why) {
    state = State.ENDED;
    refusal = why;
  }

  private boolean isTime(long nowNanos) {
    return nowNanos - notBeforeNanos >= 0;
  }

  private Endpoint asked() {
    return sysmgrs.get(turn);
  }
}
