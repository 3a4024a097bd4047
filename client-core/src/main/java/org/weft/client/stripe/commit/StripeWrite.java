package org.weft.client.stripe.commit;

import java.util.List;
import org.weft.client.stripe.base.StripeGrant;

/**
 * A stripe write, or a run of them (P 5.3): what each component gets. Its values never change,
 * however often they are sent and under whatever grant (P 5.8).
 */
public interface StripeWrite {
  /** How many consecutive sequence numbers it takes: one a stripe. */
  int seqCount();

  /** File length that it establishes. */
  long eofBytes();

  /** Of the file once the write has arrived: that of the grant, but for the write that cuts it. */
  default int truncationNumber(StripeGrant grant) {
    return grant.truncationNumber();
  }

  /** Without room it may fail alone, undone on every component; nothing builds on it. */
  default boolean isAbortable() {
    return false;
  }

  /** On stable storage before it is acknowledged. */
  default boolean isDurable() {
    return false;
  }

  /**
   * Indexes, in the file's map, of the components that get bytes, ascending; also those that the
   * map calls missing. May be empty: then the write only makes components and establishes the
   * length.
   */
  List<Integer> participants();

  /** Where a participant's bytes go in it; a multiple of 4 KiB. */
  long offsetBytes(int component);

  /** A component's bytes, one behind the other, with their checksums; empty if it gets none. */
  List<UnitBuffer> units(int component);

  /** Keeps the memory until {@link #release} has been called once more. */
  void retain();

  void release();
}
