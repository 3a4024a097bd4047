package org.weft.nfs.oncrpc;

/** The usual options with one bound of a test's own. */
final class TestOptions {
  private static final OncRpcOptions USUAL = OncRpcOptions.USUAL;

  private TestOptions() {}

  static OncRpcOptions mostConnections(int most) {
    return options(
        most,
        USUAL.mostRecordBytes(),
        USUAL.mostCallsUnderWay(),
        USUAL.mostBytesUnderWay(),
        USUAL.memoryBytes(),
        USUAL.stallMillis());
  }

  static OncRpcOptions mostUnderWay(int calls, long bytes) {
    return options(
        USUAL.mostConnections(),
        USUAL.mostRecordBytes(),
        calls,
        bytes,
        USUAL.memoryBytes(),
        USUAL.stallMillis());
  }

  static OncRpcOptions memory(int recordBytes, long allBytes, long stallMillis) {
    return options(
        USUAL.mostConnections(),
        recordBytes,
        USUAL.mostCallsUnderWay(),
        USUAL.mostBytesUnderWay(),
        allBytes,
        stallMillis);
  }

  private static OncRpcOptions options(
      int connections, int record, int calls, long bytes, long memory, long stallMillis) {
    return new OncRpcOptions(
        USUAL.eventLoopThreads(),
        connections,
        record,
        calls,
        bytes,
        memory,
        stallMillis,
        USUAL.stopGraceMillis(),
        USUAL.keptReplies());
  }
}
