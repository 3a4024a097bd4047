package org.weft.sysmgr.configuration.node;

import java.util.ArrayList;
import java.util.List;
import org.weft.protocol.id.ManagerId;

/**
 * A metadata manager.
 *
 * @param nonces of its last starts, the newest last
 */
public record ManagerNode(ManagerId id, Node node, List<Long> nonces) {
  /** Most starts that are remembered. */
  static final int MAX_NONCES = 16;

  public ManagerNode {
    nonces = List.copyOf(nonces);
  }

  /** The same manager, after a change of what it has in common with an OSD. */
  public ManagerNode with(Node changed) {
    return new ManagerNode(id, changed, nonces);
  }

  /** It started once more, with that nonce; the oldest one may be forgotten. */
  public ManagerNode started(long nonce) {
    List<Long> next = new ArrayList<>(nonces);
    next.add(nonce);
    return new ManagerNode(
        id, node, next.subList(Math.max(0, next.size() - MAX_NONCES), next.size()));
  }
}
