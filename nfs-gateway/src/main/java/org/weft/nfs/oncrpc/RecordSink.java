package org.weft.nfs.oncrpc;

import io.netty.buffer.ByteBuf;

/** Takes records as they arrive. All on the connection's event loop. */
interface RecordSink {
  /**
   * May the decoder take memory for a fragment? If not, it reads no more until it is resumed.
   *
   * @param first it begins a record
   */
  boolean take(int bytes, boolean first);

  /** Bytes that were taken for a record that will not be whole. */
  void give(int bytes);

  /** A whole record, whose only reference goes over; its bytes were taken. */
  void arrived(ByteBuf record);

  /** The stream cannot be read any more. */
  void malformed(String why);
}
