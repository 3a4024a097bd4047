package org.weft.simulator.check;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.weft.protocol.error.ErrorCode;
import org.weft.simulator.model.NameOperation;
import org.weft.testkit.names.NameTree;

/**
 * Checks whether operations on names are linearizable. Each must have a moment between its call and
 * its answer. One file system that does them in the order of these moments must answer the same.
 * The search is that of Wing and Gong, with a memory of what was tried. An operation without an
 * answer may have happened at any later moment, or not at all. An operation with an answer has
 * happened, whatever died since.
 */
public final class NameHistory {
  private static final int MAX_STATES = 200_000;

  private final List<NameCall> calls = new ArrayList<>();
  private int undecided;

  /** A client asks. */
  public int asked(String client, long moment, NameOperation operation) {
    calls.add(new NameCall(calls.size(), client, operation, moment));
    return calls.size() - 1;
  }

  /** It was done, with this answer. */
  public void done(int call, long moment, Seen seen) {
    calls.get(call).end = moment;
    calls.get(call).seen = seen;
  }

  /** It was refused, and changed nothing. */
  public void refused(int call, long moment, ErrorCode code) {
    calls.get(call).end = moment;
    calls.get(call).refusal = code;
  }

  /** It was not done, for a reason that does not concern names. */
  public void withdrawn(int call) {
    calls.get(call).withdrawn = true;
  }

  /** What was asked for before and is without an answer happened before this moment, or never. */
  public void settled(long moment) {
    calls.stream()
        .filter(call -> call.isUnknown() && call.end == NameCall.NEVER && call.start < moment)
        .forEach(call -> call.end = moment);
  }

  /** Operations so far. */
  public int size() {
    return calls.size();
  }

  /** How many histories were too long to decide about. */
  public int undecided() {
    return undecided;
  }

  /** What no file system would have answered. */
  public Optional<BrokenRule> check() {
    Search search = new Search(calls);
    Search.Verdict verdict = search.run();
    undecided = verdict == Search.Verdict.UNDECIDED ? 1 : 0;
    return verdict == Search.Verdict.IMPOSSIBLE
        ? Optional.of(new BrokenRule("names are not linearizable", search.explanation()))
        : Optional.empty();
  }

  /** The search for an order. */
  private static final class Search {
    enum Verdict {
      POSSIBLE,
      IMPOSSIBLE,
      UNDECIDED
    }

    private record Tried(BitSet done, NameTree tree) {}

    private final List<NameCall> calls;
    private final Set<Tried> tried = new HashSet<>();
    private final BitSet done = new BitSet();
    private int certain;
    private int doneCertain;
    private int furthest = -1;
    private BitSet furthestDone = new BitSet();
    private NameTree furthestTree = NameTree.empty();
    private boolean gaveUp;

    Search(List<NameCall> all) {
      // A call that changed nothing and returned nothing shows nothing.
      calls = all.stream().filter(call -> !call.isUnknown() || call.operation.changes()).toList();
      certain = (int) calls.stream().filter(call -> !call.isUnknown()).count();
    }

    Verdict run() {
      if (extend(NameTree.empty(), 0)) {
        return Verdict.POSSIBLE;
      }
      return gaveUp ? Verdict.UNDECIDED : Verdict.IMPOSSIBLE;
    }

    /**
     * Finds an order of what is not done yet.
     *
     * @param latest start of those done: what ended before cannot come any more
     */
    private boolean extend(NameTree tree, long latest) {
      if (doneCertain == certain) {
        return true;
      }
      if (tried.size() >= MAX_STATES) {
        gaveUp = true;
        return false;
      }
      if (!tried.add(new Tried((BitSet) done.clone(), tree))) {
        return false;
      }
      if (doneCertain > furthest) {
        furthest = doneCertain;
        furthestDone = (BitSet) done.clone();
        furthestTree = tree;
      }
      List<Integer> next = candidates(latest);
      int harmless = harmless(next, tree);
      return harmless >= 0 ? take(harmless, tree, latest) : any(next, tree, latest);
    }

    private boolean any(List<Integer> next, NameTree tree, long latest) {
      for (int pass = 0; pass < 2; pass++) {
        for (int index : next) {
          if (calls.get(index).isUnknown() == (pass == 1)) {
            Optional<NameTree> after = calls.get(index).on(tree).after();
            if (after.isPresent() && take(index, after.get(), latest)) {
              return true;
            }
          }
        }
      }
      return false;
    }

    /**
     * Returns a call that fits now and never changes anything, or -1 if there is none. Such a call
     * may come now, unless a call of unknown outcome could then come no more. A change that changes
     * nothing now, since it is so already, may have to come later, after another.
     */
    private int harmless(List<Integer> next, NameTree tree) {
      long firstUnknownEnd = NameCall.NEVER;
      for (int index : next) {
        if (calls.get(index).isUnknown()) {
          firstUnknownEnd = Math.min(firstUnknownEnd, calls.get(index).end);
        }
      }
      for (int index : next) {
        NameCall call = calls.get(index);
        boolean changesNever = call.refusal != null || !call.operation.changes();
        if (!call.isUnknown()
            && changesNever
            && call.start < firstUnknownEnd
            && call.on(tree).after().filter(tree::equals).isPresent()) {
          return index;
        }
      }
      return -1;
    }

    private boolean take(int index, NameTree after, long latest) {
      NameCall call = calls.get(index);
      done.set(index);
      doneCertain += call.isUnknown() ? 0 : 1;
      boolean found = extend(after, Math.max(latest, call.start));
      done.clear(index);
      doneCertain -= call.isUnknown() ? 0 : 1;
      return found;
    }

    /** What was called before the first answer that is still to be explained. */
    private List<Integer> candidates(long latest) {
      long firstEnd = NameCall.NEVER;
      for (int index = done.nextClearBit(0); index < calls.size(); index++) {
        if (!done.get(index) && !calls.get(index).isUnknown()) {
          firstEnd = Math.min(firstEnd, calls.get(index).end);
        }
      }
      List<Integer> candidates = new ArrayList<>();
      for (int index = done.nextClearBit(0); index < calls.size(); index++) {
        NameCall call = calls.get(index);
        if (!done.get(index) && call.start < firstEnd && latest < call.end) {
          candidates.add(index);
        }
      }
      return candidates;
    }

    String explanation() {
      done.or(furthestDone);
      StringBuilder text =
          new StringBuilder("no order of the operations explains the answers. At best ")
              .append(furthest)
              .append(" of ")
              .append(certain)
              .append(" are explained; then none of these can come next:\n");
      for (int index : candidates(0)) {
        NameCall call = calls.get(index);
        if (!call.isUnknown()) {
          text.append("  ")
              .append(call)
              .append("   (the model answers ")
              .append(call.on(furthestTree).otherwise())
              .append(")\n");
        }
      }
      text.append("with these names:\n");
      furthestTree.paths().forEach(path -> text.append("  ").append(path).append('\n'));
      text.append("and these operations of unknown outcome left:\n");
      calls.stream()
          .filter(call -> call.isUnknown() && !furthestDone.get(calls.indexOf(call)))
          .forEach(call -> text.append("  ").append(call).append('\n'));
      return text.toString();
    }
  }
}
