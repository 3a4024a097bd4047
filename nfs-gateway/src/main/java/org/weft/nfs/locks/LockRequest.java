package org.weft.nfs.locks;

import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.nfs.nlm.NlmLock;
import org.weft.protocol.layout.ByteRange;

/**
 * What a call asks for, once it was let in.
 *
 * @param lock as the client sent it, to be sent back with GRANTED
 * @param state the client's, by its status monitor; 0: not said, and not known
 * @param reserved it came from a port that only the client's superuser can use
 * @param asMessage its client uses the asynchronous forms: it is called with GRANTED_MSG
 * @param inferred the call states no state: this is the last known one of its client
 */
public record LockRequest(
    NodeId file,
    OnBehalfOf by,
    NlmOwner owner,
    NlmLock lock,
    ByteRange range,
    boolean exclusive,
    int state,
    boolean reserved,
    boolean asMessage,
    boolean inferred) {
  /** A call that says its client's state, or of whose client none is known. */
  public LockRequest(
      NodeId file,
      OnBehalfOf by,
      NlmOwner owner,
      NlmLock lock,
      ByteRange range,
      boolean exclusive,
      int state,
      boolean reserved,
      boolean asMessage) {
    this(file, by, owner, lock, range, exclusive, state, reserved, asMessage, false);
  }

  /** The same of another range. */
  public LockRequest of(ByteRange other, boolean exclusively) {
    return new LockRequest(
        file, by, owner, lock, other, exclusively, state, reserved, asMessage, inferred);
  }

  /** The same request with the last known state of its client. */
  LockRequest inState(int known) {
    return new LockRequest(
        file, by, owner, lock, range, exclusive, known, reserved, asMessage, true);
  }

  /** The same for all ways to open the file. */
  LockRequest ofOpenings() {
    return new LockRequest(
        file,
        by,
        owner.ofOpenings(),
        lock,
        ByteRange.ALL,
        false,
        state,
        reserved,
        asMessage,
        inferred);
  }
}
