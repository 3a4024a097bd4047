package org.weft.nfs.locks.procedure;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.client.lock.RangeHolder;
import org.weft.nfs.files.FileException;
import org.weft.nfs.locks.ClientLocks;
import org.weft.nfs.locks.LockStatus;
import org.weft.nfs.locks.NlmOwner;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmHolder;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.protocol.layout.ByteRange;

/** TEST, RFC 1813 section 6.3.1: whether a lock would be granted. */
record TestProcedure(LockEntry entry, ClientLocks locks) implements NlmOperation<NlmMessage.Test> {
  @Override
  public NlmMessage.Test read(XdrReader in) throws MalformedXdrException {
    return NlmMessage.Test.read(in);
  }

  @Override
  public CompletionStage<NlmMessage.Tested> carryOut(RpcCall call, NlmMessage.Test test) {
    CompletableFuture<Optional<RangeHolder>> holder;
    try {
      holder = locks.test(entry.enter(call, test.lock(), test.exclusive()));
    } catch (FileException e) {
      holder = CompletableFuture.failedFuture(e);
    }
    return holder
        .thenApply(
            found ->
                new NlmMessage.Tested(
                    test.cookie(),
                    found.isPresent() ? NlmStatus.DENIED : NlmStatus.GRANTED,
                    found.map(TestProcedure::holder)))
        .exceptionally(
            failure ->
                new NlmMessage.Tested(
                    test.cookie(), LockStatus.of(unwrapped(failure)), Optional.empty()));
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure.getCause() instanceof FileException refusal ? refusal : failure;
  }

  private static NlmHolder holder(RangeHolder holder) {
    return new NlmHolder(
        holder.exclusive(),
        NlmOwner.processOf(holder.owner()),
        new NetObject(holder.owner().toByteArray()),
        range(holder.range()));
  }

  private static NlmRange range(ByteRange range) {
    return new NlmRange(range.from(), range.to() == ByteRange.END ? 0 : range.to() - range.from());
  }
}
