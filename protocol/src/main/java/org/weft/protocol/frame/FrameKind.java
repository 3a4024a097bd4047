package org.weft.protocol.frame;

/**
 * The kinds of frames: handshakes, requests, replies, cancellations, pushes and signs of life.
 * Numbers are never reused.
 */
public enum FrameKind {
  /** First frame of a client; body {@code Hello}. */
  HELLO(1),
  /** First frame of a server; body {@code HelloReply}. */
  HELLO_REPLY(2),
  /** A call. The only kind with a deadline; only it and its answer have a MAC. */
  REQUEST(3),
  /** The good answer to the request of that id. */
  RESPONSE(4),
  /**
   * The bad answer, body {@code RpcError}. With request id 0 it is about the connection, which
   * ends.
   */
  ERROR(5),
  /** The caller gave up the request of that id; never answered. */
  CANCEL(6),
  /** A message from the server that was not asked for. */
  PUSH(7),
  /** Says that the sender lives when it had nothing else to say; never answered. */
  PING(8);

  private static final FrameKind[] BY_NUMBER = byNumber();

  private final int number;

  FrameKind(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }

  boolean mayHaveBody() {
    return this != CANCEL && this != PING;
  }

  boolean mayHavePayload() {
    return this == REQUEST || this == RESPONSE;
  }

  /** The kind of that number; null for one that this release does not know. */
  static FrameKind ofNumber(int number) {
    return number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
  }

  private static FrameKind[] byNumber() {
    FrameKind[] kinds = new FrameKind[values().length + 1];
    for (FrameKind kind : values()) {
      kinds[kind.number] = kind;
    }
    return kinds;
  }
}
