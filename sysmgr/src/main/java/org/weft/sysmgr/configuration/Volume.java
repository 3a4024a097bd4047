package org.weft.sysmgr.configuration;

import java.util.Optional;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.PartitionId;

/**
 * A volume and who owns it.
 *
 * @param id also the id of its partition
 * @param path "/" for the root volume
 * @param owner empty until a manager has joined
 * @param epoch last one given out; 0: none yet
 * @param maxParity most parity units of any file in it, fixed at birth
 * @param formatted its root directory is in the owner's journal
 * @param defaultDataUnits 0: chosen from the number of OSDs
 */
public record Volume(
    PartitionId id,
    String path,
    Optional<ManagerId> owner,
    long epoch,
    int maxParity,
    String bladeSet,
    boolean formatted,
    int defaultDataUnits,
    int defaultParityUnits) {
  /** The volume at "/". */
  public static final PartitionId ROOT = new PartitionId(1);

  private static final int DEFAULT_MAX_PARITY = 2;
  private static final int DEFAULT_PARITY = 1;
  private static final int LEAST_META_COPIES = 2;

  static Volume root(String bladeSet) {
    return new Volume(
        ROOT, "/", Optional.empty(), 0, DEFAULT_MAX_PARITY, bladeSet, false, 0, DEFAULT_PARITY);
  }

  /** Copies of directories and attributes, as far as there are OSDs (P 4.4). */
  public int metaCopies() {
    return Math.max(LEAST_META_COPIES, maxParity + 1);
  }

  Volume ownedBy(ManagerId manager) {
    return new Volume(
        id,
        path,
        Optional.of(manager),
        epoch,
        maxParity,
        bladeSet,
        formatted,
        defaultDataUnits,
        defaultParityUnits);
  }

  Volume withEpoch(long next) {
    return new Volume(
        id,
        path,
        owner,
        next,
        maxParity,
        bladeSet,
        formatted,
        defaultDataUnits,
        defaultParityUnits);
  }

  Volume withFormatted() {
    return new Volume(
        id, path, owner, epoch, maxParity, bladeSet, true, defaultDataUnits, defaultParityUnits);
  }
}
