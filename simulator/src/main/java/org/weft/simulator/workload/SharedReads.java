package org.weft.simulator.workload;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.weft.client.WeftFile;
import org.weft.protocol.error.WeftException;
import org.weft.simulator.check.FileHistory;
import org.weft.simulator.check.Writer;

/** Reads of a hand in a file that it shares, by the handle with which it writes (P 6.5). */
final class SharedReads {
  private final Histories histories;
  private final HotSpots hotSpots;
  private final WritePlaces places;

  SharedReads(Histories histories, HotSpots hotSpots, WritePlaces places) {
    this.histories = histories;
    this.hotSpots = hotSpots;
    this.places = places;
  }

  /** How the hand makes a call. */
  @FunctionalInterface
  interface Asking {
    void ask(String what, Supplier<CompletableFuture<Integer>> call, CallAnswer<Integer> answer);
  }

  /** The file that is open. */
  record Open(WeftFile file, Writer history, long objectId) {}

  /**
   * Reads somewhere, or where a client has written lately.
   *
   * @param leave the reading failed: the file is given up
   */
  void read(Open open, RandomGenerator random, Asking hand, Runnable leave) {
    Optional<HotSpots.Spot> spot = hotSpots.maybe(open.objectId(), random);
    long from =
        spot.map(HotSpots.Spot::fromBytes)
            .orElseGet(() -> places.position(Math.min(open.history().size(), places.most())));
    int wanted = spot.map(HotSpots.Spot::lengthBytes).orElseGet(places::length);
    ByteBuffer target = ByteBuffer.allocate(wanted);
    FileHistory ofFile = histories.file(open.objectId());
    long start = histories.moment();
    hand.ask(
        "read " + from + ".." + (from + wanted) + " of object " + open.objectId() + ", shared",
        () -> open.file().read(from, target),
        new CallAnswer<>() {
          @Override
          public void done(Integer count) {
            byte[] found = new byte[Math.max(0, count)];
            target.get(0, found);
            ofFile.readShared(open.history(), start, histories.moment(), from, wanted, found);
          }

          @Override
          public void failed(WeftException failure) {
            open.history().lost();
            leave.run();
          }
        });
  }
}
