package org.weft.osd.membership;

import java.util.List;
import org.weft.protocol.rpc.Endpoint;

/**
 * How an OSD joins.
 *
 * @param sysmgrs addresses of members of SysMgr, asked in turn
 * @param joinSecret signs what is asked of SysMgr
 * @param addresses where the OSD can be reached
 * @param host the OSD's fault domain
 * @param capacityBytes what it offers
 * @param joinTimeoutMillis how long the first join may take
 * @param rack the fault domain above the host; empty: none is known
 * @param bladeSet that it joins at its first join; empty: the default one
 */
public record MembershipOptions(
    List<Endpoint> sysmgrs,
    byte[] joinSecret,
    List<Endpoint> addresses,
    String host,
    long capacityBytes,
    long joinTimeoutMillis,
    String rack,
    String bladeSet) {
  public MembershipOptions {
    sysmgrs = List.copyOf(sysmgrs);
    addresses = List.copyOf(addresses);
  }
}
