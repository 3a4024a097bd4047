package org.weft.sysmgr.configuration.cluster;

import org.weft.protocol.seam.ReplicatedLog.Member;

/**
 * A change of SysMgr's members: one is added or taken away.
 *
 * @param nonce drawn by the client
 * @param sinceMillis wall time of its beginning, or of its end
 * @param failure of an ended one: why it was given up; empty: it was done
 */
public record MemberChange(
    long nonce, boolean removal, Member member, long sinceMillis, String failure) {
  /**
   * The change as it ended.
   *
   * @param why it was given up; empty: it was done
   * @param nowMillis wall time
   */
  public MemberChange over(String why, long nowMillis) {
    return new MemberChange(nonce, removal, member, nowMillis, why);
  }
}
