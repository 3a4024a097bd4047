package org.weft.osd.command.write;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.osd.command.request.AttributePages;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.MutationHandler;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.command.request.WriteIds;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.ByteSpan;
import org.weft.osd.store.value.FileLength;
import org.weft.osd.store.value.ObjectCreation;
import org.weft.osd.store.value.ObjectTag;
import org.weft.osd.store.value.WorkingKey;
import org.weft.osd.store.value.WriteNumbers;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.capability.InitialAttributesSignature;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.InitialAttributes;
import org.weft.protocol.wire.WriteReply;
import org.weft.protocol.wire.WriteRequest;

/** WRITE (P 5.3, 5.4, 6.6). */
final class WriteHandler implements MutationHandler {
  private final CapabilityChecker checker;

  WriteHandler(CapabilityChecker checker) {
    this.checker = checker;
  }

  @Override
  public Mutation prepare(ReceivedCommand command) throws WeftException {
    WriteRequest request = command.parse(WriteRequest.parser());
    Authorized authorized =
        checker.object(
            command, request.getCapability(), request.getObjectId(), Right.WRITE, Right.COPY);
    int lengthBytes = command.payload().lengthBytes();
    WriteFields.checkRange(request.getOffset(), lengthBytes, authorized);
    WriteFields.checkLength(request.getEof(), request.getTruncationNumber());
    checkSequence(request, lengthBytes);
    if (request.getLost() && !authorized.manager()) {
      throw CommandLimits.invalid("only managers call blocks lost");
    }
    Optional<ObjectTag> create = Tags.checked(request.hasCreate(), request.getCreate());
    if (create.isPresent() && !authorized.capability().allowsAny(Right.CREATE, Right.COPY)) {
      throw new WeftException(
          ErrorCode.CAPABILITY_INVALID,
          "the capability does not allow to create " + authorized.name());
    }
    return new ObjectWrite(
        authorized.name(),
        WriteIds.writer(request.getGrant(), authorized),
        new ByteSpan(
            request.getOffset(),
            command.payload().buffers(),
            CommandLimits.blockCrcs(request.getBlockCrcList(), request.getOffset(), lengthBytes),
            request.getLost()),
        new WriteNumbers(
            request.getFirstSeq(),
            request.getSeqCount(),
            WriteFields.participants(request.getParticipantsList()),
            request.getCompleteUpTo()),
        new FileLength(request.getEof(), request.getTruncationNumber()),
        new ObjectCreation(create, initialAttributes(request, authorized)),
        request.getDurable());
  }

  private static void checkSequence(WriteRequest request, int lengthBytes) throws WeftException {
    CommandLimits.atMost("first seq", request.getFirstSeq(), CommandLimits.MAX_SEQ);
    CommandLimits.atMost("seq count", request.getSeqCount(), CommandLimits.MAX_SEQ_COUNT);
    CommandLimits.atMost("completeUpTo", request.getCompleteUpTo(), CommandLimits.MAX_SEQ);
    boolean numbered = request.getFirstSeq() > 0 && request.getSeqCount() > 0;
    if (lengthBytes > 0 && !numbered) {
      throw CommandLimits.invalid(
          "a write of %d bytes needs at least one seq, and seqs start at 1: got first %d, count %d",
          lengthBytes, request.getFirstSeq(), request.getSeqCount());
    }
  }

  private static Optional<AttributeValue> initialAttributes(
      WriteRequest request, Authorized authorized) throws WeftException {
    if (!request.hasInitialAttributes()) {
      return Optional.empty();
    }
    if (!request.hasCreate()) {
      throw CommandLimits.invalid("initial attributes come only with a write that may create");
    }
    InitialAttributes initial = request.getInitialAttributes();
    AttributePage page = initial.getPage();
    AttributeValue value = AttributePages.checked(page);
    byte[] mac = initial.getMac().toByteArray();
    for (WorkingKey key : authorized.partition().keys()) {
      byte[] expected =
          InitialAttributesSignature.sign(
              key.key(),
              authorized.name(),
              page.getPage(),
              page.getLsn(),
              page.getValue().asReadOnlyByteBuffer());
      if (Hmac.same(mac, expected)) {
        return Optional.of(value);
      }
    }
    throw new WeftException(
        ErrorCode.CAPABILITY_INVALID,
        "the initial attributes of " + authorized.name() + " are not signed by its manager");
  }

  @Override
  public boolean mayBeBrief(ReceivedCommand command) throws WeftException {
    // What may have to be made is looked up in the tables.
    return !command.parse(WriteRequest.parser()).hasCreate();
  }

  @Override
  public MessageLite reply(Receipt receipt) {
    return WriteReply.newBuilder()
        .setPendingCheckpoint(receipt.pendingCheckpoint())
        .setDurableCheckpoint(receipt.durableCheckpoint())
        .build();
  }
}
