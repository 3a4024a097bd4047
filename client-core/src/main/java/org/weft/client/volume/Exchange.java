package org.weft.client.volume;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.client.volume.VolumeRequest.Repetition;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.FindFirstAnswerRequest;
import org.weft.protocol.wire.RequestContext;

/**
 * One request from the first attempt to the answer. It gets a session, takes a slot, and is sent
 * with the same number until it is answered (P 6.4).
 *
 * <p>When the deadline passes the caller is told so. If the request may have been executed by then
 * it keeps its slot and goes on trying. The slot's next number would tell the manager that the
 * answer had arrived. What is answered so late goes to the request's late handler.
 *
 * <p>Confined to the session's home executor.
 */
final class Exchange<T> implements SlotTable.Waiter {
  private static final Backoff RETRIES =
      Backoff.spread(TimeUnit.MILLISECONDS.toNanos(20), TimeUnit.SECONDS.toNanos(1));

  /** Far less than managers keep first answers. */
  private static final long LOOK_UP_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** More than a lease, so that most sessions outlive their manager. */
  private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** As a read waits for OSDs that have too many of a file's components (P 5.8). */
  static final long OSD_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final VolumeSession owner;
  private final VolumeRequest<T> request;
  private final CompletableFuture<SessionReply<T>> result;
  private final long beganNanos;
  private final long deadlineNanos;
  private final Backoff.Delays delays;

  private LiveSession session;
  private SlotTable.Slot slot;
  private RequestContext context;
  private MessageLite body;
  private boolean looksUp;
  private boolean inDoubt;

  /** It may have been carried out: by a session that has ended, or through another client. */
  private boolean carriesDoubt;

  /** What it waits for once it was refused for it, and until when. */
  private Refusal awaited;

  private long patienceEndsNanos;
  private WeftException lastFailure;

  Exchange(
      VolumeSession owner, VolumeRequest<T> request, CompletableFuture<SessionReply<T>> result) {
    this.owner = owner;
    this.request = request;
    this.result = result;
    this.delays = RETRIES.begin(owner.environment().random());
    this.beganNanos = owner.nowNanos();
    this.deadlineNanos =
        beganNanos + TimeUnit.MILLISECONDS.toNanos(owner.options().requestTimeoutMillis());
  }

  void start() {
    Scheduler.Timer deadline =
        owner.schedule(deadlineNanos - owner.nowNanos(), this::deadlinePassed);
    // Also when the caller cancels, on a thread of its own.
    var unused =
        result.whenComplete(
            (answer, failure) -> {
              deadline.cancel();
              owner.settled(this);
            });
    enter();
  }

  /** Gets a session and asks for a slot in it. */
  private void enter() {
    if (result.isDone()) {
      return;
    }
    owner.whenLive(this);
  }

  /** No session could be opened, or the client is closed. */
  void sessionFailed(WeftException failure) {
    fail(failure);
  }

  /** A session is there. */
  void sessionLive(LiveSession live) {
    if (request.boundTo().isPresent() && request.boundTo().getAsLong() != live.id()) {
      fail(sessionLost());
      return;
    }
    session = live;
    if (carriesDoubt && !mayRepeat()) {
      fail(doubt());
      return;
    }
    looksUp = false;
    live.slots().acquire(this);
  }

  @Override
  public void granted(SlotTable.Slot granted) {
    slot = granted;
    inDoubt = false;
    RequestContext.Builder inSlot =
        RequestContext.newBuilder()
            .setVolumeId(owner.options().volumeId())
            .setSessionId(session.id())
            .setSlot(granted.index())
            .setSlotSequence(granted.sequence())
            .setWithoutPatience(!request.patient());
    boolean changes = !request.changes().isEmpty() || !request.changedNodes().isEmpty();
    if (changes && session.reads().isPresent()) {
      List<String> changed = request.changes().stream().map(owner.mount()::within).toList();
      session.reads().get().dropFor(changed, request.changedNodes(), inSlot);
    }
    context = inSlot.build();
    body = request.body().apply(context);
    attempt();
  }

  /** Sends it, or sends it again. */
  void attempt() {
    if (result.isDone() && !inDoubt) {
      leave();
      return;
    }
    if (session.ended()) {
      sessionEnded();
      return;
    }
    if (isTooLate()) {
      leave();
      fail(doubt());
      return;
    }
    lookUpIfNeeded();
    Opcode opcode = looksUp ? Opcode.FIND_FIRST_ANSWER : request.opcode();
    var unused =
        owner
            .send(session.request(opcode, body, owner.options().attemptTimeoutMillis()))
            .whenComplete(
                (reply, failure) -> {
                  if (failure == null) {
                    answered(reply);
                  } else {
                    refused(WeftException.of(failure));
                  }
                });
  }

  private boolean hasTaken(long nanos) {
    return owner.nowNanos() - beganNanos >= nanos;
  }

  /** Its slot's next number shuts it out if it is still under way. */
  private boolean isTooLate() {
    return request.repetition() instanceof Repetition.InItsSlotSoon && hasTaken(SOON_NANOS);
  }

