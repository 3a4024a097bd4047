package org.weft.metadata.lock;

import org.weft.metadata.journal.LockKeeping;

/**
 * Locks of a session that has ended, for a successor.
 *
 * @param user of the session
 * @param clientName of the session, shown to clients that wait
 */
public record KeptLocks(String user, LockKeeping keeping, String clientName) {
  /** A session of that user that shows such a key may have them. */
  boolean isFor(String successor, LockKeeping shown) {
    return user.equals(successor) && keeping.key().equals(shown.key());
  }
}
