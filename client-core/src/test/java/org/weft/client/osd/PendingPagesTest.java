package org.weft.client.osd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.ListPendingReply;
import org.weft.protocol.wire.ListPendingRequest;
import org.weft.protocol.wire.PendingWrite;

/** A list that comes in parts is seen as it was at one moment (P 5.5). */
class PendingPagesTest {
  private static final ListPendingRequest REQUEST =
      ListPendingRequest.newBuilder().setObjectId(77).build();

  private final List<Long> asked = new ArrayList<>();
  private long last = 10;
  private int commit;
  private int changesLeft;

  /** Parts of three; the list may grow, and lose its first write, after each. */
  private CompletableFuture<ListPendingReply> part(ListPendingRequest.Builder request) {
    assertEquals(77, request.getObjectId());
    asked.add(request.getAfterSeq());
    List<PendingWrite> behind =
        LongStream.rangeClosed(1 + commit, last)
            .filter(seq -> seq > request.getAfterSeq())
            .mapToObj(seq -> PendingWrite.newBuilder().setGrant(5).setFirstSeq(seq).build())
            .toList();
    ListPendingReply reply =
        ListPendingReply.newBuilder()
            .addAllWrites(behind.subList(0, Math.min(3, behind.size())))
            .setMore(behind.size() > 3)
            .setState(ByteString.copyFromUtf8("as of " + commit))
            .setEof(1_000 + commit)
            .build();
    if (changesLeft > 0) {
      changesLeft--;
      commit++;
      last++;
    }
    return CompletableFuture.completedFuture(reply);
  }

  private static List<Long> seqs(ListPendingReply list) {
    return list.getWritesList().stream().map(PendingWrite::getFirstSeq).toList();
  }

  private ListPendingReply all() {
    return new PendingPages(REQUEST, this::part).all().join();
  }

  @Test
  void partsAreReadOneAfterAnother() {
    ListPendingReply list = all();
    assertEquals(LongStream.rangeClosed(1, 10).boxed().toList(), seqs(list));
    assertEquals(false, list.getMore());
    assertEquals(List.of(0L, 3L, 6L, 9L), asked);
  }

  @Test
  void aListThatChangedInBetweenIsReadAnew() {
    changesLeft = 2;
    ListPendingReply list = all();
    assertEquals(LongStream.rangeClosed(3, 12).boxed().toList(), seqs(list));
    assertEquals(1_002, list.getEof());
  }

  @Test
  void aListThatNeverStandsStillIsBusy() {
    changesLeft = Integer.MAX_VALUE;
    last = 1_000_000;
    CompletionException thrown = assertThrows(CompletionException.class, this::all);
    assertEquals(ErrorCode.BUSY, WeftException.of(thrown).code());
  }

  @Test
  void aListWithoutAnEndIsGivenUp() {
    PendingPages pages =
        new PendingPages(
            REQUEST,
            request ->
                CompletableFuture.completedFuture(
                    ListPendingReply.newBuilder()
                        .addWrites(PendingWrite.newBuilder().setGrant(5).setFirstSeq(6))
                        .setMore(true)
                        .build()));
    CompletionException thrown = assertThrows(CompletionException.class, () -> pages.all().join());
    assertEquals(ErrorCode.OVERLOADED, WeftException.of(thrown).code());
  }
}
