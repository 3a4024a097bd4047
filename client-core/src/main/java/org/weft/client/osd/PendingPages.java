package org.weft.client.osd;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.ListPendingReply;
import org.weft.protocol.wire.ListPendingRequest;
import org.weft.protocol.wire.PendingWrite;

/**
 * The pending list of an object, put together from as many answers as it takes (P 5.5). All are as
 * of one commit: if the object has changed between two of them, it begins anew.
 */
final class PendingPages {
  private static final int MAX_STARTS = 16;
  private static final int MAX_PAGES = 256;

  private final ListPendingRequest request;
  private final Function<ListPendingRequest.Builder, CompletableFuture<ListPendingReply>> calls;
  private int starts;
  private int pages;

  /**
   * @param calls asks for one page
   */
  PendingPages(
      ListPendingRequest request,
      Function<ListPendingRequest.Builder, CompletableFuture<ListPendingReply>> calls) {
    this.request = request;
    this.calls = calls;
  }

  /**
   * Everything as one answer. Fails with BUSY if the list never stands still, with OVERLOADED if it
   * has no end. To be called once.
   */
  CompletableFuture<ListPendingReply> all() {
    return start();
  }

  private CompletableFuture<ListPendingReply> start() {
    pages = 0;
    if (++starts > MAX_STARTS) {
      return failed(
          ErrorCode.BUSY, "changes faster than it can be read, %d times".formatted(MAX_STARTS));
    }
    return calls.apply(request.toBuilder()).thenCompose(reply -> go(reply.toBuilder()));
  }

  private CompletableFuture<ListPendingReply> go(ListPendingReply.Builder all) {
    if (!all.getMore()) {
      return CompletableFuture.completedFuture(all.build());
    }
    if (all.getWritesCount() == 0 || ++pages > MAX_PAGES) {
      return failed(ErrorCode.OVERLOADED, "does not end after %d replies".formatted(pages));
    }
    PendingWrite last = all.getWrites(all.getWritesCount() - 1);
    ListPendingRequest.Builder next =
        request.toBuilder().setAfterGrant(last.getGrant()).setAfterSeq(last.getFirstSeq());
    return calls
        .apply(next)
        .thenCompose(
            reply ->
                reply.getState().equals(all.getState())
                    ? go(all.addAllWrites(reply.getWritesList()).setMore(reply.getMore()))
                    : start());
  }

  private CompletableFuture<ListPendingReply> failed(ErrorCode code, String why) {
    return CompletableFuture.failedFuture(
        new WeftException(code, "the pending list of object " + request.getObjectId() + " " + why));
  }
}
