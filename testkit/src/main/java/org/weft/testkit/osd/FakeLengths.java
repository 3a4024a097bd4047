package org.weft.testkit.osd;

/** The file's length of a truncation number, and the component's own (P 4.3). */
record FakeLengths(int truncationNumber, long eof, long componentBytes) {
  static final FakeLengths NONE = new FakeLengths(0, 0, 0);

  /** A file length: one of a larger truncation number replaces, one of a smaller is nothing. */
  FakeLengths established(int truncation, long length) {
    if (truncation < truncationNumber) {
      return this;
    }
    long next = truncation > truncationNumber ? length : Math.max(eof, length);
    return new FakeLengths(truncation, next, componentBytes);
  }

  FakeLengths with(FakePending write) {
    if (write.isAborted()) {
      return this;
    }
    FakeLengths established = established(write.truncationNumber(), write.eof());
    // A write that only brings a length stores nothing, wherever it says it is.
    return write.length() == 0
        ? established
        : established.reaching(write.offset() + write.length());
  }

  FakeLengths reaching(long atLeastBytes) {
    return new FakeLengths(truncationNumber, eof, Math.max(componentBytes, atLeastBytes));
  }

  FakeLengths endingAt(long atMostBytes) {
    return new FakeLengths(truncationNumber, eof, Math.min(componentBytes, atMostBytes));
  }
}
