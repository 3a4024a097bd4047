package org.weft.sysmgr.configuration;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ManagerId;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumePaths;
import org.weft.sysmgr.configuration.volume.VolumeStage;

/**
 * Whether a volume that is not served can be checked by a manager's data directory (P 6.8d). It
 * must be that of the manager or of the backup that the volume's row names, and no old copy of it
 * (P 5.10). Pure.
 *
 * @param path of the volume, or of something in it
 * @param identity of the manager, as its directory says
 * @param managerId the id that it was issued
 * @param incarnation the number of the directory's last start
 * @param proof which starts and changes the directory knows; its own start does not count
 * @param heard what the leader has heard of the manager since it was let in
 * @param epoch of the volume when the look began; 0: it begins
 */
public record VolumeLook(
    String path,
    String identity,
    int managerId,
    long incarnation,
    StartProof proof,
    NodeHistory heard,
    long epoch) {
  /**
   * The volume that may be looked at.
   *
   * @throws WeftException NOT_FOUND: there is no such volume, or manager. INVALID_ARGUMENT: the
   *     volume is being made, deleted or recovered. FENCED: another directory has the newer
   *     journal, or another epoch has begun
   */
  public Volume allowed(Configuration state) throws WeftException {
    Volume volume =
        VolumePaths.at(state.volumes(), path)
            .or(() -> VolumePaths.above(state.volumes(), path))
            .orElseThrow(
                () ->
                    new WeftException(
                        ErrorCode.NOT_FOUND,
                        "no volume holds %s; `weft volume list` shows them".formatted(path)));
    requireAtRest(volume);
    if (epoch != 0 && volume.epoch() != epoch) {
      throw new WeftException(
          ErrorCode.FENCED,
          "volume %s has gone from epoch %d to %d: a manager has taken it up (%s)"
              .formatted(volume.path(), epoch, volume.epoch(), holders(state, volume)));
    }
    ManagerNode manager = manager(state);
    requireNamed(state, volume, manager.id());
    requireNewest(state, manager);
    return volume;
  }

  private static void requireAtRest(Volume volume) throws WeftException {
    if (volume.stage() != VolumeStage.ACTIVE || !volume.formatted()) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "the volume %s is being made or deleted, and cannot be checked".formatted(volume.path()));
    }
    if (volume.recovery().isPresent()) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "the volume %s is to be recovered from its OSDs, and no journal of before counts any more; check it when that is done"
              .formatted(volume.path()));
    }
  }

  private ManagerNode manager(Configuration state) throws WeftException {
    ManagerNode manager = state.managers().get(new ManagerId(managerId));
    if (manager == null || !manager.node().identity().equals(identity)) {
      throw new WeftException(
          ErrorCode.NOT_FOUND,
          "this cluster knows no manager-%d with identity %s; name the data directory of one of its managers"
              .formatted(managerId, identity));
    }
    return manager;
  }

  private static void requireNamed(Configuration state, Volume volume, ManagerId manager)
      throws WeftException {
    if (holderIds(volume).noneMatch(manager::equals)) {
      throw new WeftException(
          ErrorCode.FENCED,
          "what manager-%s has of volume %s is an old copy, if it has any: the newer journal is that of %s; check there"
              .formatted(manager, volume.path(), holders(state, volume)));
    }
  }

  private void requireNewest(Configuration state, ManagerNode manager) throws WeftException {
    NodeHistory known =
        state.histories().getOrDefault(NodeKey.of(manager.id()), NodeHistory.NONE).with(heard);
    boolean isOld =
        Long.compareUnsigned(incarnation, manager.node().incarnation()) < 0
            || known.isKnown() && !proof.knownStarts().contains(known.startId())
            || proof.change() < known.change();
    if (isOld) {
      throw new WeftException(
          ErrorCode.FENCED,
          "the data directory is an old copy of that of manager-%s: what was acknowledged since is missing in it; name the newest one"
              .formatted(manager.id()));
    }
  }

  private static Stream<ManagerId> holderIds(Volume volume) {
    return Stream.concat(volume.owner().stream(), volume.backup().manager().stream());
  }

  private static String holders(Configuration state, Volume volume) {
    List<String> holders =
        holderIds(volume)
            .map(
                id ->
                    "manager-%s on %s"
                        .formatted(
                            id,
                            Optional.ofNullable(state.managers().get(id))
                                .map(each -> each.node().host())
                                .orElse("an unknown host")))
            .toList();
    return holders.isEmpty()
        ? "no manager"
        : holders.stream().collect(Collectors.joining(" and its backup "));
  }
}
