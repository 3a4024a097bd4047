package org.weft.simulator.gateway;

import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmLock;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.simulator.check.LockHistory.Kind;
import org.weft.simulator.check.ReliedLocks;

/** A process that locks ranges of the file of a scene, and its kernel's part in that. */
final class HostProcess {
  private static final int MAX_GRACE = 12;
  private static final long POLL_SECONDS = 30;

  private enum Wish {
    LOCK,
    UNLOCK,
    CANCEL,
    RECLAIM,
    FALSE_RECLAIM,

    /** All cells, until it has them. */
    ALL
  }

  private record Call(Wish wish, int from, int to, Kind kind, boolean block, long askedNanos) {}

  private final GatewayScene scene;
  private final LockHost host;
  private final int number;
  private final String owner;
  private final boolean[] toReclaim = new boolean[GatewayScene.CELLS];
  private Call call;

  /**
   * It gave up a call: the manager may still have what it held there before, or what it asked for.
   */
  private boolean mayHold;

  private boolean waiting;
  private int graces;
  private boolean dead;
  private long attemptNanos;

  /** At the end it has had all cells once more: what no process has is to be given. */
  private boolean hasHadAll;

  HostProcess(GatewayScene scene, LockHost host, int number) {
    this.scene = scene;
    this.host = host;
    this.number = number;
    this.owner = host.name() + "/" + number;
  }

  int number() {
    return number;
  }

  private RandomGenerator random() {
    return scene.random();
  }

  private ReliedLocks relied() {
    return scene.relied();
  }

  void start() {
    soon();
  }

  void died() {
    dead = true;
    if (call != null) {
      relied().letsGo(owner, call.from(), call.to(), call.askedNanos());
    }
    call = null;
    relied().letsGo(owner, 0, GatewayScene.CELLS, scene.nanos());
  }

  private void soon() {
    scene.later(scene.millis(20, 1_500), this::turn);
  }

  private boolean holds(int cell) {
    return relied().kind(owner, cell) != Kind.NONE;
  }

  private boolean holdsSomething() {
    for (int cell = 0; cell < GatewayScene.CELLS; cell++) {
      if (holds(cell)) {
        return true;
      }
    }
    return false;
  }

  boolean isFinished() {
    return dead || scene.isOver() && call == null && !holdsSomething() && hasHadAll;
  }

  private void turn() {
    if (dead || call != null) {
      return;
    }
    if (reclaim()) {
      return;
    }
    if (scene.isOver()) {
      if (holdsSomething() || mayHold) {
        mayHold = false;
        unlock(0, GatewayScene.CELLS);
      } else if (!hasHadAll) {
        send(new Call(Wish.ALL, 0, GatewayScene.CELLS, Kind.EXCLUSIVE, false, scene.nanos()));
      }
      return;
    }
    int from = random().nextInt(GatewayScene.CELLS);
    int to = from + 1 + random().nextInt(Math.min(3, GatewayScene.CELLS - from));
    switch (random().nextInt(12)) {
      case 0 -> falselyReclaim(from, to);
      case 1, 2, 3, 4 -> unlock(from, to);
      default -> {
        Kind kind = random().nextInt(4) == 0 ? Kind.SHARED : Kind.EXCLUSIVE;
        send(new Call(Wish.LOCK, from, to, kind, random().nextInt(3) == 0, scene.nanos()));
      }
    }
  }

  /** The next run of cells that it had when its gateway started. */
  private boolean reclaim() {
    for (int from = 0; from < GatewayScene.CELLS; from++) {
      if (toReclaim[from] && holds(from)) {
        Kind kind = relied().kind(owner, from);
        int to = from;
        while (to < GatewayScene.CELLS && toReclaim[to] && relied().kind(owner, to) == kind) {
          toReclaim[to++] = false;
        }
        send(new Call(Wish.RECLAIM, from, to, kind, false, scene.nanos()));
        return true;
      }
    }
    return false;
  }

  private void falselyReclaim(int from, int to) {
    if (relied().areSurelyNotHeld(owner, from, to)) {
      send(new Call(Wish.FALSE_RECLAIM, from, to, Kind.EXCLUSIVE, false, scene.nanos()));
    } else {
      soon();
    }
  }

  private void unlock(int from, int to) {
    relied().letsGo(owner, from, to, scene.nanos());
    send(new Call(Wish.UNLOCK, from, to, Kind.NONE, false, scene.nanos()));
  }

  private NlmLock lock(Call of) {
    return new NlmLock(
        host.name(),
        scene.handle(),
        new NetObject(owner.getBytes(StandardCharsets.US_ASCII)),
        number,
        new NlmRange(
            GatewayScene.offsetBytes(of.from()), GatewayScene.lengthBytes(of.from(), of.to())));
  }

  private void send(Call next) {
    call = next;
    waiting = false;
    graces = 0;
    attempt();
  }

