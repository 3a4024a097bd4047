package org.weft.sysmgr.service;

import java.util.List;
import java.util.function.Supplier;
import org.weft.protocol.rpc.Endpoint;

/**
 * The addresses of SysMgr's members and of this member's REST interface, as its status tells them.
 *
 * @param members RPC addresses of all members
 * @param restUrl asked each time: known only after the REST interface listens; empty if there is
 *     none
 * @param logGroup names the replicated log to processes that join it
 */
public record ServicePlace(
    Supplier<List<Endpoint>> members, Supplier<String> restUrl, String logGroup) {
  /** Of members that no process joins. */
  public ServicePlace(Supplier<List<Endpoint>> members, Supplier<String> restUrl) {
    this(members, restUrl, "");
  }
}
