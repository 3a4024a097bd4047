package org.weft.sysmgr.storage;

import java.util.Optional;
import java.util.SortedMap;
import org.weft.protocol.id.ClusterId;

/**
 * What a member knows of itself before its log is open, from its disk: a {@link MemberDirectory},
 * or a simulated one. Thread-safe.
 */
public interface MemberNotes {
  /** Which member this is. */
  int memberId();

  /** It was or is to be added to others. */
  boolean joined();

  /** All first members were new when they were asked: this one may take part in the log. */
  boolean isReady();

  /** Tells this directory from another one of the same member; empty: of an older release. */
  String instance();

  /** The instances of the other first members when this one became ready. */
  SortedMap<Integer, String> seen();

  /** The cluster, once it is known. */
  Optional<ClusterId> clusterId();
}
