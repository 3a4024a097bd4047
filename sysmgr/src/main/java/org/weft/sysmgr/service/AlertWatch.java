package org.weft.sysmgr.service;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.cluster.Event;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.status.Finding;

/**
 * Notes, replicated, when a finding of the status begins to hold and when it does no more. What
 * holds for a moment alone is no alert. A finding is an alert once it was seen for five seconds,
 * and has ended once it was not seen for as long. Which alerts hold is in the log, so that the next
 * leader goes on from there. Confined to the home executor.
 */
final class AlertWatch {
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long STEADY_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int MAX_AT_ONCE = 50;

  private final OneProposal proposal;
  private final ReplicatedConfiguration configuration;
  private final Supplier<List<Finding>> findings;
  private final Map<String, Long> seenSince = new HashMap<>();
  private final Map<String, Long> goneSince = new HashMap<>();
  private long nextNanos;
  private boolean begun;

  /**
   * @param findings that hold now; called while this member leads
   */
  AlertWatch(
      Proposals proposals,
      ReplicatedConfiguration configuration,
      Supplier<List<Finding>> findings) {
    this.proposal = new OneProposal(proposals, "an alert");
    this.configuration = configuration;
    this.findings = findings;
  }

  /** To be called now and then, while this member leads. */
  void tick(long nowNanos) {
    if (proposal.isUnderWay() || begun && nowNanos - nextNanos < 0) {
      return;
    }
    begun = true;
    nextNanos = nowNanos + LOOK_NANOS;
    List<Event> news = news(findings.get(), nowNanos);
    if (!news.isEmpty()) {
      note(news);
    }
  }

  private List<Event> news(List<Finding> now, long nowNanos) {
    Map<String, Event> holding = configuration.events().alerts();
    List<Event> news = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (Finding finding : now) {
      if (seen.add(finding.key())
          && isSteady(seenSince, finding.key(), nowNanos)
          && !holding.containsKey(finding.key())) {
        news.add(new Event(0, 0, Event.ALERT, finding.key(), finding.what(), "", finding.advice()));
      }
    }
    seenSince.keySet().retainAll(seen);
    Set<String> gone = new HashSet<>(holding.keySet());
    gone.removeAll(seen);
    for (String key : gone) {
      if (isSteady(goneSince, key, nowNanos)) {
        news.add(
            new Event(
                0,
                0,
                Event.ALERT_ENDED,
                key,
                "It does not hold any more: " + holding.get(key).what(),
                "",
                ""));
      }
    }
    goneSince.keySet().retainAll(gone);
    return news.subList(0, Math.min(MAX_AT_ONCE, news.size()));
  }

  private static boolean isSteady(Map<String, Long> since, String key, long nowNanos) {
    return nowNanos - since.computeIfAbsent(key, each -> nowNanos) >= STEADY_NANOS;
  }

  private void note(List<Event> news) {
    proposal.propose(new Command.NoteEvents(news));
  }

  /** Another member leads. */
  void stepBack() {
    proposal.stepBack();
    begun = false;
    seenSince.clear();
    goneSince.clear();
  }
}
