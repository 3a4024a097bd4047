package org.weft.osd.store.engine;

import static org.weft.osd.store.engine.Requests.MANAGER;
import static org.weft.osd.store.engine.Requests.lsn;
import static org.weft.osd.store.engine.Requests.object;

import java.nio.ByteBuffer;
import java.util.List;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.PendingWrite;
import org.weft.osd.store.mutation.WriteAbort;
import org.weft.osd.store.mutation.WriteCompletion;
import org.weft.osd.store.mutation.XorApplication;
import org.weft.osd.store.mutation.XorExchange;
import org.weft.osd.store.mutation.XorWrite;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.ByteSpan;
import org.weft.osd.store.value.Delta;
import org.weft.osd.store.value.FileLength;
import org.weft.osd.store.value.WriteNumbers;
import org.weft.protocol.error.WeftException;

/** Requests about pending writes as tests make them. */
final class PendingRequests {
  /** Components that the XORs of tests go to. */
  static final List<Integer> PARTICIPANTS = List.of(2, 5);

  private PendingRequests() {}

  static Authority client(long grantIndex) {
    return Authority.ofClient(lsn(grantIndex), 0);
  }

  /** In the place of the client that had the grant. */
  static Authority inPlaceOf(long grantIndex) {
    return Authority.ofManager(1, lsn(grantIndex));
  }

  static XorExchange exchange(
      long object, long offset, byte[] data, Authority by, long sequence, long completeUpTo) {
    return new XorExchange(
        new XorWrite(
            object(object),
            by,
            new ByteSpan(offset, List.of(ByteBuffer.wrap(data)), Requests.crcs(offset, data)),
            new WriteNumbers(sequence, 1, PARTICIPANTS, completeUpTo),
            new FileLength(offset + data.length, 0),
            false));
  }

  static XorApplication xor(
      long object, long offset, byte[] delta, Authority by, long sequence, long completeUpTo) {
    return new XorApplication(
        new XorWrite(
            object(object),
            by,
            new ByteSpan(offset, List.of(ByteBuffer.wrap(delta)), Requests.crcs(offset, delta)),
            new WriteNumbers(sequence, 1, PARTICIPANTS, completeUpTo),
            new FileLength(0, 0),
            false));
  }

  static XorApplication durable(XorApplication application) {
    XorWrite xor = application.write();
    return new XorApplication(
        new XorWrite(xor.name(), xor.authority(), xor.bytes(), xor.numbers(), xor.length(), true));
  }

  static WriteAbort abort(long object, Authority by, long sequence, int count) {
    return new WriteAbort(object(object), by, sequence, count, false);
  }

  static WriteCompletion complete(long object, Authority by, long upTo) {
    return new WriteCompletion(object(object), by, upTo, 0, 0, false);
  }

  /** Kind and numbers of each record: {@code "STRIPE 100:1-3"}. */
  static List<String> listed(ObjectStore store, long object) throws WeftException {
    return store.listPending(object(object), MANAGER).writes().stream()
        .map(PendingRequests::describe)
        .toList();
  }

  private static String describe(PendingWrite write) {
    long grant = write.grant() - lsn(0);
    return write.kind() == PendingKind.STRIPE || write.sequenceCount() > 1
        ? write.kind() + " " + grant + ":" + write.firstSequence() + "-" + write.lastSequence()
        : write.kind() + " " + grant + ":" + write.firstSequence();
  }

  static byte[] bytes(Delta delta) {
    int length = delta.data().stream().mapToInt(ByteBuffer::remaining).sum();
    ByteBuffer all = ByteBuffer.allocate(length);
    delta.data().forEach(part -> all.put(part.duplicate()));
    return all.array();
  }

  static byte[] xored(byte[] one, byte[] other) {
    byte[] result = one.clone();
    for (int i = 0; i < result.length; i++) {
      result[i] ^= other[i];
    }
    return result;
  }
}
