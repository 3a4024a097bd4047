package org.weft.osd.membership;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.weft.osd.store.StoreIdentity;
import org.weft.osd.store.StoreStatus;

/** What an operator should know about an OSD; each sentence says what to do. */
public final class OsdProblems {
  private static final long MEBIBYTE = 1L << 20;
  private static final long LEAST_DISK_FREE_BYTES = 256 * MEBIBYTE;
  private static final int NEARLY_FULL_PER_CENT = 5;

  private OsdProblems() {}

  /**
   * @param diskFreeBytes what the file system under the store has left; empty if it cannot be asked
   */
  public static List<String> of(
      StoreIdentity identity, StoreStatus status, OptionalLong diskFreeBytes) {
    List<String> problems = new ArrayList<>(status.problems());
    if (identity.uncleanReboot()) {
      problems.add(
          "the machine restarted without a clean stop of this OSD: writes of the last seconds before"
              + " may be missing here until they are written again or rebuilt");
    }
    long forClientsBytes = Math.max(0, status.freeBytes() - status.reserveBytes());
    if (forClientsBytes < status.capacityBytes() / 100 * NEARLY_FULL_PER_CENT) {
      problems.add(
          "nearly full: %d of %d MiB are used and %d MiB are kept in reserve; add OSDs or remove files"
              .formatted(
                  status.usedBytes() / MEBIBYTE,
                  status.capacityBytes() / MEBIBYTE,
                  status.reserveBytes() / MEBIBYTE));
    }
    if (diskFreeBytes.isPresent()
        && diskFreeBytes.getAsLong() < Math.min(LEAST_DISK_FREE_BYTES, status.freeBytes())) {
      problems.add(
          "the disk under this OSD has %d MiB left, but the OSD still offers %d MiB: free some space"
              .formatted(diskFreeBytes.getAsLong() / MEBIBYTE, status.freeBytes() / MEBIBYTE));
    }
    return problems;
  }
}
