package org.weft.testkit.raft;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.weft.protocol.seam.ReplicatedLog;

/**
 * Sees what no single member sees, and notes four things that must never be. Two members lead in
 * one term. Two members applied different commands at one place, or have different states after it.
 * A later leader lacks a command that was answered. A leader confirmed a read, and lacked what was
 * committed before the question. Confined to the thread of the virtual time.
 */
public final class RaftWatch {
  /** What a leader has just done; what follows from it is not done yet. */
  public enum Step {
    /** Put a command into its own log. */
    PROPOSED,
    /** Heard that a majority has one. */
    COMMITTED,
    /** Applied one; its proposer is not told yet. */
    APPLIED
  }

  private final Consumer<String> note;
  private BiConsumer<Integer, Step> listener = (member, step) -> {};
  private final Map<Long, Integer> leaders = new HashMap<>();
  private final Map<Long, Applied> applied = new HashMap<>();
  private final List<String> found = new ArrayList<>();
  private long highest;

  private record Applied(int member, int command, int answer, int state) {}

  /**
   * @param note takes a sentence for the trace
   */
  public RaftWatch(Consumer<String> note) {
    this.note = note;
  }

  /** Sentences; none if all was well. */
  public List<String> found() {
    return found;
  }

  /** The last place that any member has applied. */
  public long highest() {
    return highest;
  }

  /** Told of each step of a leader, with its id. */
  public void whenLeaderSteps(BiConsumer<Integer, Step> told) {
    listener = told;
  }

  void step(int member, Step step) {
    listener.accept(member, step);
  }

  void note(String what) {
    note.accept(what);
  }

  void leads(int member, long term, long lastIndex) {
    note.accept("member " + member + " leads in term " + term + " from entry " + lastIndex + " on");
    Integer other = leaders.putIfAbsent(term, member);
    if (other != null && other != member) {
      found.add("members " + other + " and " + member + " both led in term " + term);
    }
    if (lastIndex < highest) {
      found.add("member " + member + " leads without entry " + highest + ", which was committed");
    }
  }

  void applied(
      int member, long index, byte[] command, byte[] answer, ReplicatedLog.Machine machine) {
    Applied here =
        new Applied(
            member,
            Arrays.hashCode(command),
            Arrays.hashCode(answer),
            Arrays.hashCode(state(machine)));
    compare(index, here);
    highest = Math.max(highest, index);
  }

  /** A snapshot of another member was loaded. */
  void loaded(int member, long index, ReplicatedLog.Machine machine) {
    Applied known = applied.get(index);
    if (known != null && known.state() != Arrays.hashCode(state(machine))) {
      found.add(
          "member "
              + member
              + " has loaded another state for entry "
              + index
              + " than member "
              + known.member()
              + " had");
    }
  }

  private void compare(long index, Applied here) {
    Applied known = applied.putIfAbsent(index, here);
    if (known == null) {
      return;
    }
    if (known.command() != here.command()) {
      found.add("entry " + index + " is another command at " + known + " than at " + here);
    } else if (known.answer() != here.answer() || known.state() != here.state()) {
      found.add(
          "after entry " + index + " the state is another one at " + known + " than at " + here);
    }
  }

  void confirmed(int member, long committedWhenAsked, long hasApplied) {
    if (hasApplied < committedWhenAsked) {
      found.add(
          "member "
              + member
              + " confirmed a read with entry "
              + hasApplied
              + ", and entry "
              + committedWhenAsked
              + " was committed before the question");
    }
  }

  private static byte[] state(ReplicatedLog.Machine machine) {
    return Snapshot.of(machine, 0, 0, List.of()).state();
  }
}
