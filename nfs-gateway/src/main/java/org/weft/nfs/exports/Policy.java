package org.weft.nfs.exports;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is in force at one moment. Immutable.
 *
 * @param version of the cluster's table that is wholly in force; 0: of none
 * @param handles empty as long as nothing was ever exported: then no handle is genuine
 */
public record Policy(
    long version, Optional<HandleCodec> handles, ExportTable exports, Identities identities) {
  /** Nothing is exported. */
  public static final Policy NOTHING =
      new Policy(
          0, Optional.empty(), new ExportTable(List.of()), new NumberTable(Map.of(), Map.of()));
}
