package org.weft.nfs.oncrpc;

/**
 * Limits of a transport.
 *
 * @param eventLoopThreads that serve all connections
 * @param mostConnections of a listener; more are closed at once
 * @param mostRecordBytes of a call or reply
 * @param mostCallsUnderWay of a connection; then it is not read until one is answered
 * @param mostBytesUnderWay of a connection's calls and replies; likewise
 * @param memoryBytes of calls and replies of all connections; each may take one small call and its
 *     reply beyond
 * @param stallMillis for a record to arrive or a reply to leave; then the connection is closed
 * @param stopGraceMillis for calls under way when a listener stops
 * @param keptReplies to calls that must not be carried out twice
 */
public record OncRpcOptions(
    int eventLoopThreads,
    int mostConnections,
    int mostRecordBytes,
    int mostCallsUnderWay,
    long mostBytesUnderWay,
    long memoryBytes,
    long stallMillis,
    long stopGraceMillis,
    int keptReplies) {
  /** What a gateway has unless it is configured otherwise: transfers of 1 MiB, 128 at once. */
  public static final OncRpcOptions USUAL =
      new OncRpcOptions(
          2, 4_096, (1 << 20) + (64 << 10), 128, 16L << 20, 256L << 20, 120_000, 5_000, 16_384);

  public OncRpcOptions {
    if (eventLoopThreads < 1
        || mostConnections < 1
        || mostCallsUnderWay < 1
        || mostBytesUnderWay < 1
        || stallMillis < 1
        || stopGraceMillis < 0
        || keptReplies < 0) {
      throw new IllegalArgumentException(
          "a limit is out of range: "
              + eventLoopThreads
              + " threads, "
              + mostConnections
              + " connections, "
              + mostCallsUnderWay
              + " calls, "
              + mostBytesUnderWay
              + " bytes, "
              + stallMillis
              + " ms, "
              + stopGraceMillis
              + " ms, "
              + keptReplies
              + " replies");
    }
    if (mostRecordBytes < 4_096 || memoryBytes < 2L * mostRecordBytes) {
      throw new IllegalArgumentException(
          "records have 4096 bytes at least and memory has room for two, got "
              + mostRecordBytes
              + " and "
              + memoryBytes);
    }
  }
}
