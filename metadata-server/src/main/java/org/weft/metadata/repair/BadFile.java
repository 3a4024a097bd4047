package org.weft.metadata.repair;

import java.util.Objects;
import org.weft.protocol.layout.ByteRanges;

/**
 * A file with blocks that cannot be written anew.
 *
 * @param what a sentence for people
 * @param gone bytes of the file that cannot be read, or are in doubt, as far as known
 */
public record BadFile(String what, ByteRanges gone) {
  public BadFile {
    Objects.requireNonNull(what, "what");
    Objects.requireNonNull(gone, "gone");
  }
}
