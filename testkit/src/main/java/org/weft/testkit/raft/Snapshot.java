package org.weft.testkit.raft;

import java.util.List;
import org.weft.protocol.seam.ReplicatedLog.Member;

/**
 * A machine's state after an entry.
 *
 * @param index of that entry; 0: before the first
 * @param members who votes after it
 */
record Snapshot(long index, long term, List<Member> members, byte[] state) {
  static Snapshot empty(List<Member> first) {
    return new Snapshot(0, 0, first, new byte[0]);
  }

  boolean isEmpty() {
    return index == 0;
  }
}
