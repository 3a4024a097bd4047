package org.weft.client.health;

import java.util.List;
import java.util.Objects;
import org.weft.protocol.wire.CheckFinding;
import org.weft.protocol.wire.CheckStatusReply;

/**
 * How far the check of a volume is, and some of what it has found. Immutable.
 *
 * @param id of the check; 0: the manager knows of no such check
 * @param parity it compares parity with data as well
 * @param doing what it does, or why it ended
 * @param elapsedMillis since it began, until it ended
 * @param objects that were looked at
 * @param expectedObjects how many there are, about
 * @param names that were looked at
 * @param stripes whose parity was compared
 * @param written files that were being written: neither their length nor their components were
 *     judged
 * @param findings in all
 * @param page some of them
 * @param more there are others behind these
 * @param unchecked sentences on what could not be looked at
 * @param uncheckedCount how many there were in all
 */
public record VolumeCheckStatus(
    long id,
    boolean parity,
    State state,
    String doing,
    long elapsedMillis,
    long objects,
    long expectedObjects,
    long names,
    long stripes,
    long written,
    long findings,
    List<Finding> page,
    boolean more,
    List<String> unchecked,
    long uncheckedCount) {
  /** Whether it goes on. */
  public enum State {
    RUNNING,
    DONE,
    CANCELLED,
    FAILED
  }

  /**
   * Something that contradicts something else.
   *
   * @param number 1 for the first
   * @param kind "leftover-component" and the like
   * @param path where the object is; empty if nothing leads there
   * @param osd the one that it is about; 0: it is about no single one
   * @param what a sentence
   * @param nextStep what can be done
   */
  public record Finding(
      long number, String kind, long objectId, String path, int osd, String what, String nextStep) {
    public Finding {
      Objects.requireNonNull(kind, "kind");
      Objects.requireNonNull(path, "path");
      Objects.requireNonNull(what, "what");
      Objects.requireNonNull(nextStep, "nextStep");
    }
  }

  public VolumeCheckStatus {
    Objects.requireNonNull(state, "state");
    page = List.copyOf(page);
    unchecked = List.copyOf(unchecked);
  }

  /** The manager knows of such a check. */
  public boolean isKnown() {
    return id != 0;
  }

  public boolean isRunning() {
    return state == State.RUNNING;
  }

  /**
   * What a manager's message says.
   *
   * @param mountPath where the volume stands
   */
  public static VolumeCheckStatus fromMessage(String mountPath, CheckStatusReply reply) {
    String above = mountPath.equals("/") ? "" : mountPath;
    return new VolumeCheckStatus(
        reply.getCheckId(),
        reply.getParity(),
        switch (reply.getState()) {
          case CHECK_RUNNING -> State.RUNNING;
          case CHECK_DONE -> State.DONE;
          case CHECK_CANCELLED -> State.CANCELLED;
          case CHECK_FAILED, CHECK_STATE_UNSPECIFIED, UNRECOGNIZED -> State.FAILED;
        },
        reply.getDoing(),
        reply.getElapsedMillis(),
        reply.getObjects(),
        reply.getExpectedObjects(),
        reply.getNames(),
        reply.getStripes(),
        reply.getWritten(),
        reply.getFindings(),
        reply.getFindingList().stream().map(one -> finding(above, one)).toList(),
        reply.getMore(),
        reply.getUncheckedList(),
        reply.getUncheckedInAll());
  }

  private static Finding finding(String above, CheckFinding one) {
    return new Finding(
        one.getNumber(),
        one.getKind(),
        one.getObjectId(),
        one.getPath().isEmpty() ? "" : above + one.getPath(),
        one.getOsd(),
        one.getWhat(),
        one.getNextStep());
  }
}
