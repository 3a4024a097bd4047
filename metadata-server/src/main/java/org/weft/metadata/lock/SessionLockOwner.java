package org.weft.metadata.lock;

import com.google.protobuf.ByteString;
import java.util.Comparator;
import org.weft.protocol.id.SessionId;

/**
 * Whose a lock is: a process or an open file, as its client calls it.
 *
 * @param key 1 to {@value #MOST_KEY_BYTES} bytes; alike in another session it is another owner
 */
public record SessionLockOwner(SessionId session, ByteString key)
    implements Comparable<SessionLockOwner> {
  public static final int MOST_KEY_BYTES = 64;

  private static final Comparator<SessionLockOwner> ORDER =
      Comparator.comparing(SessionLockOwner::session)
          .thenComparing(SessionLockOwner::key, ByteString.unsignedLexicographicalComparator());

  public SessionLockOwner {
    if (key.isEmpty() || key.size() > MOST_KEY_BYTES) {
      throw new IllegalArgumentException(
          "the owner of a lock has 1 to "
              + MOST_KEY_BYTES
              + " bytes, got "
              + key.size()
              + "; hash longer ones");
    }
  }

  @Override
  public int compareTo(SessionLockOwner other) {
    return ORDER.compare(this, other);
  }
}
