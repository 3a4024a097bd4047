package org.weft.nfs.weft;

/**
 * The write verifier (RFC 1813 3.3.7). It is random at each start, and changes after each loss of
 * answered bytes. Clients then send again what they keep. Thread-safe.
 */
final class Verifier {
  private final long atStart;

  /**
   * @param atStart drawn at random by each start
   */
  Verifier(long atStart) {
    this.atStart = atStart;
  }

  /**
   * @param losses how often bytes may have been lost since the start: read before a write begins,
   *     and after a commit is done
   */
  long after(long losses) {
    return atStart + losses;
  }
}
