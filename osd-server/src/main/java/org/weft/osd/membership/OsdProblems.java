package org.weft.osd.membership;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.weft.osd.store.StoreStatus;

/**
 * Lists the problems that only the OSD itself can see; each sentence says what to do. How full it
 * is, SysMgr reads from the figures beside; that it lost its last seconds to a power cut, from the
 * join.
 */
public final class OsdProblems {
  private static final long MEBIBYTE = 1L << 20;
  private static final long MIN_DISK_FREE_BYTES = 256 * MEBIBYTE;

  private OsdProblems() {}

  /**
   * @param diskFreeBytes what the file system under the store has left; empty if it cannot be asked
   */
  public static List<String> of(StoreStatus status, OptionalLong diskFreeBytes) {
    List<String> problems = new ArrayList<>(status.problems());
    if (status.missingBytes() > 0) {
      problems.add(
          ("the disk under this OSD is full: %d MiB of its capacity are not there; free some space on"
                  + " it, or lower osd.capacity")
              .formatted(status.missingBytes() / MEBIBYTE));
    } else if (diskFreeBytes.isPresent()
        && diskFreeBytes.getAsLong() < Math.min(MIN_DISK_FREE_BYTES, status.freeBytes())) {
      problems.add(
          "the disk under this OSD has %d MiB left, but the OSD still offers %d MiB: free some space"
              .formatted(diskFreeBytes.getAsLong() / MEBIBYTE, status.freeBytes() / MEBIBYTE));
    }
    return problems;
  }
}
