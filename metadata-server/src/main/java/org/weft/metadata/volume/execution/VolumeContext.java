package org.weft.metadata.volume.execution;

import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.weft.metadata.check.CheckDesk;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.repair.BadFile;
import org.weft.metadata.repair.LostFiles;
import org.weft.metadata.volume.state.VolumeSettings;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * What a volume's machine is given from outside. It has the settings of the volume, its keys to
 * sign, and the source of random numbers. It also has what is known of the cluster, which changes.
 * Confined to the volume's thread.
 */
public final class VolumeContext {
  private final VolumeSettings settings;
  private final CapabilityMint mint;
  private final RandomGenerator random;
  private ClusterKnown cluster = ClusterKnown.NOTHING;
  private Supplier<LostFiles> lostFiles = () -> LostFiles.NONE;
  private Supplier<SortedMap<ObjectId, BadFile>> damagedFiles = Collections::emptySortedMap;
  private Supplier<CheckDesk> checks = () -> CheckDesk.CLOSED;
  private MountPoints surroundings = MountPoints.ALONE;

  public VolumeContext(VolumeSettings settings, CapabilityMint mint, RandomGenerator random) {
    this.settings = Objects.requireNonNull(settings, "settings");
    this.mint = Objects.requireNonNull(mint, "mint");
    this.random = Objects.requireNonNull(random, "random");
  }

  public VolumeSettings settings() {
    return settings;
  }

  CapabilityMint mint() {
    return mint;
  }

  RandomGenerator random() {
    return random;
  }

  /** The newest table of the cluster that this manager knows. */
  public ClusterKnown cluster() {
    return cluster;
  }

  /** The OSDs of the volume's BladeSet that are up. */
  public List<OsdId> osdsUp() {
    return cluster.pool().up();
  }

  /** This volume's standing, and where other volumes stand in it. */
  public MountPoints surroundings() {
    return surroundings;
  }

  /** The table says something new of this volume and of those in it. */
  public void surroundingsChanged(MountPoints known) {
    surroundings = Objects.requireNonNull(known, "known");
  }

  /** Sets the source of files that have lost more than their code bears. */
  public void lostFiles(Supplier<LostFiles> told) {
    lostFiles = Objects.requireNonNull(told, "told");
  }

  /** Files that have lost more than their code bears. */
  LostFiles lostFiles() {
    return lostFiles.get();
  }

  /** Sets the source of files with bad blocks that cannot be written anew. */
  public void damagedFiles(Supplier<SortedMap<ObjectId, BadFile>> told) {
    damagedFiles = Objects.requireNonNull(told, "told");
  }

  /** Files with bad blocks that cannot be written anew. */
  SortedMap<ObjectId, BadFile> damagedFiles() {
    return damagedFiles.get();
  }

  /** Checks of the volume are asked for here from now on. */
  public void checks(Supplier<CheckDesk> desk) {
    checks = Objects.requireNonNull(desk, "desk");
  }

  /** Where checks of the volume are asked for. */
  CheckDesk checks() {
    return checks.get();
  }

  /** There is a newer table. */
  public void clusterChanged(ClusterKnown known) {
    cluster = Objects.requireNonNull(known, "known");
  }
}
