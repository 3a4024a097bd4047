package org.weft.nfs.locks;

import java.util.ArrayList;
import java.util.List;
import org.weft.client.ids.NodeId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.LockSpace;

/** Locks as people see them. */
public final class LockRows {
  private static final int MAX = 1_000;

  /**
   * A lock.
   *
   * @param process the client's number for it
   * @param waiting it is not held
   * @param opened of a share reservation: 1 for reading, 2 for writing, 3 for both; else 0
   * @param denied of a share reservation, what others may not do: as {@code opened}; else 0
   * @param sinceMillis wall time since when its owner waits, or holds something of the file
   */
  public record Row(
      String client,
      String server,
      String name,
      int process,
      NodeId file,
      ByteRange range,
      boolean exclusive,
      boolean waiting,
      int opened,
      int denied,
      long sinceMillis) {}

  /**
   * A page of locks.
   *
   * @param rows at most 1,000
   * @param total how many there are
   */
  public record Some(List<Row> rows, int total) {}

  private final List<Row> rows = new ArrayList<>();
  private int total;

  private LockRows() {}

  static Some of(OwnedFiles files) {
    LockRows all = new LockRows();
    files.all().forEach(all::add);
    return new Some(List.copyOf(all.rows), all.total);
  }

  private void add(OwnedFile file) {
    if (file.key.owner().space() == LockSpace.OPENINGS) {
      ReservedRanges reserved = ReservedRanges.of(file);
      if (file.holds()) {
        add(file, ByteRange.ALL, false, false, reserved, file.sinceMillis);
      }
      return;
    }
    for (boolean exclusive : new boolean[] {false, true}) {
      for (ByteRange range : file.held(exclusive)) {
        add(file, range, exclusive, false, ReservedRanges.NONE, file.sinceMillis);
      }
    }
    for (WaitingLock each : file.waiting) {
      if (!each.granted) {
        add(
            file,
            each.request.range(),
            each.request.exclusive(),
            true,
            ReservedRanges.NONE,
            each.sinceMillis);
      }
    }
  }

  private void add(
      OwnedFile file,
      ByteRange range,
      boolean exclusive,
      boolean waiting,
      ReservedRanges reserved,
      long sinceMillis) {
    total++;
    if (rows.size() < MAX) {
      NlmOwner owner = file.key.owner();
      rows.add(
          new Row(
              owner.client().getHostAddress(),
              owner.server().getHostAddress(),
              owner.name(),
              owner.process(),
              file.key.file(),
              range,
              exclusive,
              waiting,
              reserved.access(),
              reserved.mode(),
              sinceMillis));
    }
  }
}
