package org.weft.simulator.check;

import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.simulator.model.NameOperation;
import org.weft.testkit.names.NameRefusal;
import org.weft.testkit.names.NameTree;
import org.weft.testkit.names.TreeNode;

/** An operation on names, with the times of its call and its answer. */
final class NameCall {
  /** Its answer never came. */
  static final long NEVER = Long.MAX_VALUE;

  final int number;
  final String client;
  final NameOperation operation;
  final long start;
  long end = NEVER;

  /** Null unless it was done. */
  Seen seen;

  /** It counts no more. */
  boolean withdrawn;

  /** Null unless it was refused. */
  ErrorCode refusal;

  NameCall(int number, String client, NameOperation operation, long start) {
    this.number = number;
    this.client = client;
    this.operation = operation;
    this.start = start;
  }

  /** It may have happened or not. */
  boolean isUnknown() {
    return seen == null && refusal == null;
  }

  /** The model's answer, where it differs from the real one. */
  record Step(Optional<NameTree> after, String otherwise) {}

  /** Carries it out on a tree; the tree after it, if that explains what was answered. */
  Step on(NameTree tree) {
    NameOperation.Result result;
    try {
      result = operation.on(tree, number, seen == null ? 0 : seen.objectId());
    } catch (NameRefusal refused) {
      boolean asTold = refused.code() == refusal;
      return new Step(asTold ? Optional.of(tree) : Optional.empty(), refused.code().name());
    }
    if (refusal != null) {
      return new Step(Optional.empty(), "no refusal");
    }
    if (isUnknown() || result.node() == null) {
      return new Step(Optional.of(result.after()), "");
    }
    TreeNode node = result.node();
    Optional<String> differs = seen.differsFrom(node);
    if (differs.isPresent()) {
      return new Step(Optional.empty(), differs.get());
    }
    Optional<NameTree> bound = seen.binding(result.after(), node);
    return new Step(bound, "another object than " + node.objectId() + " of operation " + node.id());
  }

  @Override
  public String toString() {
    String answer = "no answer";
    if (seen != null) {
      answer = seen.toString();
    } else if (refusal != null) {
      answer = refusal.name();
    }
    return "#"
        + number
        + " "
        + client
        + " "
        + operation
        + " ["
        + start
        + ", "
        + (end == NEVER ? "?" : String.valueOf(end))
        + "] -> "
        + answer;
  }
}
