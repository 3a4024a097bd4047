package org.weft.client.stripe;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.GetStampReply;
import org.weft.protocol.wire.GetStampRequest;
import org.weft.protocol.wire.Stamp;

/**
 * Which stripes of a file carry a stamp of some grant or a later one, on any component: the only
 * ones that a dead holder of that grant can have left half written.
 */
final class SuspectStripes {
  /** Range of one GET_STAMP; no OSD refuses it. */
  private static final long RANGE_BYTES = 4 << 20;

  private static final int MOST_AT_ONCE = 16;

  private record Range(int component, long offsetBytes) {}

  private final StripeEngine engine;
  private final StripedFile file;
  private final Layout layout;
  private final long firstGrant;
  private final List<Range> ranges = new ArrayList<>();
  private final TreeSet<Long> stripes = new TreeSet<>();
  private final CompletableFuture<TreeSet<Long>> found = new CompletableFuture<>();
  private int next;
  private int underWay;
  private RpcException failure;

  private SuspectStripes(StripeEngine engine, StripedFile file, long firstGrant) {
    this.engine = engine;
    this.file = file;
    this.layout = file.layout();
    this.firstGrant = firstGrant;
  }

  /**
   * Asks all components that are there, in the groups that a file of this length touches.
   *
   * @return stripes up to the end of the file, ascending
   */
  static CompletableFuture<TreeSet<Long>> since(
      StripeEngine engine, StripedFile file, ComponentStates states, long firstGrant) {
    SuspectStripes suspects = new SuspectStripes(engine, file, firstGrant);
    long eofBytes = states.eofBytes();
    int components = suspects.layout.groupsTouched(eofBytes) * suspects.layout.width();
    for (int component = 0; component < components; component++) {
      for (long at = 0; at < states.componentBytes(component); at += RANGE_BYTES) {
        suspects.ranges.add(new Range(component, at));
      }
    }
    suspects.step();
    return suspects.found.thenApply(
        all -> new TreeSet<>(all.headSet(lastStripe(file, eofBytes), true)));
  }

  private static long lastStripe(StripedFile file, long eofBytes) {
    return eofBytes == 0 ? -1 : file.layout().stripeOf(eofBytes - 1);
  }

  private void step() {
    List<Range> now = new ArrayList<>();
    boolean over;
    RpcException failed;
    synchronized (this) {
      while (failure == null && next < ranges.size() && underWay < MOST_AT_ONCE) {
        now.add(ranges.get(next++));
        underWay++;
      }
      over = underWay == 0;
      failed = failure;
    }
    if (over && failed == null) {
      found.complete(stripes);
    } else if (over) {
      found.completeExceptionally(failed);
    }
    now.forEach(this::ask);
  }

  private void ask(Range range) {
    GetStampRequest.Builder request =
        GetStampRequest.newBuilder()
            .setObjectId(file.name().object().value())
            .setOffset(range.offsetBytes())
            .setLength((int) RANGE_BYTES);
    var unused =
        engine
            .osds()
            .getStamp(file.target(range.component(), engine.options().readAttemptMillis()), request)
            .whenComplete((reply, thrown) -> answered(range, reply, thrown));
  }

  private void answered(Range range, GetStampReply reply, Throwable thrown) {
    synchronized (this) {
      underWay--;
      if (thrown != null) {
        failure = failure == null ? RpcException.of(thrown) : failure;
      } else {
        reply.getStampsList().forEach(stamp -> note(range.component(), stamp));
      }
    }
    // Not deeper and deeper where everything is answered at once.
    engine.execute(this::step);
  }

  private void note(int component, Stamp stamp) {
    if (Long.compareUnsigned(stamp.getGrant(), firstGrant) < 0) {
      return;
    }
    long unitBlocks = layout.unitBytes() / BlockChecksums.BLOCK_BYTES;
    long first = stamp.getFirstBlock() / unitBlocks;
    long last = (stamp.getFirstBlock() + stamp.getBlockCount() - 1) / unitBlocks;
    for (long inGroup = first; inGroup <= last; inGroup++) {
      stripes.add(layout.stripeAt(component / layout.width(), inGroup));
    }
  }
}
