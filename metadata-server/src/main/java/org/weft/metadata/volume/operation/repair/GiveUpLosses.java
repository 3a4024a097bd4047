package org.weft.metadata.volume.operation.repair;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.PowerLosses;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: OSDs whose machines went down may have lost what they took last of a file. So
 * their components are missing from now on (P 5.9). Where the code does not bear that, nothing is
 * given up. The components are taken as they are, and the file is resolved. The same where the
 * file's attributes are lost for good, and an operator is told. All OSDs that lost writes are
 * decided of at once.
 *
 * <p>Answers with the file's attributes if it is taken as it is, else empty.
 *
 * @param map of a grant under which the file was written
 * @param counted OSDs that lost power and of which it is known which others did so with them
 */
public record GiveUpLosses(ObjectId object, StorageMap map, SortedSet<OsdId> counted)
    implements Operation {
  public GiveUpLosses {
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(map, "map");
    counted = Collections.unmodifiableSortedSet(new TreeSet<>(counted));
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    if (!on.unsettled().isUnsettled(object) && on.grants().find(object).isEmpty()) {
      // Removed since it was listed; the OSD is readmitted on the strength of that.
      on.view().sawAll();
      return Empty.getDefaultInstance();
    }
    PowerLosses losses = new PowerLosses(on, object);
    Optional<Attributes> found = on.view().find(object, holders(on, map));
    if (found.isEmpty()) {
      StorageMap known = newestMap(on);
      requireLostForGood(on);
      requireCounted(losses, known);
      losses.decideWithoutAttributes(known);
      return Empty.getDefaultInstance();
    }
    Attributes file = found.get();
    requireCounted(losses, file.map());
    Optional<SortedSet<OsdId>> asTheyAre = losses.decide(file);
    return asTheyAre.isEmpty() ? Empty.getDefaultInstance() : Replies.attributes(file);
  }

  private void requireCounted(PowerLosses losses, StorageMap now) throws WeftException {
    for (int component : losses.undecidedIn(now)) {
      OsdId osd = now.osdOf(component);
      if (!counted.contains(osd)) {
        throw new WeftException(
            ErrorCode.UNAVAILABLE,
            "OSD " + osd + " lost power too; it is found out first which others did with it");
      }
    }
  }

  /**
   * The file exists, since no operation has removed it. Where an OSD that should have its
   * attributes does not answer, they are out of reach, and what it may have lost is decided later.
   * Where all of those OSDs have said that they have none, or are removed from the cluster, that
   * would be never. OSDs that lost power would wait for it with everything else that they hold.
   */
  private void requireLostForGood(Execution on) throws WeftException {
    SortedSet<OsdId> awaited = new TreeSet<>();
    for (StorageMap each : maps(on)) {
      awaited.addAll(holders(on, each));
    }
    awaited.retainAll(on.view().mayHaveAttributes(object));
    if (!awaited.isEmpty() || on.cluster().tableVersion() == 0) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "no OSD that has the attributes of object "
              + object
              + " replies now; what it may have lost with OSDs that went down is decided when one of"
              + " OSDs "
              + awaited
              + " does: bring them back, or remove those that are lost from the cluster");
    }
  }

  private static List<OsdId> holders(Execution on, StorageMap map) {
    return map.attributeHolders(on.settings().metaCopies());
  }

  /** Under which the file was written, as far as the journal knows. */
  private List<StorageMap> maps(Execution on) {
    List<StorageMap> maps = new ArrayList<>();
    maps.add(map);
    on.grants().of(object).forEach(grant -> maps.add(grant.map()));
    on.unsettled().of(object).forEach(grant -> maps.add(grant.map()));
    return maps;
  }

  private StorageMap newestMap(Execution on) {
    return Collections.max(maps(on), Comparator.comparingInt(StorageMap::generation));
  }
}
