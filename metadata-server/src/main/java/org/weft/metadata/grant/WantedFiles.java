package org.weft.metadata.grant;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.ObjectId;

/**
 * Files that others wait for because they are being written (P 6.5). Only these are taken from
 * writers that seem to be dead before their lease is over. It is known to this process alone. Pure,
 * confined to the volume's thread.
 */
public final class WantedFiles {
  /** A client that waits asks again within this. */
  static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final GrantTable grants;
  private final Map<ObjectId, Long> askedNanos = new HashMap<>();

  public WantedFiles(GrantTable grants) {
    this.grants = grants;
  }

  /** A client waits for a writer of the file: until it has ended, or has said the length. */
  public void wanted(ObjectId object, long nowNanos) {
    if (grants.find(object).isPresent()) {
      askedNanos.put(object, nowNanos);
    }
  }

  /** Grants on such files that are not being resolved already; each file's in ascending order. */
  public List<WriteGrant> writers(long nowNanos) {
    if (askedNanos.isEmpty()) {
      return List.of();
    }
    askedNanos.values().removeIf(asked -> nowNanos - asked >= WAIT_NANOS);
    List<WriteGrant> writers = new ArrayList<>();
    for (ObjectId object : askedNanos.keySet()) {
      grants.of(object).stream().filter(grant -> !grant.resolving()).forEach(writers::add);
    }
    return writers;
  }
}
