package org.weft.osd.command.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.PendingList;
import org.weft.osd.store.PendingWrite;
import org.weft.osd.store.value.CompletionMark;
import org.weft.osd.store.value.ObjectTag;
import org.weft.protocol.wire.ListPendingReply;
import org.weft.protocol.wire.ListPendingRequest;

/** Lists of any length can be read: what no frame takes comes in parts (P 5.5). */
class ListPendingPagesTest {
  private static final ObjectTag TAG = new ObjectTag(1, 2, 4, 2, 65_536, 1, 2_000);

  private static PendingList list(int grants, int writesOfEach) {
    List<PendingWrite> writes = new ArrayList<>();
    List<CompletionMark> marks = new ArrayList<>();
    for (int grant = 1; grant <= grants; grant++) {
      // Some grants are negative as signed numbers.
      long number = ((long) grant << 60) + 7;
      marks.add(new CompletionMark(number, 3));
      for (int i = 0; i < writesOfEach; i++) {
        List<Integer> participants = IntStream.range(0, 20).boxed().toList();
        writes.add(
            new PendingWrite(
                number, 4 + 3L * i, 3, PendingKind.STRIPE, participants, 1L << 40, 1 << 20, i, 1));
      }
    }
    return new PendingList(5, 6, writes, marks, 9, 8, 7, 1, TAG, 4_096);
  }

  @Test
  void aListThatNoFrameTakesComesInParts() {
    PendingList list = list(12, 10_240);
    List<org.weft.protocol.wire.PendingWrite> read = new ArrayList<>();
    ListPendingRequest request = ListPendingRequest.getDefaultInstance();
    ListPendingReply reply;
    int parts = 0;
    do {
      reply = ListPendingHandler.reply(list, request);
      parts++;
      assertTrue(reply.getSerializedSize() < CommandLimits.MAX_REPLY_BODY_BYTES / 2);
      assertEquals(12, reply.getMarksCount());
      read.addAll(reply.getWritesList());
      request =
          request.toBuilder()
              .setAfterGrant(read.get(read.size() - 1).getGrant())
              .setAfterSeq(read.get(read.size() - 1).getFirstSeq())
              .build();
    } while (reply.getMore());
    assertTrue(parts > 5, parts + " parts");
    assertEquals(list.writes().size(), read.size());
    for (int i = 0; i < read.size(); i++) {
      assertEquals(list.writes().get(i).grant(), read.get(i).getGrant());
      assertEquals(list.writes().get(i).firstSequence(), read.get(i).getFirstSeq());
    }
  }

  @Test
  void aShortListIsOneAnswer() {
    ListPendingReply reply =
        ListPendingHandler.reply(list(2, 100), ListPendingRequest.getDefaultInstance());
    assertEquals(200, reply.getWritesCount());
    assertEquals(false, reply.getMore());
  }
}
