package org.weft.nfs.exports;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The rules in force at one moment. Immutable.
 *
 * @param version of the cluster's table that is wholly in force; 0: of none
 * @param memberships groups of users, for exports that look them up
 * @param superuser the setting `cluster.superuser`, and owner of the root; may be empty
 * @param handles empty while nothing was ever exported: then no handle is genuine
 */
public record Policy(
    long version,
    Optional<HandleCodec> handles,
    ExportTable exports,
    Identities identities,
    Memberships memberships,
    String superuser) {
  /** Nothing is exported. */
  public static final Policy NOTHING =
      new Policy(
          0,
          Optional.empty(),
          new ExportTable(List.of()),
          new NumberTable(Map.of(), Map.of()),
          Memberships.NONE,
          "");

  /** Where all groups are as clients state them. */
  public Policy(
      long version,
      Optional<HandleCodec> handles,
      ExportTable exports,
      Identities identities,
      String superuser) {
    this(version, handles, exports, identities, Memberships.NONE, superuser);
  }

  /** The policy of a cluster whose superuser's name is unknown. */
  public Policy(
      long version, Optional<HandleCodec> handles, ExportTable exports, Identities identities) {
    this(version, handles, exports, identities, "");
  }
}
