package org.weft.protocol.transport;

import io.netty.channel.Channel;
import java.util.concurrent.RejectedExecutionException;

/**
 * What one server connection holds for its client, and whether it may be sent more: past its own
 * bound, or with the memory of all servers used up, the connection is not read until replies have
 * left. Lives on the connection's event loop.
 */
final class InFlight {
  /** A request costs more than its bytes. */
  private static final int REQUEST_OVERHEAD_BYTES = 1_024;

  private static final int MAX_REQUESTS = 4_096;

  /** No connection alone may hold more than one of so many shares of all servers' memory. */
  private static final int SHARES = 4;

  private final Channel channel;
  private final RequestMemory memory;
  private final long maxBytes;
  private final Runnable reconsider;
  private long bytes;
  private int requests;
  private boolean waitsForMemory;
  private boolean over;

  InFlight(Channel channel, RequestMemory memory, long maxBytes) {
    this.channel = channel;
    this.memory = memory;
    this.maxBytes = Math.min(maxBytes, memory.limitBytes() / SHARES);
    this.reconsider = this::lookAgain;
  }

  void began(int requestBytes) {
    requests++;
    add(requestBytes + REQUEST_OVERHEAD_BYTES, 0);
  }

  /**
   * The request is answered: the reply takes its place.
   *
   * @param fileBytes what leaves the file by itself: counted here, but no memory
   */
  void answered(int requestBytes, int replyBytes, int fileBytes) {
    add((long) replyBytes - requestBytes, fileBytes);
  }

  void replyLeft(int replyBytes, int fileBytes) {
    requests--;
    add(-(long) replyBytes - REQUEST_OVERHEAD_BYTES, -fileBytes);
  }

  /** The connection has ended: reading is nobody's business any more. */
  void end() {
    over = true;
  }

  private void add(long memoryBytes, int fileBytes) {
    bytes += memoryBytes + fileBytes;
    memory.add(memoryBytes);
    adjust();
  }

  private void lookAgain() {
    try {
      channel.eventLoop().execute(this::roomAgain);
    } catch (RejectedExecutionException e) {
      // The transport has ended, and this connection with it.
      return;
    }
  }

  private void roomAgain() {
    waitsForMemory = false;
    adjust();
  }

  private void adjust() {
    if (over) {
      return;
    }
    boolean full = memory.full();
    if (full && !waitsForMemory) {
      waitsForMemory = true;
      memory.whenRoom(reconsider);
    }
    boolean read = bytes <= maxBytes && requests < MAX_REQUESTS && !waitsForMemory;
    if (read != channel.config().isAutoRead()) {
      channel.config().setAutoRead(read);
    }
  }
}
