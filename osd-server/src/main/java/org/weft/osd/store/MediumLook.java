package org.weft.osd.store;

import java.util.List;
import java.util.Optional;

/**
 * The result of checking a part of the medium.
 *
 * @param next where to go on; empty: everything was looked at
 * @param bytes that were read
 * @param bad what cannot be read, or does not match its checksum
 */
public record MediumLook(Optional<MediumPlace> next, long bytes, List<BadBlock> bad) {
  public MediumLook {
    bad = List.copyOf(bad);
  }
}
