package org.weft.sysmgr.service;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * How long a manager may be unable to use an OSD that SysMgr hears before SysMgr gives the OSD up.
 *
 * @param seconds empty: for ever
 */
public record OsdPatience(Optional<Integer> seconds) {
  public static final OsdPatience DEFAULT = new OsdPatience(Optional.of(15));

  public OsdPatience {
    if (seconds.isPresent() && seconds.get() < 1) {
      throw new IllegalArgumentException("a second at least, got " + seconds.get());
    }
  }

  Optional<Long> nanos() {
    return seconds.map(TimeUnit.SECONDS::toNanos);
  }
}
