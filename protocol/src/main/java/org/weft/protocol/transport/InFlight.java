package org.weft.protocol.transport;

import io.netty.channel.Channel;
import java.util.concurrent.RejectedExecutionException;
import org.weft.protocol.transport.memory.RequestMemory;

/**
 * Counts what one server connection holds for its client, and says whether the connection may take
 * in more. Past its own bound, or with no room in the memory of all servers, its decoder waits. It
 * cuts no further frames until replies have left. Lives on the connection's event loop.
 */
final class InFlight {
  /** A request costs more than its bytes. */
  private static final int REQUEST_OVERHEAD_BYTES = 1_024;

  private final Channel channel;
  private final FrameDecoder decoder;
  private final RequestMemory memory;
  private final RequestMemory.Waiter waiter;
  private final long maxBytes;
  private final int maxRequests;
  private long memoryBytes;
  private long fileBytes;
  private int requests;
  private boolean over;

  InFlight(
      Channel channel, FrameDecoder decoder, RequestMemory memory, long maxBytes, int maxRequests) {
    this.channel = channel;
    this.decoder = decoder;
    this.memory = memory;
    this.waiter = new RequestMemory.Waiter(this::lookAgain);
    this.maxBytes = maxBytes;
    this.maxRequests = maxRequests;
  }

  void began(int requestBytes) {
    requests++;
    add(requestBytes + REQUEST_OVERHEAD_BYTES, 0);
  }

  /**
   * The request is answered: the reply takes its place.
   *
   * @param replyFileBytes what is in a file still: counted here, but no memory
   */
  void answered(int requestBytes, int replyBytes, int replyFileBytes) {
    add((long) replyBytes - requestBytes, replyFileBytes);
  }

  void replyLeft(int replyBytes, int replyFileBytes) {
    requests--;
    add(-(long) replyBytes - REQUEST_OVERHEAD_BYTES, -replyFileBytes);
  }

  /** The connection has ended: nothing is read any more. */
  void end() {
    over = true;
    memory.forget(waiter);
  }

  private void add(long memoryDelta, int fileDelta) {
    memoryBytes += memoryDelta;
    fileBytes += fileDelta;
    memory.add(memoryDelta);
    adjust();
  }

  private void lookAgain() {
    try {
      channel.eventLoop().execute(this::adjust);
    } catch (RejectedExecutionException e) {
      // The transport has ended, and this connection with it.
      return;
    }
  }

  private void adjust() {
    if (over) {
      return;
    }
    boolean fits = memoryBytes + fileBytes <= maxBytes && requests < maxRequests;
    boolean room = requests == 0 || memory.hasRoomBeside(memoryBytes);
    if (fits && !room) {
      memory.whenRoom(waiter, memoryBytes);
    }
    decoder.hold(!fits || !room);
  }
}
