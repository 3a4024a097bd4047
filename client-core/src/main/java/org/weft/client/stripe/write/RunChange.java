package org.weft.client.stripe.write;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/**
 * The change of consecutive whole stripes by an update. Nothing of them stays, so nothing is read,
 * and each component gets one WRITE for all of them (P 5.3). Its values stay the same under
 * whatever grant. Where an OSD has no room the run is undone as a whole, and fails alone.
 */
final class RunChange {
  private final StripeChange.Writer writer;
  private final RangeUpdate.Range range;
  private final Layout layout;
  private final long firstStripe;
  private final int stripes;
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  // Touched by one step at a time; steps follow each other.
  private List<StripeClaims.Claim> claims = List.of();

  /** Stripes for which the writer has room that no stripe holds yet. */
  private int emptyRooms;

  /**
   * A change of stripes of one run, for each of which the writer has room.
   *
   * @param fromBytes where the first stripe begins, in the file
   * @param stripes all of which the range replaces
   */
  RunChange(StripeChange.Writer writer, RangeUpdate.Range range, long fromBytes, int stripes) {
    this.writer = writer;
    this.range = range;
    this.layout = writer.sender().terms().file().layout();
    this.firstStripe = layout.stripeOf(fromBytes);
    this.stripes = stripes;
    this.emptyRooms = stripes;
  }

  /**
   * How many stripes one run may begin with.
   *
   * @param fromBytes where the first one begins, in the file
   * @param toBytes end of the bytes that are replaced
   * @return 0 unless the first one is whole; no more than fit one WRITE of a component (P 5.3)
   */
  static int longest(StripeChange.Writer writer, Layout layout, long fromBytes, long toBytes) {
    if (fromBytes % layout.stripeBytes() != 0) {
      return 0;
    }
    long whole = (toBytes - fromBytes) / layout.stripeBytes();
    long leftOfRound = layout.stripesLeftInRound(layout.stripeOf(fromBytes));
    int most = writer.context().options().stripesPerRun(layout);
    return (int) Math.min(Math.min(whole, leftOfRound), most);
  }

  /** Behind the last byte that it changes, in the file. */
  long endInFile() {
    return (firstStripe + stripes) * layout.stripeBytes();
  }

  /** As {@link StripeChange#start}. */
  CompletableFuture<Void> start() {
    guarded(this::claim);
    return done;
  }

  /** A broken invariant, or want of memory, ends this change: others wait for what it holds. */
  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      ended(WeftException.of(e));
    }
  }

  private void claim() {
    var unused =
        writer
            .claims()
            .take(firstStripe, stripes)
            .thenAccept(
                mine -> {
                  claims = mine;
                  writer.context().execute(() -> guarded(this::send));
                });
  }

  private void send() {
    WriteRun run = WriteRun.ofUpdate(layout, range.establishes().eofBytes());
    try {
      for (int index = 0; index < stripes; index++) {
        add(firstStripe + index, run);
      }
    } catch (RuntimeException | Error e) {
      run.release();
      throw e;
    }
    var unused =
        writer
            .sender()
            .send(run)
            .whenComplete(
                (nothing, thrown) -> ended(thrown == null ? null : WeftException.of(thrown)));
  }

  private void add(long stripe, WriteRun run) {
    StripeBuffer buffer =
        new StripeBuffer(layout, stripe, 0, writer.context().pool(), writer.room()::freed);
    emptyRooms--;
    try {
      var unused = buffer.fill(range.data().from(stripe * layout.stripeBytes()));
      StripePart part = buffer.takePart(false);
      run.add(part);
      part.encode(writer.code());
    } finally {
      buffer.release();
    }
  }

  private void ended(WeftException problem) {
    for (; emptyRooms > 0; emptyRooms--) {
      writer.room().freed();
    }
    List<StripeClaims.Claim> held = claims;
    claims = List.of();
    Runnable back = () -> held.forEach(writer.claims()::giveBack);
    if (problem == null) {
      // Not before its components can be told that it is complete: as after StripeChange.
      var unused = writer.sender().covered().thenRun(back);
      done.complete(null);
    } else {
      back.run();
      done.completeExceptionally(problem);
    }
  }
}