  /** Again until it is answered: file systems are mounted hard. */
  private void attempt() {
    Call asked = call;
    attemptNanos = scene.nanos();
    NetObject cookie = LockHost.cookie(number);
    boolean exclusive = asked.kind() == Kind.EXCLUSIVE;
    NlmMessage message =
        switch (asked.wish()) {
          case LOCK, ALL ->
              new NlmMessage.Lock(
                  cookie, asked.block(), exclusive, lock(asked), false, host.state());
          case RECLAIM, FALSE_RECLAIM ->
              new NlmMessage.Lock(cookie, false, exclusive, lock(asked), true, host.state());
          case UNLOCK -> new NlmMessage.Unlock(cookie, lock(asked));
          case CANCEL -> new NlmMessage.Cancel(cookie, true, exclusive, lock(asked));
        };
    NlmProcedure procedure =
        switch (asked.wish()) {
          case LOCK, ALL, RECLAIM, FALSE_RECLAIM -> NlmProcedure.LOCK;
          case UNLOCK -> NlmProcedure.UNLOCK;
          case CANCEL -> NlmProcedure.CANCEL;
        };
    var unused =
        scene
            .ask(host, procedure, message, () -> call == asked)
            .thenAccept(
                answer -> {
                  if (call == asked) {
                    if (answer.repeated()) {
                      relied().doubts(owner, asked.from(), asked.to());
                    }
                    scene.note(owner, asked + " -> " + answer.status());
                    answered(asked, answer.status());
                  }
                });
  }

  private void again(long nanos) {
    Call asked = call;
    scene.later(
        nanos,
        () -> {
          if (call == asked) {
            attempt();
          }
        });
  }

  private void done() {
    call = null;
    soon();
  }

  private void answered(Call asked, NlmStatus status) {
    if (status == NlmStatus.DENIED_GRACE_PERIOD) {
      // Some request may have been executed without an answer.
      relied().doubts(owner, asked.from(), asked.to());
      boolean patient =
          asked.wish() == Wish.UNLOCK || asked.wish() == Wish.RECLAIM || asked.wish() == Wish.ALL;
      if (patient || ++graces < MAX_GRACE) {
        again(scene.seconds(1, 4));
      } else {
        abandon();
      }
      return;
    }
    switch (asked.wish()) {
      case LOCK -> locked(asked, status);
      case RECLAIM -> {
        if (status == NlmStatus.GRANTED) {
          relied()
              .reclaimed(owner, asked.from(), asked.to(), attemptNanos, scene.lives(host, number));
        } else {
          relied().reclaimRefused(owner, asked.from(), asked.to(), scene.nanos());
        }
        done();
      }
      case FALSE_RECLAIM -> {
        relied().falselyReclaimed(owner, asked.from(), asked.to(), status == NlmStatus.GRANTED);
        unlock(asked.from(), asked.to());
      }
      case ALL -> {
        if (status == NlmStatus.GRANTED) {
          hasHadAll = true;
          has(asked);
        } else {
          relied().doubts(owner, asked.from(), asked.to());
          again(scene.seconds(1, 4));
        }
      }
      case UNLOCK, CANCEL -> {
        if (status != NlmStatus.GRANTED) {
          scene.found("a call that only gives up is refused", owner + ": " + asked + " " + status);
        }
        done();
      }
    }
  }

  private void locked(Call asked, NlmStatus status) {
    if (status == NlmStatus.GRANTED) {
      has(asked);
    } else if (status == NlmStatus.BLOCKED) {
      if (!waiting) {
        waiting = true;
        scene.later(scene.seconds(1, 20), () -> giveUp(asked));
      }
      again(scene.seconds(POLL_SECONDS, POLL_SECONDS));
    } else {
      done();
    }
  }

  private void has(Call asked) {
    for (int cell = asked.from(); cell < asked.to(); cell++) {
      toReclaim[cell] = false;
    }
    relied()
        .granted(
            owner,
            asked.from(),
            asked.to(),
            asked.kind(),
            asked.askedNanos(),
            attemptNanos,
            scene.nanos(),
            scene.lives(host, number));
    done();
  }

  private void giveUp(Call asked) {
    if (call == asked) {
      relied().letsGo(owner, asked.from(), asked.to(), asked.askedNanos());
      relied().doubts(owner, asked.from(), asked.to());
      mayHold = true;
      send(new Call(Wish.CANCEL, asked.from(), asked.to(), asked.kind(), true, asked.askedNanos()));
    }
  }

  /** What comes of the call is not known: what it may have changed is not relied on. */
  private void abandon() {
    relied().letsGo(owner, call.from(), call.to(), call.askedNanos());
    relied().doubts(owner, call.from(), call.to());
    mayHold = true;
    done();
  }

  /** Reclaims all that it has; what it was asking for comes after that. */
  void notified() {
    for (int cell = 0; cell < GatewayScene.CELLS; cell++) {
      toReclaim[cell] = true;
    }
    if (call != null && call.wish() == Wish.LOCK) {
      abandon();
    }
  }

  /** GRANTED was called. */
  NlmStatus granted(NlmMessage.Test message) {
    Call asked = call;
    if (asked != null
        && waiting
        && asked.wish() == Wish.LOCK
        && lock(asked).equals(message.lock())
        && (asked.kind() == Kind.EXCLUSIVE) == message.exclusive()) {
      scene.note(owner, asked + " -> called GRANTED");
      has(asked);
      return NlmStatus.GRANTED;
    }
    // As Linux: a lock that it took by an earlier call, whose reply was lost, is denied, too.
    return NlmStatus.DENIED;
  }

  @Override
  public String toString() {
    return owner + " waits for " + call;
  }
}
