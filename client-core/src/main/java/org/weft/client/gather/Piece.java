package org.weft.client.gather;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.client.stripe.base.References;
import org.weft.protocol.layout.ByteRange;

/**
 * Bytes of the caller.
 *
 * @param memory of whole stripes that are kept there
 */
record Piece(ByteRange range, ByteBuffer data, Optional<References> memory) {
  long keptBytes() {
    return memory.isPresent() ? range.to() - range.from() : 0;
  }

  /**
   * What lies before the first border of stripes, between it and the last, and behind that.
   *
   * @param mostKeptBytes that one piece of whole stripes may keep
   */
  List<Piece> split(long stripeBytes, long mostKeptBytes) {
    long first = Math.min(range.to(), -Math.floorDiv(-range.from(), stripeBytes) * stripeBytes);
    long last = Math.max(first, range.to() / stripeBytes * stripeBytes);
    List<Piece> pieces = new ArrayList<>();
    addPart(pieces, range.from(), first, Optional.empty());
    addPart(pieces, first, last, memory.filter(each -> last - first <= mostKeptBytes));
    addPart(pieces, last, range.to(), Optional.empty());
    return pieces;
  }

  private void addPart(List<Piece> pieces, long from, long to, Optional<References> kept) {
    if (from < to) {
      int at = (int) (from - range.from());
      pieces.add(new Piece(new ByteRange(from, to), data.slice(at, (int) (to - from)), kept));
    }
  }
}
