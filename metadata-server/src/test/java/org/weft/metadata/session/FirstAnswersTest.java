package org.weft.metadata.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.RepeatKey;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.wire.EffectMessage;
import org.weft.protocol.wire.RepeatKeyMessage;
import org.weft.protocol.wire.ReplyEffect;

/** Which answers are kept for repeats through other gateways, and which go (P 6.5c). */
class FirstAnswersTest {
  private final FirstAnswers answers = new FirstAnswers();

  private static RepeatKey key(int client, int number) {
    return new RepeatKey(
        ByteString.copyFrom(new byte[] {10, 0, 0, (byte) client}), number, 9, digest(number));
  }

  private static ByteString digest(int of) {
    return ByteString.copyFrom(ByteBuffer.allocate(RepeatKey.DIGEST_BYTES).putInt(of).array());
  }

  private void answer(RepeatKey key, int bytes, long nowNanos) {
    answer(1, key, bytes, nowNanos);
  }

  private void answer(int session, RepeatKey key, int bytes, long nowNanos) {
    answers.answered(reply(session, key, bytes), Lsn.of(1, 1), nowNanos);
  }

  private static LiveEffect.Reply reply(int session, RepeatKey key, int bytes) {
    return new LiveEffect.Reply(
        new SessionId(session), 0, 1, ByteString.copyFrom(new byte[bytes]), Optional.of(key));
  }

  private boolean has(RepeatKey key, long nowNanos) {
    return answers.find(key, nowNanos).isPresent();
  }

  @Test
  void anotherNumberDigestOrClientIsAnotherRequest() {
    answer(key(1, 5), 10, 0);
    assertTrue(has(key(1, 5), 0));
    assertFalse(has(key(1, 6), 0));
    assertFalse(has(key(2, 5), 0));
    assertFalse(has(new RepeatKey(key(1, 5).client(), 5, 9, digest(6)), 0));
    assertFalse(has(new RepeatKey(key(1, 5).client(), 5, 10, ByteString.EMPTY), 0));
  }

  @Test
  void theDigestAloneCountsWhereBothHaveOne() {
    RepeatKey key = key(1, 5);
    answer(key, 10, 0);
    RepeatKey later = new RepeatKey(key.client(), 5, 77, key.digest());
    assertTrue(has(later, 0), "its credential has another stamp");
    answer(later, 10, 0);
    assertEquals(1, answers.size());
    assertTrue(has(later.withoutDigest(), 0));
    answers.dropOld(FirstAnswers.KEPT_NANOS);
    assertFalse(has(later.withoutDigest(), FirstAnswers.KEPT_NANOS));
  }

  @Test
  void requestWithoutADigestIsKnownByItsChecksum() {
    RepeatKey key = key(1, 5);
    answer(key.withoutDigest(), 10, 0);
    assertTrue(has(key, 0));
    assertFalse(has(new RepeatKey(key.client(), 5, 10, key.digest()), 0));
    answers.dropOld(FirstAnswers.KEPT_NANOS);
    answer(key, 10, FirstAnswers.KEPT_NANOS);
    assertTrue(has(key.withoutDigest(), FirstAnswers.KEPT_NANOS));
  }

  @Test
  void oneClientTakesNoRoomFromAnother() {
    answer(key(1, 0), 10, 0);
    for (int number = 0; number < 2 * FirstAnswers.MAX_OF_A_CLIENT; number++) {
      answer(key(2, number), 10, 0);
    }
    assertEquals(1 + FirstAnswers.MAX_OF_A_CLIENT, answers.size());
    assertTrue(has(key(1, 0), 0));
    assertFalse(has(key(2, FirstAnswers.MAX_OF_A_CLIENT - 1), 0));
    assertTrue(has(key(2, FirstAnswers.MAX_OF_A_CLIENT), 0));
  }

  /**
   * A host has mounted two gateways. One dies, with a change whose reply is lost; the programs on
   * the other mount go on until the first gateway is back.
   */
  @Test
  void answersOfADeadGatewayKeepTheirRoomFromALivingOne() {
    answer(1, key(1, 0), 10, 0);
    for (int number = 1; number < 8 * FirstAnswers.MAX_OF_A_CLIENT; number++) {
      answer(2, key(1, number), 200, 0);
    }
    assertTrue(has(key(1, 0), 0));
    assertEquals(1 + FirstAnswers.MAX_OF_A_CLIENT, answers.size());
    FirstAnswers next = new FirstAnswers();
    for (LiveEffect effect : answers.snapshot()) {
      next.answered((LiveEffect.Reply) effect, Lsn.ZERO, 0);
    }
    assertEquals(answers.size(), next.size(), "a manager that starts again counts likewise");
    for (int number = 8; number < 16; number++) {
      for (int i = 0; i < FirstAnswers.MAX_OF_A_CLIENT; i++) {
        RepeatKey key = key(1, number * FirstAnswers.MAX_OF_A_CLIENT + i);
        next.answered(reply(2, key, 200), Lsn.ZERO, 0);
      }
    }
    assertTrue(next.find(key(1, 0), 0).isPresent());
    assertEquals(1 + FirstAnswers.MAX_OF_A_CLIENT, next.size());
  }

