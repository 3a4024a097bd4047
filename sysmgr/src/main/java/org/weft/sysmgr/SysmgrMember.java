package org.weft.sysmgr;

import org.weft.protocol.rpc.Endpoint;

/**
 * One member of SysMgr as all members know it.
 *
 * @param memberId 1 or more; never given to another machine
 * @param rpc where daemons, clients and tools reach it
 * @param ratis where the other members reach it
 */
public record SysmgrMember(int memberId, Endpoint rpc, Endpoint ratis) {
  public SysmgrMember {
    if (memberId < 1) {
      throw new IllegalArgumentException("a SysMgr member's id is 1 or more, got " + memberId);
    }
  }
}
