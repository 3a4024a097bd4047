package org.weft.sysmgr.liveness;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * Decides about primaries that do not reach their backups, while SysMgr hears both (P 6.2). Such a
 * primary asks that the row names no backup, and would then acknowledge alone. But the one that is
 * cut off may be the primary itself. It commits nothing before it is answered, so the row's other
 * member has all, and may have the volume instead. The answer waits until both have looked which
 * OSDs they reach.
 *
 * <p>What is known here is soft; a new leader waits anew. Pure and single-threaded.
 */
final class Partings {
  /** Two attempts at each OSD take 4.2 s, and a look begins 5 s after the one before. */
  static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(12);

  /** A primary that is asked to hand over does so with its next heartbeat. */
  static final long OBEY_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A primary gives its backup up so long after it has reached it last, at the earliest. */
  static final long NOTICED_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  /** What is to become of a volume whose primary does not reach its backup. */
  enum Verdict {
    /** It is not known yet. */
    WAIT,
    /** The row is to name no backup, as the primary wishes. */
    LEAVE,
    /** The backup is to have it. */
    HAND_OVER
  }

  private record Parting(long epoch, ManagerId primary, ManagerId backup, long sinceNanos) {
    boolean isOf(Volume volume) {
      return volume.isServedBy(primary, epoch)
          && volume.backup().manager().equals(Optional.of(backup));
    }
  }

  private final SortedMap<PartitionId, Parting> partings = new TreeMap<>();

  void forget() {
    partings.clear();
  }

  /** Forgets those whose rows are others by now. */
  void look(Configuration configuration) {
    partings
        .entrySet()
        .removeIf(
            each -> {
              Volume volume = configuration.volumes().get(each.getKey());
              return volume == null || !each.getValue().isOf(volume);
            });
  }

  /** The primary of that row says that it does not reach its backup. */
  void begin(Volume volume, long nowNanos) {
    ManagerId primary = volume.owner().orElseThrow();
    ManagerId backup = volume.backup().manager().orElseThrow();
    Parting known = partings.get(volume.id());
    if (known == null || !known.isOf(volume)) {
      partings.put(volume.id(), new Parting(volume.epoch(), primary, backup, nowNanos));
    }
  }

  /** The volume's primary has said so of this row. */
  boolean isParting(Volume volume) {
    Parting known = partings.get(volume.id());
    return known != null && known.isOf(volume);
  }

  /**
   * What is to become of the volume, as looks say that began after the backup was lost.
   *
   * @param isFit whether the backup may have the volume, by what the primary and the backup reach
   */
  Verdict verdict(Volume volume, OsdLooks looks, BiPredicate<OsdLook, OsdLook> isFit) {
    Parting parting = partings.get(volume.id());
    if (parting == null || !parting.isOf(volume) || !looks.hears(parting.backup())) {
      return Verdict.LEAVE;
    }
    long sinceNanos = parting.sinceNanos() - NOTICED_NANOS;
    Optional<OsdLook> here = looks.since(parting.primary(), sinceNanos);
    Optional<OsdLook> there = looks.since(parting.backup(), sinceNanos);
    boolean reaches =
        here.isPresent() && looks.heard(volume.bladeSet()).stream().noneMatch(here.get()::lacks);
    if (!reaches && here.isPresent() && there.isPresent()) {
      boolean obeys = looks.nowNanos() - parting.sinceNanos() < MAX_NANOS + OBEY_NANOS;
      return obeys && isFit.test(here.get(), there.get()) ? Verdict.HAND_OVER : Verdict.LEAVE;
    }
    boolean late = looks.nowNanos() - parting.sinceNanos() >= MAX_NANOS;
    return reaches || late ? Verdict.LEAVE : Verdict.WAIT;
  }
}
