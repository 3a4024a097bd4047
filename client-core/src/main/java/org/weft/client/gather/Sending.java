package org.weft.client.gather;

import java.util.ArrayList;
import java.util.List;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;

/**
 * Stripes that are being sent, or wait until they may be sent. Guarded by the gathering until they
 * are taken.
 *
 * @param number of what came first of it
 * @param isWhole nothing of the stripes stays
 * @param taken what is sent, in ascending order; empty before
 */
record Sending(ByteRange stripes, long number, boolean isWhole, List<GatheredStripe> taken) {
  Sending(ByteRange stripes, long number, boolean isWhole) {
    this(stripes, number, isWhole, new ArrayList<>());
  }

  /** Of stripes that follow each other. */
  static Sending of(List<GatheredStripe> stripes) {
    GatheredStripe first = stripes.get(0);
    GatheredStripe last = stripes.get(stripes.size() - 1);
    return new Sending(
        new ByteRange(first.stripe().from(), last.stripe().to()),
        stripes.stream().mapToLong(GatheredStripe::number).min().orElseThrow(),
        first.isFull());
  }

  boolean isOf(ByteRange range, long upToNumber) {
    return number <= upToNumber && stripes.overlaps(range);
  }

  /** From the first byte that is sent to the last. */
  ByteRange named() {
    return taken.isEmpty()
        ? stripes
        : new ByteRange(taken.get(0).hull().from(), taken.get(taken.size() - 1).hull().to());
  }

  /** Runs that follow each other, where each but the first begins with a stripe. */
  List<List<GatheredRun>> together(long stripeBytes) {
    List<List<GatheredRun>> all = new ArrayList<>();
    long end = -1;
    for (GatheredStripe stripe : taken) {
      for (GatheredRun run : stripe.runs()) {
        if (run.from() != end || end % stripeBytes != 0) {
          all.add(new ArrayList<>());
        }
        all.get(all.size() - 1).add(run);
        end = run.to();
      }
    }
    return all;
  }

  /** The failure of writers that lose bytes with it. */
  WeftException lost(WeftException cause) {
    return new WeftException(
        cause.code(),
        "what was gathered of bytes "
            + named()
            + " could not be written, and what was gathered since the last flush may be lost: "
            + cause.getMessage(),
        cause);
  }
}
