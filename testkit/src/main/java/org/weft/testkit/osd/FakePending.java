package org.weft.testkit.osd;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.wire.PendingKind;
import org.weft.protocol.wire.PendingWrite;

/**
 * A record of the pending list: what one write changed, and what undoes it (P 5.4).
 *
 * @param kept for each block that it owns what undoes it; empty if ABORTED
 */
record FakePending(
    long grant,
    long firstSeq,
    int seqCount,
    PendingKind kind,
    List<Integer> participants,
    long offset,
    long length,
    long eof,
    int truncationNumber,
    SortedMap<Long, Kept> kept) {
  /**
   * What undoes the change of one block.
   *
   * @param old the block before; null if there was none
   * @param delta for the two kinds of XOR old ⊕ new, else null
   */
  record Kept(FakeObject.Block old, byte[] delta) {}

  static FakePending of(FakeWrite write, SortedMap<Long, Kept> kept) {
    return new FakePending(
        write.grant(),
        write.firstSeq(),
        write.seqCount(),
        write.kind(),
        write.participants(),
        write.offset(),
        write.bytes().length,
        write.eof(),
        write.truncationNumber(),
        kept);
  }

  static FakePending aborted(long grant, long firstSeq, int seqCount, List<Integer> participants) {
    return new FakePending(
        grant, firstSeq, seqCount, PendingKind.ABORTED, participants, 0, 0, 0, 0, new TreeMap<>());
  }

  long lastSeq() {
    return firstSeq + seqCount - 1;
  }

  boolean isAborted() {
    return kind == PendingKind.ABORTED;
  }

  /** True if it shares a seq with these. */
  boolean touches(long ofGrant, long first, long last) {
    return grant == ofGrant && firstSeq <= last && first <= lastSeq();
  }

  boolean contains(long first, long last) {
    return firstSeq <= first && last <= lastSeq();
  }

  boolean owns(long fromBlock, long endBlock) {
    return fromBlock < endBlock && !kept.subMap(fromBlock, endBlock).isEmpty();
  }

  /** The same without the blocks from here on; the first one stays. */
  FakePending before(long block) {
    return new FakePending(
        grant,
        firstSeq,
        seqCount,
        kind,
        participants,
        offset,
        Math.min(length, block * FakeObject.BLOCK_BYTES - offset),
        eof,
        truncationNumber,
        new TreeMap<>(kept.headMap(block)));
  }

  /** Bytes that are stored for its sake alone. */
  long retainedBytes() {
    return FakeObject.BLOCK_BYTES
        * kept.values().stream()
            .filter(block -> kind == PendingKind.XOR_DELTA || block.old() != null)
            .count();
  }

  /** The δ of all its blocks, one after another. */
  byte[] delta() {
    byte[] all = new byte[kept.size() * FakeObject.BLOCK_BYTES];
    int place = 0;
    for (Kept block : kept.values()) {
      System.arraycopy(block.delta(), 0, all, place, FakeObject.BLOCK_BYTES);
      place += FakeObject.BLOCK_BYTES;
    }
    return all;
  }

  PendingWrite message() {
    return PendingWrite.newBuilder()
        .setGrant(grant)
        .setFirstSeq(firstSeq)
        .setSeqCount(seqCount)
        .setKind(kind)
        .addAllParticipants(participants)
        .setOffset(offset)
        .setLength(length)
        .setEof(eof)
        .setTruncationNumber(truncationNumber)
        .build();
  }
}
