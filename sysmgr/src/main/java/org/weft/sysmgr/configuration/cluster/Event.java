package org.weft.sysmgr.configuration.cluster;

import java.util.Objects;
import org.weft.protocol.wire.EventMessage;

/**
 * Something that happened to the cluster.
 *
 * @param number grows by one with each; 0: it has none yet
 * @param millis wall time of the leader, since 1970; 0: not known yet
 * @param kind a stable word, for programs
 * @param subject what it happened to; of an alert its name, then what it is about
 * @param what a sentence for people
 * @param user that asked for it; empty: none did
 * @param advice of an alert, what to do next; else empty
 */
public record Event(
    long number,
    long millis,
    String kind,
    String subject,
    String what,
    String user,
    String advice) {
  /** An alert begins: something a person should know holds from now on. */
  public static final String ALERT = "alert";

  /** It does not hold any more. */
  public static final String ALERT_ENDED = "alert-ended";

  private static final int MAX_CHARACTERS = 600;

  public Event {
    Objects.requireNonNull(kind, "kind");
    subject = bounded(subject);
    what = bounded(what);
    user = bounded(user);
    advice = bounded(advice);
  }

  private static String bounded(String text) {
    return text.length() <= MAX_CHARACTERS ? text : text.substring(0, MAX_CHARACTERS - 1) + "…";
  }

  /** One that no user asked for, and that has no number yet. */
  public static Event of(String kind, String subject, String what) {
    return new Event(0, 0, kind, subject, what, "", "");
  }

  /**
   * This one as the log keeps it.
   *
   * @param newNumber larger by one than that of the event before
   * @param newMillis wall time of the leader
   * @param newUser that asked for it; empty: none did
   */
  Event at(long newNumber, long newMillis, String newUser) {
    return new Event(newNumber, newMillis, kind, subject, what, newUser, advice);
  }

  /** As clients get it. */
  public EventMessage toMessage() {
    return EventMessage.newBuilder()
        .setNumber(number)
        .setMillis(millis)
        .setKind(kind)
        .setSubject(subject)
        .setWhat(what)
        .setUser(user)
        .setAdvice(advice)
        .build();
  }
}
