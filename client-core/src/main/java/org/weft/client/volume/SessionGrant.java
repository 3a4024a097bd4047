package org.weft.client.volume;

/**
 * A write grant as its session holds it.
 *
 * @param path for messages
 * @param number of the grant
 */
public record SessionGrant(String path, long sessionId, long objectId, long number) {
  /** The same file under the grant that took this one's place. */
  public SessionGrant renumbered(long newNumber) {
    return new SessionGrant(path, sessionId, objectId, newNumber);
  }
}
