package org.weft.osd.command;

import org.weft.osd.store.Authority;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.RpcException;

/** The ids under which bytes and blocks change (P 5.1). */
final class WriteIds {
  private WriteIds() {}

  /** The grant of an id is the capability's; a manager numbers its own, in its own epoch. */
  static Authority writer(long grant, Authorized authorized) throws RpcException {
    long allowed = authorized.capability().grant();
    if (!authorized.manager()) {
      if (grant != allowed) {
        throw Limits.invalid(
            "the write's grant %s is not the capability's %s", new Lsn(grant), new Lsn(allowed));
      }
      return authorized.authority();
    }
    if (new Lsn(grant).epoch() != authorized.capability().epoch()) {
      throw Limits.invalid(
          "a manager of epoch %d cannot write under grant %s",
          authorized.capability().epoch(), new Lsn(grant));
    }
    return Authority.ofManager(authorized.capability().epoch(), grant);
  }

  /** One seq, and up to which all are complete. */
  static void check(long seq, long completeUpTo) throws RpcException {
    if (seq == 0) {
      throw Limits.invalid("this command needs a seq, and seqs start at 1");
    }
    Limits.atMost("seq", seq, Limits.MAX_SEQ);
    Limits.atMost("completeUpTo", completeUpTo, Limits.MAX_SEQ);
  }
}
