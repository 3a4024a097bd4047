package org.weft.metadata.directory;

import java.util.List;
import java.util.Objects;
import org.weft.metadata.attributes.NodeKind;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * What a name leads to (P 6.7).
 *
 * @param lsn of the record that put the entry there; where two entries dispute a node the larger
 *     wins
 * @param hints OSDs that held the node's attributes when the entry was written, at most {@value
 *     #MAX_HINTS}; a stale one costs time, not correctness
 */
public record DirectoryEntry(ObjectId object, NodeKind kind, Lsn lsn, List<OsdId> hints) {
  /** As many as metaCopies can be. */
  public static final int MAX_HINTS = 8;

  public DirectoryEntry {
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(lsn, "lsn");
    hints = List.copyOf(hints);
    if (hints.size() > MAX_HINTS) {
      throw new IllegalArgumentException(
          "an entry has at most " + MAX_HINTS + " hints, got " + hints.size());
    }
  }
}
