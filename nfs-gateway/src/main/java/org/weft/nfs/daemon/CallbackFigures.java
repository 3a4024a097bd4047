package org.weft.nfs.daemon;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import org.weft.nfs.locks.GrantedCalls;
import org.weft.nfs.monitor.NoticeCalls;
import org.weft.nfs.nlm.NlmStatus;

/**
 * What became of the gateway's calls to its clients: GRANTED to lock managers, NOTIFY to status
 * monitors. An operator sees by them whether a firewall keeps such calls from clients. Thread-safe.
 */
public final class CallbackFigures {
  /** What a client did with a call. */
  public enum Outcome {
    /** It replied that it has the lock, or that it knows of the restart. */
    TAKEN,
    /** It replied that it does not want the lock, or cannot take it now. */
    REFUSED,
    /** The call has left, and no reply has come in time; always so of GRANTED_MSG. */
    UNANSWERED,
    /** The call has not left; a NOTIFY was not sent, or not replied to. */
    UNREACHED
  }

  private final Map<Outcome, LongAdder> granted = adders();
  private final Map<Outcome, LongAdder> notices = adders();

  private static Map<Outcome, LongAdder> adders() {
    Map<Outcome, LongAdder> all = new EnumMap<>(Outcome.class);
    for (Outcome each : Outcome.values()) {
      all.put(each, new LongAdder());
    }
    return all;
  }

  /** Calls of GRANTED and GRANTED_MSG, those that are repeated included. */
  public long granted(Outcome outcome) {
    return granted.get(outcome).sum();
  }

  /** Calls of NOTIFY, those that are repeated included. */
  public long notices(Outcome outcome) {
    return notices.get(outcome).sum();
  }

  /** The same calls, counted. */
  GrantedCalls counting(GrantedCalls calls) {
    return (owner, message, asMessage) ->
        calls
            .granted(owner, message, asMessage)
            .whenComplete((status, failure) -> granted.get(outcome(status, failure)).increment());
  }

  /** The same calls, counted. */
  NoticeCalls counting(NoticeCalls calls) {
    return (server, client, state, datagrams) -> {
      CompletionStage<Void> told = calls.tell(server, client, state, datagrams);
      return told.whenComplete(
          (done, failure) ->
              notices.get(failure == null ? Outcome.TAKEN : Outcome.UNREACHED).increment());
    };
  }

  private static Outcome outcome(Optional<NlmStatus> status, Throwable failure) {
    if (failure != null) {
      return Outcome.UNREACHED;
    }
    return status
        .map(said -> said == NlmStatus.GRANTED ? Outcome.TAKEN : Outcome.REFUSED)
        .orElse(Outcome.UNANSWERED);
  }
}
