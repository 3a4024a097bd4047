package org.weft.protocol.transport;

/**
 * Lets a decoder make room for a frame whose head it has seen. Lives on the connection's event
 * loop.
 */
interface FrameRoom {
  /** All that is asked for, at once: for a process that chose the other side. */
  FrameRoom ALWAYS =
      new FrameRoom() {
        @Override
        public int proofBytes(int restBytes) {
          return 0;
        }

        @Override
        public boolean ask(int restBytes) {
          return true;
        }
      };

  /** How much of the so many bytes behind the head must be there before room is asked for. */
  int proofBytes(int restBytes);

  /**
   * True if there is room for the bytes behind the head. If not, the decoder is told to go on when
   * there is, and asks again.
   */
  boolean ask(int restBytes);

  /** True from an {@link #ask} that was not granted until one that is. */
  default boolean waits() {
    return false;
  }

  /** All of the frame is there; it is given to what looks at it next. */
  default void arrived() {}

  /** The frame has another owner now, or is given up. */
  default void done() {}
}
