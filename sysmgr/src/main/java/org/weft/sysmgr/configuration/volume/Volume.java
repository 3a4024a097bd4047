package org.weft.sysmgr.configuration.volume;

import java.util.Optional;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.PartitionId;

/**
 * A volume and its owner.
 *
 * @param id also the id of its partition
 * @param path "/" for the root volume
 * @param owner empty until a manager has joined
 * @param epoch last one given out; 0: none yet
 * @param maxParity most parity units of any file in it, fixed at birth
 * @param formatted its root directory is in the owner's journal
 * @param defaultDataUnits 0: chosen from the number of OSDs
 * @param life where it stands between being asked for and being gone
 * @param backup the manager that has a whole copy of its journal
 * @param recovery its journal is lost, and is to be made anew from what OSDs hold
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
    int defaultParityUnits,
    VolumeLife life,
    Backup backup,
    Optional<OrderedRecovery> recovery) {
  /** The volume at "/". */
  public static final PartitionId ROOT = new PartitionId(1);

  /** Most parity units that a volume can allow. */
  public static final int MAX_PARITY = 3;

  /** Most parity units of a volume of which nothing else is said. */
  public static final int DEFAULT_MAX_PARITY = 2;

  /** Parity units of new files where nothing else is said. */
  public static final int DEFAULT_PARITY = 1;

  private static final int MIN_META_COPIES = 2;

  /** The root volume, before a manager owns it. */
  public static Volume root(String bladeSet) {
    return new Volume(
        ROOT,
        "/",
        Optional.empty(),
        0,
        DEFAULT_MAX_PARITY,
        bladeSet,
        false,
        0,
        DEFAULT_PARITY,
        VolumeLife.ROOT,
        Backup.NONE,
        Optional.empty());
  }

  /** Copies of directories and attributes, as far as there are OSDs (P 4.4). */
  public int metaCopies() {
    return Math.max(MIN_META_COPIES, maxParity + 1);
  }

  /** Where the volume stands. */
  public VolumeStage stage() {
    return life.stage();
  }

  /** True if the manager owns it, and this is the epoch that was given out last. */
  public boolean isServedBy(ManagerId manager, long itsEpoch) {
    return owner.equals(Optional.of(manager)) && epoch == itsEpoch;
  }

  /** With that manager as its owner. */
  public Volume ownedBy(ManagerId manager) {
    return with(Optional.of(manager), epoch, formatted, life, backup);
  }

  /** A new epoch counts the changes of its backup anew. */
  public Volume withEpoch(long next) {
    return with(owner, next, formatted, life, backup.inNewEpoch());
  }

  /** Its manager has formatted it. */
  public Volume withFormatted() {
    return with(owner, epoch, true, life, backup);
  }

  /** At another place of its life. */
  public Volume with(VolumeLife next) {
    return with(owner, epoch, formatted, next, backup);
  }

  /** With another backup. */
  public Volume with(Backup next) {
    return with(owner, epoch, formatted, life, next);
  }

  /** The backup is the primary of the next epoch. What both have is the same: it keeps a backup. */
  public Volume handedOver() {
    return with(backup.manager(), epoch + 1, formatted, life, new Backup(owner, 0));
  }

  /** The manager is to make its journal anew, in the next epoch. */
  public Volume recoveredBy(ManagerId manager, OrderedRecovery ordered) {
    return with(Optional.of(manager), epoch + 1, formatted, life, Backup.NONE)
        .with(Optional.of(ordered));
  }

  /** Its journal is whole again. */
  public Volume recovered() {
    return with(Optional.empty());
  }

  private Volume with(Optional<OrderedRecovery> next) {
    return new Volume(
        id,
        path,
        owner,
        epoch,
        maxParity,
        bladeSet,
        formatted,
        defaultDataUnits,
        defaultParityUnits,
        life,
        backup,
        next);
  }

  /** In another BladeSet. */
  public Volume in(String other) {
    return new Volume(
        id,
        path,
        owner,
        epoch,
        maxParity,
        other,
        formatted,
        defaultDataUnits,
        defaultParityUnits,
        life,
        backup,
        recovery);
  }

  private Volume with(
      Optional<ManagerId> nowOwner,
      long nowEpoch,
      boolean nowFormatted,
      VolumeLife nowLife,
      Backup nowBackup) {
    return new Volume(
        id,
        path,
        nowOwner,
        nowEpoch,
        maxParity,
        bladeSet,
        nowFormatted,
        defaultDataUnits,
        defaultParityUnits,
        nowLife,
        nowBackup,
        recovery);
  }
}
