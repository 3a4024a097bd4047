package org.weft.client.stripe;

import java.nio.ByteBuffer;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.weft.client.osd.OsdTarget;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.WriteReply;
import org.weft.protocol.wire.WriteRequest;

/** The writes of one scrub, under a grant number of its own. Confined to the scrub's steps. */
final class ScrubWrites {
  private final StripeEngine engine;
  private final StripedFile file;
  private final long grant;
  private final long eofBytes;
  private final int truncationNumber;
  private final SortedSet<Integer> written = new TreeSet<>();
  private long lastSeq;

  ScrubWrites(
      StripeEngine engine, StripedFile file, long grant, long eofBytes, int truncationNumber) {
    this.engine = engine;
    this.file = file;
    this.grant = grant;
    this.eofBytes = eofBytes;
    this.truncationNumber = truncationNumber;
  }

  /** The number of a write to units of one stripe. */
  long nextSeq() {
    return ++lastSeq;
  }

  /** Overwrites a unit, from the start of its place; makes the component if it is not there. */
  CompletableFuture<WriteReply> unit(
      long seq, Iterable<Integer> participants, int component, long offsetBytes, ByteBuffer unit) {
    written.add(component);
    WriteRequest.Builder request =
        request()
            .setOffset(offsetBytes)
            .setFirstSeq(seq)
            .setSeqCount(1)
            .addAllParticipants(participants)
            .setCreate(file.map().tag(component));
    for (int crc : BlockChecksums.of(unit)) {
      request.addBlockCrc(crc);
    }
    return engine.osds().write(target(component), request, Payload.of(unit));
  }

  /** Makes an empty component. */
  CompletableFuture<WriteReply> create(int component) {
    WriteRequest.Builder request = request().setCreate(file.map().tag(component));
    return engine.osds().write(target(component), request, Payload.EMPTY);
  }

  /** Tells all components written to that everything is complete (P 5.4), and waits for them. */
  CompletableFuture<Void> complete() {
    CompletableFuture<?>[] told =
        written.stream()
            .map(
                component ->
                    engine
                        .osds()
                        .write(
                            target(component), request().setCompleteUpTo(lastSeq), Payload.EMPTY))
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(told);
  }

  private WriteRequest.Builder request() {
    return WriteRequest.newBuilder()
        .setObjectId(file.name().object().value())
        .setGrant(grant)
        .setEof(eofBytes)
        .setTruncationNumber(truncationNumber);
  }

  private OsdTarget target(int component) {
    return file.target(component, engine.options().writeAttemptMillis());
  }
}