  /**
   * From now on nothing is carried out that may have been so before, or that the program may have
   * asked for elsewhere since. In its own slot, too: whichever of the two comes first is the only
   * one.
   */
  private void lookUpIfNeeded() {
    if (!looksUp
        && request.repetition() instanceof Repetition.ByItsOrigin origin
        && session.keepsFirstAnswers()
        && (carriesDoubt || hasTaken(LOOK_UP_NANOS))) {
      looksUp = true;
      body = FindFirstAnswerRequest.newBuilder().setContext(origin.naming().apply(context)).build();
    }
  }

  private void answered(RpcReply reply) {
    leave();
    owner.putOff().answered();
    SessionReply<T> answer;
    try {
      answer = new SessionReply<>(reply.parse(request.parser()), session.id());
    } catch (WeftException e) {
      fail(e);
      return;
    }
    request.heard().accept(answer);
    if (!result.complete(answer)) {
      request.late().accept(answer);
    }
  }

  private void refused(WeftException failure) {
    lastFailure = failure;
    if (failure.code() == ErrorCode.UNAVAILABLE && !request.patient() && !inDoubt) {
      owner.notServed(failure);
      leave();
      fail(failure);
      return;
    }
    switch (Refusal.of(failure.code())) {
      case NOT_TAKEN -> {
        owner.notServed(failure);
        again();
      }
      case IN_DOUBT -> {
        inDoubt = true;
        owner.notServed(failure);
        again();
      }
      case SESSION_GONE -> {
        owner.expired(session);
        sessionEnded();
      }
      case OCCUPIED -> {
        leave();
        await(Refusal.OCCUPIED, writerPatienceNanos(), failure);
      }
      case OSDS_AWAITED -> {
        owner.putOff().answered();
        leave();
        await(
            Refusal.OSDS_AWAITED,
            OSD_PATIENCE_NANOS,
            new WeftException(ErrorCode.TOO_MANY_LOST, failure.getMessage(), failure));
      }
      case FINAL -> {
        owner.putOff().answered();
        leave();
        fail(looksUp ? doubt() : failure);
      }
    }
  }

  private void again() {
    owner.putOff().waits(beganNanos, lastFailure);
    owner.putOff().add(this, lastFailure, delays.nextNanos());
  }

  /** Asks again and again, so long from when it was first refused for this reason. */
  private void await(Refusal what, long patienceNanos, WeftException failure) {
    long nowNanos = owner.nowNanos();
    if (awaited != what) {
      awaited = what;
      patienceEndsNanos = nowNanos + patienceNanos;
    }
    long waitNanos = delays.nextNanos();
    if (nowNanos + waitNanos - patienceEndsNanos > 0) {
      fail(failure);
    } else {
      owner.schedule(waitNanos, this::enter);
    }
  }

  /**
   * The writer may be gone within a lease, or its session lapse: the second comer waits that long,
   * unless the request says otherwise.
   */
  private long writerPatienceNanos() {
    OptionalInt millis = request.writerPatienceMillis();
    return millis.isPresent()
        ? TimeUnit.MILLISECONDS.toNanos(millis.getAsInt())
        : session.leaseNanos();
  }

  @Override
  public void sessionEnded() {
    slot = null;
    if (request.boundTo().isPresent()) {
      fail(sessionLost());
    } else if ((inDoubt || mayBeLate()) && !mayRepeat()) {
      fail(doubt());
    } else {
      carriesDoubt |= inDoubt || mayBeLate();
      enter();
    }
  }

  /**
   * A session ends because this process was silent. The request may have waited for as long in a
   * socket: its program may have had it carried out elsewhere, and gone on from there.
   */
  private boolean mayBeLate() {
    return request.repetition() instanceof Repetition.ByItsOrigin
        || request.repetition() instanceof Repetition.InItsSlotSoon;
  }

  private boolean mayRepeat() {
    return request.repetition() instanceof Repetition.Anywhere
        || request.repetition() instanceof Repetition.ByItsOrigin && session.keepsFirstAnswers();
  }

  private WeftException doubt() {
    return new WeftException(
        ErrorCode.SESSION_EXPIRED,
        "the session with the manager ended while the request was under way; it may or may not have"
            + " been carried out: look, and retry it if need be",
        lastFailure);
  }

  private WeftException sessionLost() {
    return new WeftException(
        ErrorCode.SESSION_EXPIRED,
        "the session with the manager ended while the file was open for writing; what was written"
            + " since it was opened may be incomplete: write the file again");
  }

  private void leave() {
    inDoubt = false;
    if (slot != null) {
      SlotTable.Slot released = slot;
      slot = null;
      session.slots().release(released);
    }
  }

  private void deadlinePassed() {
    if (slot == null && session != null) {
      session.slots().forget(this);
    }
    String reason = lastFailure == null ? obstacle() : String.valueOf(lastFailure.getMessage());
    fail(
        new WeftException(
            ErrorCode.DEADLINE_EXCEEDED,
            "no reply within "
                + owner.options().requestTimeoutMillis() / 1000.0
                + " s: "
                + reason
                + (inDoubt ? " (it may still be carried out)" : ""),
            lastFailure));
  }

  private String obstacle() {
    if (session == null) {
      return "no session with the manager could be opened yet";
    }
    return slot == null
        ? "earlier requests wait for the manager"
        : "the manager at " + owner.managerAddress() + " says nothing";
  }

  private void fail(WeftException failure) {
    result.completeExceptionally(
        Refusal.about(request.subject(), owner.mount().inCluster(failure)));
  }
}
