package org.weft.metadata.serving.sysmgr;

import org.weft.metadata.grant.WorkingKeys;
import org.weft.metadata.volume.execution.MountPoints;
import org.weft.metadata.volume.state.VolumeSettings;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.AcquiredVolume;
import org.weft.protocol.wire.VolumeFormattedRequest;

/**
 * A volume that SysMgr gave to this manager.
 *
 * @param epoch of this start of the manager (P 6.2)
 * @param formatted its root directory was journalled in an earlier epoch
 * @param takesNames false: it was asked to go
 * @param minOsds it is formatted only once so many OSDs are up
 * @param backup the manager that its row names as backup; 0: none
 * @param recoveredSince epoch of the order to make its journal anew from OSDs; 0: there is no such
 *     order
 */
public record VolumeAssignment(
    VolumeSettings settings,
    long epoch,
    boolean formatted,
    boolean takesNames,
    WorkingKeys keys,
    int minOsds,
    int backup,
    long recoveredSince) {
  /** An assignment with its journal. */
  public VolumeAssignment(
      VolumeSettings settings,
      long epoch,
      boolean formatted,
      boolean takesNames,
      WorkingKeys keys,
      int minOsds,
      int backup) {
    this(settings, epoch, formatted, takesNames, keys, minOsds, backup, 0);
  }

  /** Its journal is to be made anew from what OSDs hold (P 6.8e). */
  public boolean recovers() {
    return recoveredSince != 0;
  }

  /** The report to SysMgr once its root directory is journalled. */
  public VolumeFormattedRequest formattedNow() {
    return VolumeFormattedRequest.newBuilder()
        .setVolumeId(settings.volume().value())
        .setEpoch(epoch)
        .build();
  }

  public static VolumeAssignment of(AcquiredVolume acquired, int minOsds) throws WeftException {
    return new VolumeAssignment(
        VolumeSettings.of(acquired.getVolume()),
        acquired.getVolume().getEpoch(),
        acquired.getVolume().getFormatted(),
        MountPoints.takesNames(acquired.getVolume()),
        WorkingKeys.newestOf(acquired.getKeys()),
        minOsds,
        acquired.getVolume().getBackupId(),
        acquired.getVolume().getRecovery().getFirstEpoch());
  }
}
