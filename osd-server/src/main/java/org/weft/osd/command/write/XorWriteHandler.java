package org.weft.osd.command.write;

import com.google.protobuf.MessageLite;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.MutationHandler;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.XorApplication;
import org.weft.osd.store.mutation.XorWrite;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.XorWriteRequest;

/** XOR_WRITE: a δ goes onto a parity, at most once (P 5.3, 5.4). */
final class XorWriteHandler implements MutationHandler {
  private final CapabilityChecker checker;

  XorWriteHandler(CapabilityChecker checker) {
    this.checker = checker;
  }

  @Override
  public Mutation prepare(ReceivedCommand command) throws WeftException {
    XorWriteRequest request = command.parse(XorWriteRequest.parser());
    XorWrite write = XorFields.of(request).checked(checker, command);
    CommandLimits.wholeBlocks("offset", request.getOffset());
    CommandLimits.wholeBlocks("length", command.payload().lengthBytes());
    return new XorApplication(write);
  }

  @Override
  public boolean mayBeBrief(ReceivedCommand command) {
    return true;
  }

  @Override
  public MessageLite reply(Receipt receipt) {
    return RangeReplies.of(receipt);
  }
}
