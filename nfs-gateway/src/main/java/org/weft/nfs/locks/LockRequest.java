package org.weft.nfs.locks;

import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.nfs.nlm.NlmLock;
import org.weft.protocol.layout.ByteRange;

/**
 * What a call asks for, once it was let in.
 *
 * @param lock as the client sent it, to be told back with GRANTED
 * @param state the client's, by its status monitor; 0: not said, and not known
 * @param reserved it came from a port that only the client's superuser can use
 * @param asMessage its client uses the asynchronous forms: it is called with GRANTED_MSG
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
    boolean asMessage) {
  /** The same of another range. */
  public LockRequest of(ByteRange other, boolean exclusively) {
    return new LockRequest(file, by, owner, lock, other, exclusively, state, reserved, asMessage);
  }

  /** The same of a client in that state. */
  LockRequest inState(int known) {
    return new LockRequest(file, by, owner, lock, range, exclusive, known, reserved, asMessage);
  }

  /** The same for all ways to open the file. */
  LockRequest ofOpenings() {
    return new LockRequest(
        file, by, owner.ofOpenings(), lock, ByteRange.ALL, false, state, reserved, asMessage);
  }
}
