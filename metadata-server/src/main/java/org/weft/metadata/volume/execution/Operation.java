package org.weft.metadata.volume.execution;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;

/**
 * One kind of request, with what the client asked in it. An operation looks at the volume through
 * the {@link Execution} and writes what it decides into its draft. It changes nothing itself, so it
 * may be executed any number of times until nothing it needs is missing. Operations are immutable.
 */
public interface Operation {
  /**
   * Decides.
   *
   * @return the reply
   * @throws NeedsInput if something must be loaded first
   * @throws WeftException if the request is refused; the draft is forgotten
   */
  MessageLite execute(Execution on) throws NeedsInput, WeftException;

  /**
   * What a refused request looked at, to be returned with the refusal; empty: none of it.
   *
   * @param on of the same moment, with an empty draft
   * @throws NeedsInput if a part of it is not in memory: then nothing is returned
   * @throws WeftException if the caller may not see it
   */
  default Optional<MessageLite> lookedAt(Execution on) throws NeedsInput, WeftException {
    return Optional.empty();
  }

  /**
   * The same, and it needs less at a time. What it needs was loaded again and again, and the cache
   * does not keep all of it. What needs no more than a few blocks answers itself.
   */
  default Operation lessened() {
    return this;
  }

  /**
   * True if its slot keeps its answer also where no record holds it, so that a repeat that arrives
   * late does nothing (P 6.5.117). An operation that finds nothing to do now may find something
   * later. Examples are a range that was acquired since, a lock that is free by then, and a
   * directory that was removed. Only what reads says false: it may be done any number of times, and
   * its answer may be long.
   */
  default boolean isAnsweredOnce() {
    return true;
  }

  /**
   * Asked after an operation of the manager's own was executed. It has come further and is to be
   * executed again at once, not with what is due next. Each execution allows it one time.
   */
  default boolean goesOn() {
    return false;
  }
}
