package org.weft.cli.nfs;

import java.util.Locale;
import org.weft.protocol.wire.NfsSquash;

/** Which callers act as nobody, as people write it. */
enum SquashName {
  ROOT(NfsSquash.SQUASH_ROOT),
  ALL(NfsSquash.SQUASH_ALL),
  NONE(NfsSquash.SQUASH_NONE);

  private final NfsSquash squash;

  SquashName(NfsSquash squash) {
    this.squash = squash;
  }

  NfsSquash squash() {
    return squash;
  }

  static String of(NfsSquash squash) {
    for (SquashName each : values()) {
      if (each.squash == squash) {
        return each.toString();
      }
    }
    return "unknown";
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
