package org.weft.testkit.osd;

import java.util.List;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.PendingKind;
import org.weft.protocol.wire.WriteRequest;
import org.weft.protocol.wire.XorReadWriteRequest;
import org.weft.protocol.wire.XorWriteRequest;

/**
 * A WRITE, XOR_READ_WRITE or XOR_WRITE, as the pending list sees it (P 5.4).
 *
 * @param manager of a manager's capability, which may act under the id of a dead grant
 * @param floor of a client's capability; what older grants wrote has been resolved
 * @param bytes may be empty in a WRITE alone, which brings a length then
 */
record FakeWrite(
    PendingKind kind,
    boolean manager,
    long floor,
    long grant,
    long firstSeq,
    int seqCount,
    List<Integer> participants,
    long offset,
    byte[] bytes,
    long eof,
    int truncationNumber,
    long completeUpTo) {
  static FakeWrite of(Capability capability, WriteRequest request, byte[] bytes) {
    return new FakeWrite(
        PendingKind.STRIPE,
        capability.isOfAnEpoch(),
        capability.floor(),
        request.getGrant(),
        request.getFirstSeq(),
        request.getSeqCount(),
        request.getParticipantsList(),
        request.getOffset(),
        bytes,
        request.getEof(),
        request.getTruncationNumber(),
        request.getCompleteUpTo());
  }

  static FakeWrite of(Capability capability, XorReadWriteRequest request, byte[] bytes) {
    XorWriteRequest same =
        XorWriteRequest.newBuilder()
            .setGrant(request.getGrant())
            .setSeq(request.getSeq())
            .addAllParticipants(request.getParticipantsList())
            .setOffset(request.getOffset())
            .setEof(request.getEof())
            .setTruncationNumber(request.getTruncationNumber())
            .setCompleteUpTo(request.getCompleteUpTo())
            .build();
    return xor(PendingKind.XOR_DATA, capability, same, bytes);
  }

  static FakeWrite of(Capability capability, XorWriteRequest request, byte[] bytes) {
    return xor(PendingKind.XOR_DELTA, capability, request, bytes);
  }

  private static FakeWrite xor(
      PendingKind kind, Capability capability, XorWriteRequest request, byte[] bytes) {
    return new FakeWrite(
        kind,
        capability.isOfAnEpoch(),
        capability.floor(),
        request.getGrant(),
        request.getSeq(),
        1,
        request.getParticipantsList(),
        request.getOffset(),
        bytes,
        request.getEof(),
        request.getTruncationNumber(),
        request.getCompleteUpTo());
  }

  /** The last seq of the run, or 0 for a WRITE without an id. */
  long lastSeq() {
    return seqCount == 0 ? 0 : firstSeq + seqCount - 1;
  }

  long firstBlock() {
    return offset / FakeObject.BLOCK_BYTES;
  }

  /** One after the last block that gets bytes. */
  long endBlock() {
    return bytes.length == 0
        ? firstBlock()
        : (offset + bytes.length - 1) / FakeObject.BLOCK_BYTES + 1;
  }

  /**
   * True if it counts as a client's write, which the pending list knows. A client sent it or, once
   * the grant is dead, a manager that resolves. Other numbers of a manager are its own.
   */
  boolean isClients(long objectVersion) {
    boolean client = !manager || Long.compareUnsigned(grant, objectVersion) < 0;
    return client && new Lsn(grant).index() != 0;
  }

  /** True if it leaves a record. */
  boolean isRecorded(long objectVersion) {
    return seqCount > 0 && isClients(objectVersion);
  }
}
