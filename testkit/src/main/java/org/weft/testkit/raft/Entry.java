package org.weft.testkit.raft;

import java.util.List;
import java.util.Optional;
import org.weft.protocol.seam.ReplicatedLog.Member;

/**
 * One place of the log.
 *
 * @param term in which a leader put it there
 * @param command for the machine; empty: nothing to apply
 * @param members members that vote from here on; empty: as before
 */
record Entry(long term, Optional<byte[]> command, Optional<List<Member>> members) {
  static Entry of(long term, byte[] command) {
    return new Entry(term, Optional.of(command), Optional.empty());
  }

  /** What a new leader begins with (section 6.4). */
  static Entry nothing(long term) {
    return new Entry(term, Optional.empty(), Optional.empty());
  }

  static Entry of(long term, List<Member> members) {
    return new Entry(term, Optional.empty(), Optional.of(members));
  }
}
