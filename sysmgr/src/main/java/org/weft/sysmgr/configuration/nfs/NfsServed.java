package org.weft.sysmgr.configuration.nfs;

/**
 * An address that clients of NFS call, as a gateway has taken it last.
 *
 * @param claim drawn by that gateway
 * @param state as status monitors tell it: odd, larger with each claim
 * @param number of the last change of its clients; older ones are void
 * @param sinceMillis wall time of the claim
 */
public record NfsServed(long claim, int state, long number, long sinceMillis) {
  /** With that number of the last change of its clients. */
  public NfsServed at(long newNumber) {
    return new NfsServed(claim, state, newNumber, sinceMillis);
  }
}
