package org.weft.metadata.salvage;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.weft.metadata.check.Steps;
import org.weft.metadata.directory.NamedEntry;
import org.weft.metadata.volume.operation.name.LinkVolume;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;

/**
 * Names of other volumes in the one that is recovered (P 6.8e): SysMgr knows which there are, and
 * where. On the volume's thread.
 */
final class VolumeNames {
  private final SalvagedVolume salvaged;
  private final Steps steps;
  private final SalvageTally tally;
  private final NestedVolumes nested;
  private final Set<PartitionId> met = new HashSet<>();

  VolumeNames(SalvagedVolume salvaged, Steps steps, SalvageTally tally, NestedVolumes nested) {
    this.salvaged = salvaged;
    this.steps = steps;
    this.tally = tally;
    this.nested = nested;
  }

  /** A name that leads to a volume. */
  boolean isKept(ObjectId directory, NamedEntry entry) {
    PartitionId volume = new PartitionId(entry.entry().object().value());
    met.add(volume);
    if (!nested.known().contains(volume)) {
      tally.note(
          "name \"%s\" in directory %s led to volume %s, which was deleted; it is gone"
              .formatted(entry.name(), directory, volume));
      return false;
    }
    return true;
  }

  /** Volumes that no name led to get theirs; to be called when all names were met. */
  CompletionStage<Void> nameOthers() {
    SortedMap<PartitionId, NodePath> missing = new TreeMap<>(nested.named());
    missing.keySet().removeAll(met);
    return steps.each(List.copyOf(missing.keySet()), volume -> name(volume, missing.get(volume)));
  }

  private CompletionStage<Void> name(PartitionId volume, NodePath path) {
    return salvaged
        .journal(new LinkVolume(path, volume))
        .handleAsync(
            (nothing, failure) -> {
              if (failure == null) {
                tally.note("no name led to volume %s: it has %s again".formatted(volume, path));
                return null;
              }
              WeftException cause = WeftException.of(failure);
              if (!cause.code().isOfNames()) {
                throw new CompletionException(cause);
              }
              tally.note(
                  "no name leads to volume %s, which is to be at %s: %s; the volume itself is as it was"
                      .formatted(volume, path, cause.getMessage()));
              return null;
            },
            steps.home());
  }
}
