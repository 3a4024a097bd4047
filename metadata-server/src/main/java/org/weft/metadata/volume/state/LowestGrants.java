package org.weft.metadata.volume.state;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.weft.metadata.grant.GrantTable;
import org.weft.metadata.readmission.UnsettledGrant;
import org.weft.metadata.readmission.UnsettledGrants;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;

/**
 * The first grant of a file that is open or not resolved, or that OSDs may still lose with their
 * power. A later comparison of the file's components needs their marks of it (P 5.8). Where OSDs
 * have no room for so many marks, the file has to do without those of grants that have ended.
 * Single-threaded.
 */
final class LowestGrants {
  private final GrantTable grants;
  private final UnsettledGrants unsettled;
  private final Set<ObjectId> crowded = new HashSet<>();

  LowestGrants(GrantTable grants, UnsettledGrants unsettled) {
    this.grants = grants;
    this.unsettled = unsettled;
  }

  Optional<Lsn> of(ObjectId object) {
    Optional<Lsn> open = grants.lowest(object);
    List<UnsettledGrant> ended = unsettled.of(object);
    if (ended.isEmpty()) {
      crowded.remove(object);
      return open;
    }
    Lsn first = ended.get(0).number();
    return crowded.contains(object) || open.isPresent() && open.get().compareTo(first) < 0
        ? open
        : Optional.of(first);
  }

  /** OSDs have no room for more marks of the file's grants. */
  void crowded(ObjectId object) {
    crowded.add(object);
  }
}
