package org.weft.client.stripe.commit;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripeGrant;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.WriteRequest;

/**
 * A stripe write as WRITEs to its components, empty where one only has to be made (P 4.2). These
 * carry the write's id too: the length that they bring is undone with it (P 4.3, 5.4).
 */
public final class WriteOrder implements ComponentOrder {
  /** Up to so many bytes little follows an answer: it needs no other thread. */
  private static final int MAX_EVENT_LOOP_BYTES = 32 << 10;

  private final StripeContext context;
  private final StripeWrite write;

  /** A write to be sent, whose reference goes over to the order. */
  WriteOrder(StripeContext context, StripeWrite write) {
    this.context = context;
    this.write = write;
  }

  @Override
  public List<Integer> participants() {
    return write.participants();
  }

  @Override
  public int seqCount() {
    return write.seqCount();
  }

  @Override
  public boolean isAbortable(ErrorCode failure) {
    return failure == ErrorCode.NO_SPACE && write.isAbortable();
  }

  @Override
  public long eofBytes() {
    return write.eofBytes();
  }

  @Override
  public int truncationNumber(StripeGrant grant) {
    return write.truncationNumber(grant);
  }

  @Override
  public CompletableFuture<?> attempt(Try attempt) {
    List<UnitBuffer> units = write.units(attempt.component());
    WriteRequest.Builder request =
        request(attempt.terms(), attempt.completeUpTo())
            .setEof(write.eofBytes())
            .setTruncationNumber(write.truncationNumber(attempt.terms().grant()))
            .setDurable(write.isDurable())
            .addAllParticipants(attempt.present())
            .setFirstSeq(attempt.firstSeq())
            .setSeqCount(write.seqCount());
    if (!units.isEmpty()) {
      request.setOffset(write.offsetBytes(attempt.component()));
    }
    units.forEach(unit -> unit.eachCrc(request::addBlockCrc));
    if (attempt.create()) {
      create(request, attempt);
    }
    // The transport may hold on to the bytes longer than the call lasts.
    write.retain();
    List<ByteBuffer> bytes = units.stream().map(UnitBuffer::bytes).toList();
    Payload payload = Payload.of(bytes, write::release);
    return payload.lengthBytes() <= MAX_EVENT_LOOP_BYTES
        ? context.osds().writeFew(attempt.target(), request, payload)
        : context.osds().write(attempt.target(), request, payload);
  }

  /** Has the component made, with its attributes, if it is not there (P 6.6). */
  static void create(WriteRequest.Builder request, Try attempt) {
    request.setCreate(attempt.terms().file().map().tag(attempt.component()));
    if (attempt.component() < attempt.terms().attributeComponents()) {
      attempt.terms().grant().initialAttributes().ifPresent(request::setInitialAttributes);
    }
  }

  /** A WRITE of no bytes: says what is complete, and raises the object's version (P 5.4, 5.7). */
  public static WriteRequest.Builder request(WriteTerms terms, long completeUpTo) {
    return WriteRequest.newBuilder()
        .setObjectId(terms.file().name().object().value())
        .setGrant(terms.grant().number())
        .setTruncationNumber(terms.grant().truncationNumber())
        .setCompleteUpTo(completeUpTo);
  }

  @Override
  public boolean needsFlush() {
    return !write.isDurable();
  }

  @Override
  public void release() {
    write.release();
  }
}
