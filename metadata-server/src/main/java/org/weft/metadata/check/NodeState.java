package org.weft.metadata.check;

import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * What a manager holds of one object at one moment: its journal laid over what OSDs hold.
 *
 * @param attributes empty: no OSD has any, or it was removed
 * @param silent without attributes: OSDs that may have them, but do not answer
 * @param named the entry at the name that its attributes give
 */
public record NodeState(
    ObjectId object,
    Optional<Attributes> attributes,
    SortedSet<OsdId> silent,
    LiveNode live,
    Named named) {
  /** Whether a name leads to it. */
  public enum Named {
    /** The one that its attributes tell does. */
    YES,
    /** The name in its attributes leads elsewhere or nowhere. */
    NO,
    /** It has or had several, which are counted. */
    SEVERAL,
    /** The directory is on OSDs that do not answer. */
    UNKNOWN
  }

  public NodeState {
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(attributes, "attributes");
    silent = Collections.unmodifiableSortedSet(new TreeSet<>(silent));
    Objects.requireNonNull(live, "live");
    Objects.requireNonNull(named, "named");
  }
}
