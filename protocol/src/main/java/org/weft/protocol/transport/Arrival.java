package org.weft.protocol.transport;

import io.netty.channel.Channel;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.transport.memory.ArrivalMemory;

/**
 * The large frame that is arriving on one server connection, and its place in the {@link
 * ArrivalMemory}. What a client only announces costs nothing: room is asked for when the first few
 * KiB behind the head are there. Lives on the connection's event loop.
 */
final class Arrival implements FrameRoom, ArrivalMemory.Owner {
  /** Smaller frames are every connection's right. */
  private static final int LARGE_BYTES = 16 << 10;

  private final Channel channel;
  private final FrameDecoder decoder;
  private final Wiring wiring;
  private final ArrivalMemory memory;
  private ArrivalMemory.Place place;
  private boolean waits;

  Arrival(Channel channel, FrameDecoder decoder, Wiring wiring) {
    this.channel = channel;
    this.decoder = decoder;
    this.wiring = wiring;
    this.memory = wiring.arrivalMemory();
  }

  @Override
  public int proofBytes(int restBytes) {
    return restBytes <= LARGE_BYTES ? 0 : LARGE_BYTES;
  }

  @Override
  public boolean ask(int restBytes) {
    if (restBytes > LARGE_BYTES && place == null) {
      place = new ArrivalMemory.Place(restBytes, this);
      waits = !memory.take(place, wiring.ticker().nowNanos());
      if (waits) {
        look(place);
      }
    }
    return !waits;
  }

  @Override
  public boolean waits() {
    return waits;
  }

  /** While it waits, those before it are hurried. */
  private void look(ArrivalMemory.Place waiting) {
    if (place != waiting || !waits) {
      return;
    }
    memory
        .endTheSlow(wiring.ticker().nowNanos())
        .ifPresent(
            nanos -> wiring.scheduler().schedule(nanos, channel.eventLoop(), () -> look(waiting)));
  }

  @Override
  public void granted(ArrivalMemory.Place whose) {
    onLoop(whose, this::enter);
  }

  private void enter() {
    waits = false;
    decoder.goOn();
  }

  @Override
  public void tooSlow(ArrivalMemory.Place whose) {
    onLoop(
        whose,
        () ->
            decoder.refuse(
                new WeftException(
                    ErrorCode.OVERLOADED,
                    "its request of "
                        + whose.bytes()
                        + " bytes came too slowly while others waited for room")));
  }

  /** Does something about a frame if that is the one under way then. */
  private void onLoop(ArrivalMemory.Place whose, Runnable task) {
    try {
      channel
          .eventLoop()
          .execute(
              () -> {
                if (place == whose) {
                  task.run();
                }
              });
    } catch (RejectedExecutionException e) {
      // The transport has ended, and this connection with it.
      return;
    }
  }

  @Override
  public void arrived() {
    if (place != null) {
      memory.arrived(place);
    }
  }

  /** The place of the frame that has just arrived; its taker gives it back. */
  Optional<ArrivalMemory.Place> handOver() {
    Optional<ArrivalMemory.Place> handed = Optional.ofNullable(place);
    place = null;
    return handed;
  }

  @Override
  public void done() {
    waits = false;
    handOver().ifPresent(this::giveBack);
  }

  /** Ends what {@link #handOver} gave. */
  void giveBack(ArrivalMemory.Place handed) {
    memory.leave(handed, wiring.ticker().nowNanos());
  }
}