  @Test
  void theOldestGoWhenAllTakeTooManyBytes() {
    int each = (int) ((1 << 20) - FirstAnswers.FRAME_BYTES - 4 - RepeatKey.DIGEST_BYTES);
    for (int number = 0; number < 20; number++) {
      answer(key(number, 1), each, 0);
    }
    assertEquals(FirstAnswers.MAX_BYTES >> 20, answers.size());
    assertFalse(has(key(16, 1), 0));
    assertTrue(has(key(17, 1), 0));
  }

  /** A client is quiet when its gateway has died, and that is when its answers are asked for. */
  @Test
  void manyBusyClientsTakeNoRoomFromAQuietOne() {
    for (int number = 0; number < 64; number++) {
      answer(key(0, number), 300, 0);
    }
    for (int number = 0; number < FirstAnswers.MAX_OF_A_CLIENT; number++) {
      for (int client = 1; client <= 100; client++) {
        answer(key(client, number), 300, 0);
      }
    }
    for (int number = 0; number < 64; number++) {
      assertTrue(has(key(0, number), 0), "of the quiet one: " + number);
    }
    assertTrue(has(key(100, FirstAnswers.MAX_OF_A_CLIENT - 1), 0), "the latest of a busy one");
  }

  /** A snapshot is one group of a journal, whose segments have 16 MiB. */
  @Test
  void aSnapshotOfAllIsAQuarterOfASegmentAtMost() {
    for (int number = 0; number < 40_000; number++) {
      answer(key(number % 100, number), number % 3 == 0 ? 900 : 1, 0);
    }
    long bytes =
        answers.snapshot().stream()
            .mapToLong(effect -> stored((LiveEffect.Reply) effect).getSerializedSize() + 8)
            .sum();
    assertTrue(bytes <= 4 << 20, bytes + " bytes");
  }

  private static EffectMessage stored(LiveEffect.Reply reply) {
    RepeatKey key = reply.repeat().orElseThrow();
    return EffectMessage.newBuilder()
        .setReply(
            ReplyEffect.newBuilder()
                .setSequence(Long.MAX_VALUE)
                .setBytes(reply.bytes())
                .setRepeat(
                    RepeatKeyMessage.newBuilder()
                        .setClient(key.client())
                        .setNumber(key.number())
                        .setChecksum(key.checksum())
                        .setDigest(key.digest())))
        .build();
  }

  @Test
  void anAnswerIsForgottenAfterItsTime() {
    answer(key(1, 1), 10, 0);
    answer(key(1, 2), 10, 100);
    assertTrue(has(key(1, 1), FirstAnswers.KEPT_NANOS - 1));
    assertFalse(has(key(1, 1), FirstAnswers.KEPT_NANOS));
    assertTrue(has(key(1, 2), FirstAnswers.KEPT_NANOS));
    answers.dropOld(FirstAnswers.KEPT_NANOS + 100);
    assertEquals(0, answers.size());
  }

  @Test
  void aRecordThatIsAppliedTwiceLeavesOneAnswer() {
    answer(key(1, 1), 10, 0);
    answer(key(1, 2), 10, 0);
    answer(key(1, 1), 10, 0);
    assertEquals(2, answers.size());
    answers.dropOld(FirstAnswers.KEPT_NANOS);
    assertEquals(0, answers.size());
    answer(key(1, 3), 10, FirstAnswers.KEPT_NANOS);
    assertEquals(1, answers.size());
  }

  @Test
  void aSnapshotMakesTheSameAnswersInTheSameOrder() {
    answer(key(1, 1), 10, 0);
    answer(key(2, 1), 20, 0);
    FirstAnswers next = new FirstAnswers();
    for (LiveEffect effect : answers.snapshot()) {
      next.answered((LiveEffect.Reply) effect, Lsn.ZERO, 7);
    }
    assertEquals(
        List.of(key(1, 1), key(2, 1)),
        next.snapshot().stream()
            .map(effect -> ((LiveEffect.Reply) effect).repeat().orElseThrow())
            .toList());
    assertEquals(20, next.find(key(2, 1), 7).orElseThrow().body().size());
  }
}
