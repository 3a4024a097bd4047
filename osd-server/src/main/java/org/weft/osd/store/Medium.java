package org.weft.osd.store;

import java.util.Optional;
import org.weft.protocol.error.WeftException;

/**
 * The medium under a store, for checks whether it gives back what was written. Calls do IO on the
 * calling thread; one at a time does, others wait. Nothing that is stored changes.
 *
 * <p>They fail with BAD_MEDIA if the store's tables cannot be read, UNAVAILABLE if it is closed.
 */
public interface Medium {
  /**
   * Reads what objects hold from a place on, past the caches where the system can, and compares it
   * with its checksums.
   *
   * @param aboutBytes where to stop; one page of an object is read in any case
   */
  MediumLook look(MediumPlace from, long aboutBytes) throws WeftException;

  /** False once the block was written anew, or belongs to no object any more. */
  boolean isBad(BadBlock block) throws WeftException;

  /** What was noted last, also before this start. */
  Optional<ScrubNotes> notes() throws WeftException;

  /**
   * Notes; a loss of power may take that back.
   *
   * @throws WeftException also NO_SPACE
   */
  void note(ScrubNotes notes) throws WeftException;
}
