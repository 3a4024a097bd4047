package org.weft.osd.command.write;

import com.google.protobuf.MessageLite;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.MutationHandler;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.VersionRaise;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.RaiseVersionReply;
import org.weft.protocol.wire.RaiseVersionRequest;

/** RAISE_VERSION: smaller grants are refused from now on; always durable (P 5.7). */
final class RaiseVersionHandler implements MutationHandler {
  private final CapabilityChecker checker;

  RaiseVersionHandler(CapabilityChecker checker) {
    this.checker = checker;
  }

  @Override
  public Mutation prepare(ReceivedCommand command) throws WeftException {
    RaiseVersionRequest request = command.parse(RaiseVersionRequest.parser());
    Authorized authorized =
        checker.object(
            command, request.getCapability(), request.getObjectId(), Right.MANAGE, Right.COPY);
    long number = authorized.capability().grant();
    if (authorized.copiesAlone() && request.getVersion() != number) {
      throw CommandLimits.invalid(
          "a right to copy raises the version of a component to its own number %s alone, not to %s",
          new Lsn(number), new Lsn(request.getVersion()));
    }
    return new VersionRaise(authorized.name(), authorized.authority(), request.getVersion());
  }

  @Override
  public MessageLite reply(Receipt receipt) {
    return RaiseVersionReply.newBuilder().setVersion(receipt.inForce()).build();
  }
}
