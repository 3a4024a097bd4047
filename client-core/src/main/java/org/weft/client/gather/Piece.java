package org.weft.client.gather;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.protocol.layout.ByteRange;

/**
 * A range of the caller's bytes.
 *
 * @param memory of whole stripes that are kept there
 */
record Piece(ByteRange range, ByteBuffer data, Optional<KeptMemory> memory) {
  int lengthBytes() {
    return (int) (range.to() - range.from());
  }

  /** What keeping it costs: all of the memory. */
  long keptBytes() {
    return memory.map(KeptMemory::bytes).orElse(0L);
  }

  /**
   * What lies between the first border of stripes and the last, before it, and behind that.
   *
   * @param mostKeptBytes that one write may keep
   */
  List<Piece> split(long stripeBytes, long mostKeptBytes) {
    long first = Math.min(range.to(), -Math.floorDiv(-range.from(), stripeBytes) * stripeBytes);
    long last = Math.max(first, range.to() / stripeBytes * stripeBytes);
    List<Piece> pieces = new ArrayList<>();
    // Kept stripes come first: those that the ends fill go with them.
    addPart(pieces, first, last, memory.filter(each -> each.bytes() <= mostKeptBytes));
    addPart(pieces, range.from(), first, Optional.empty());
    addPart(pieces, last, range.to(), Optional.empty());
    return pieces;
  }

  private void addPart(List<Piece> pieces, long from, long to, Optional<KeptMemory> kept) {
    if (from < to) {
      int at = (int) (from - range.from());
      pieces.add(new Piece(new ByteRange(from, to), data.slice(at, (int) (to - from)), kept));
    }
  }
}
