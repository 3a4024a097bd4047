package org.weft.protocol.rpc;

import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * The address of SysMgr's leader, as a member that does not lead says it. It is part of the text of
 * {@link ErrorCode#NOT_LEADER}, so that people can read it, too. A caller that knows one member
 * alone finds the others by it.
 */
public final class LeaderHint {
  private static final String BEFORE = "; ask ";

  private LeaderHint() {}

  /** The refusal of a member that knows the leader. */
  public static WeftException refusal(Endpoint leader) {
    return new WeftException(
        ErrorCode.NOT_LEADER, "this SysMgr member does not lead" + BEFORE + leader);
  }

  /** Where to ask instead; empty if the failure is another one, or names no address. */
  public static Optional<Endpoint> in(WeftException failure) {
    String text = String.valueOf(failure.getMessage());
    int at = text.lastIndexOf(BEFORE);
    if (failure.code() != ErrorCode.NOT_LEADER || at < 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(Endpoint.parse(text.substring(at + BEFORE.length())));
    } catch (IllegalArgumentException e) {
      // The members of an election name none.
      return Optional.empty();
    }
  }
}
