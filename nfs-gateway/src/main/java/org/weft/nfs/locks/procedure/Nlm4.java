package org.weft.nfs.locks.procedure;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.locks.ClientLocks;
import org.weft.nfs.locks.MessageCalls;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcProgram;

/** The lock manager, version 4, with all its procedures: RFC 1813 section 6.3. */
public final class Nlm4 {
  private final ClientLocks locks;
  private final Gatekeeper gate;
  private final MessageCalls calls;
  private final UnansweredMessages unanswered = new UnansweredMessages();

  /**
   * @param calls takes the results of the asynchronous forms to clients
   */
  public Nlm4(ClientLocks locks, Gatekeeper gate, MessageCalls calls) {
    this.locks = locks;
    this.gate = gate;
    this.calls = calls;
  }

  public RpcProgram program() {
    return new RpcProgram(NlmProcedure.PROGRAM, "nlm").version(NlmProcedure.VERSION, procedures());
  }

  Map<Integer, RpcProcedure> procedures() {
    LockEntry entry = new LockEntry(gate);
    Map<NlmProcedure, RpcProcedure> all = new EnumMap<>(NlmProcedure.class);
    both(all, new TestProcedure(entry, locks), NlmProcedure.TEST, NlmProcedure.TEST_MSG);
    both(all, new LockProcedure(entry, locks, true), NlmProcedure.LOCK, NlmProcedure.LOCK_MSG);
    both(all, new CancelProcedure(entry, locks), NlmProcedure.CANCEL, NlmProcedure.CANCEL_MSG);
    both(all, new UnlockProcedure(entry, locks), NlmProcedure.UNLOCK, NlmProcedure.UNLOCK_MSG);
    both(all, new GrantedProcedure(), NlmProcedure.GRANTED, NlmProcedure.GRANTED_MSG);
    all.put(NlmProcedure.TEST_RES, new UnaskedResult(NlmMessage.Tested::read));
    all.put(NlmProcedure.LOCK_RES, new UnaskedResult(NlmMessage.Answer::read));
    all.put(NlmProcedure.CANCEL_RES, new UnaskedResult(NlmMessage.Answer::read));
    all.put(NlmProcedure.UNLOCK_RES, new UnaskedResult(NlmMessage.Answer::read));
    all.put(NlmProcedure.GRANTED_RES, new GrantedResProcedure(locks));
    all.put(NlmProcedure.SHARE, new AnsweredForm<>(new ShareProcedure(entry, locks, true)));
    all.put(NlmProcedure.UNSHARE, new AnsweredForm<>(new ShareProcedure(entry, locks, false)));
    all.put(NlmProcedure.NM_LOCK, new AnsweredForm<>(new LockProcedure(entry, locks, false)));
    all.put(NlmProcedure.FREE_ALL, new FreeAllProcedure(locks));
    Map<Integer, RpcProcedure> byNumber = new HashMap<>();
    all.forEach((procedure, form) -> byNumber.put(procedure.number(), form));
    return byNumber;
  }

  private <A extends NlmMessage> void both(
      Map<NlmProcedure, RpcProcedure> all,
      NlmOperation<A> operation,
      NlmProcedure answered,
      NlmProcedure message) {
    all.put(answered, new AnsweredForm<>(operation));
    all.put(message, new MessageForm<>(operation, message.result(), unanswered, calls, gate));
  }

  /** Calls of the asynchronous forms whose results have not left yet. */
  int unanswered() {
    return unanswered.count();
  }
}
