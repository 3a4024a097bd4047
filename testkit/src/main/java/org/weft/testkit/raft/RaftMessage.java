package org.weft.testkit.raft;

import java.util.List;

/** What members say to each other. Each says from which member it is, and in which term. */
sealed interface RaftMessage {
  int from();

  long term();

  /**
   * Asks for a vote (section 3.4).
   *
   * @param trial asks only whether there would be one (section 9.6)
   * @param forced a member that hears a leader answers as well (section 3.10)
   */
  record AskVote(int from, long term, long lastIndex, long lastTerm, boolean trial, boolean forced)
      implements RaftMessage {}

  /** Answers it. */
  record Vote(int from, long term, boolean trial, boolean granted) implements RaftMessage {}

  /**
   * Entries behind another one, or none: then it is a heartbeat (section 3.5).
   *
   * @param round grows with each round of questions whether the sender leads (section 6.4)
   */
  record Append(
      int from,
      long term,
      long previousIndex,
      long previousTerm,
      List<Entry> entries,
      long committed,
      long round)
      implements RaftMessage {}

  /** What the sender's log no longer has (section 5.3). */
  record Install(int from, long term, Snapshot snapshot, long round) implements RaftMessage {}

  /**
   * Answers both.
   *
   * @param index on success, up to where the logs are alike, durably; else from where to try again
   */
  record Appended(int from, long term, boolean success, long index, long round)
      implements RaftMessage {}
}
