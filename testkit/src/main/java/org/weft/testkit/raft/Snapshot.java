package org.weft.testkit.raft;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.seam.ReplicatedLog.Member;

/**
 * A machine's state after an entry.
 *
 * @param index of that entry; 0: before the first
 * @param members members that vote after it
 */
record Snapshot(long index, long term, List<Member> members, byte[] state) {
  static Snapshot empty(List<Member> first) {
    return new Snapshot(0, 0, first, new byte[0]);
  }

  /** What the machine is now. */
  static Snapshot of(ReplicatedLog.Machine machine, long index, long term, List<Member> members) {
    ByteArrayOutputStream state = new ByteArrayOutputStream();
    try {
      machine.save(state);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Snapshot(index, term, members, state.toByteArray());
  }

  void load(ReplicatedLog.Machine machine) {
    try {
      machine.load(new ByteArrayInputStream(state));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isEmpty() {
    return index == 0;
  }
}
