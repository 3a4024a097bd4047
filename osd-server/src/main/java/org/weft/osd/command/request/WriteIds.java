package org.weft.osd.command.request;

import org.weft.osd.store.value.Authority;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/** The ids under which bytes and blocks change (P 5.1). */
public final class WriteIds {
  private WriteIds() {}

  /**
   * The grant of an id is the capability's. A manager numbers its own, and acts under the grant of
   * a writer that is gone (P 5.5): none of an epoch to come. A right to copy has one number.
   */
  public static Authority writer(long grant, Authorized authorized) throws WeftException {
    long allowed = authorized.capability().grant();
    boolean isBound = !authorized.manager() || authorized.copiesAlone();
    if (isBound && grant != allowed) {
      throw CommandLimits.invalid(
          "the write's grant %s is not the capability's %s", new Lsn(grant), new Lsn(allowed));
    }
    if (!authorized.manager()) {
      return authorized.authority();
    }
    if (new Lsn(grant).epoch() > authorized.capability().epoch()) {
      throw CommandLimits.invalid(
          "a manager of epoch %d cannot act under grant %s, which is of a later one",
          authorized.capability().epoch(), new Lsn(grant));
    }
    long floor = authorized.capability().floor();
    if (Long.compareUnsigned(grant, floor) < 0 && new Lsn(grant).index() != 0) {
      throw CommandLimits.invalid(
          "the capability says that all below grant %s is resolved: nothing is done under grant %s",
          new Lsn(floor), new Lsn(grant));
    }
    return Authority.ofManager(authorized.capability().epoch(), grant, floor)
        .inAttempt(authorized.attempt());
  }

  /** A run of seqs; at least one. */
  public static void checkRun(long firstSeq, int seqCount) throws WeftException {
    CommandLimits.atMost("first seq", firstSeq, CommandLimits.MAX_SEQ);
    CommandLimits.atMost("seq count", seqCount, CommandLimits.MAX_SEQ_COUNT);
    if (firstSeq == 0 || seqCount == 0) {
      throw CommandLimits.invalid(
          "this command needs at least one seq, and seqs start at 1: got first %d, count %d",
          firstSeq, seqCount);
    }
  }

  /** One seq, and up to which all are complete. */
  public static void check(long seq, long completeUpTo) throws WeftException {
    if (seq == 0) {
      throw CommandLimits.invalid("this command needs a seq, and seqs start at 1");
    }
    CommandLimits.atMost("seq", seq, CommandLimits.MAX_SEQ);
    CommandLimits.atMost("completeUpTo", completeUpTo, CommandLimits.MAX_SEQ);
  }
}
