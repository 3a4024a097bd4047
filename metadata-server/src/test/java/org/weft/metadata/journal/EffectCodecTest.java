package org.weft.metadata.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.EffectCodec.SnapshotPart;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.OwnedStripes;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.wire.EffectMessage;
import org.weft.protocol.wire.JournalRecordBody;
import org.weft.protocol.wire.JournalSnapshotBody;

class EffectCodecTest {
  @Test
  void everyKindOfEffectSurvivesTheTripThroughBytes() {
    List<Effect> effects = Samples.everyEffect();
    assertEquals(
        kinds(ObjectEffect.class) + kinds(LiveEffect.class),
        effects.stream().map(Effect::getClass).distinct().count(),
        "the sample misses a kind");
    byte[] bytes = EffectCodec.encodeRecord(effects);
    assertEquals(effects, EffectCodec.decodeRecord(ByteBuffer.wrap(bytes)));
  }

  private static long kinds(Class<?> of) {
    return of.isSealed()
        ? Stream.of(of.getPermittedSubclasses()).mapToLong(EffectCodecTest::kinds).sum()
        : 1;
  }

  @Test
  void aSnapshotIsCutIntoPartsThatMakeItWhole() {
    List<LiveEffect> state = new ArrayList<>();
    for (int index = 0; index < 2_000; index++) {
      Samples.everyEffect().stream()
          .filter(effect -> effect instanceof LiveEffect)
          .forEach(effect -> state.add((LiveEffect) effect));
    }
    List<byte[]> parts = EffectCodec.encodeSnapshot(state);
    assertTrue(parts.size() > 1);
    List<LiveEffect> read = new ArrayList<>();
    for (int index = 0; index < parts.size(); index++) {
      SnapshotPart part = EffectCodec.decodeSnapshotPart(ByteBuffer.wrap(parts.get(index)));
      assertEquals(index, part.part());
      assertEquals(index == parts.size() - 1, part.last());
      read.addAll(part.effects());
    }
    assertEquals(notesLast(state), notesLast(read));
  }

  private static List<LiveEffect> notesLast(List<LiveEffect> effects) {
    return effects.stream()
        .sorted(Comparator.comparing(effect -> effect instanceof LiveEffect.OfScrub))
        .toList();
  }

  @Test
  void earlierReleaseSkipsScrubNotes() throws Exception {
    List<LiveEffect> notes =
        Samples.everyEffect().stream()
            .filter(LiveEffect.OfScrub.class::isInstance)
            .map(LiveEffect.class::cast)
            .toList();
    byte[] record = EffectCodec.encodeRecord(List.copyOf(notes));
    assertEquals(List.of(), JournalRecordBody.parseFrom(record).getEffectsList());
    byte[] snapshot = EffectCodec.encodeSnapshot(notes).get(0);
    assertEquals(List.of(), JournalSnapshotBody.parseFrom(snapshot).getEffectsList());
    assertEquals(notes, EffectCodec.decodeSnapshotPart(ByteBuffer.wrap(snapshot)).effects());
  }

  /** A range has its beginning and its end beside each other; 0 as the end: all that follows. */
  @Test
  void goldenRangesOfAGrant() {
    OwnedStripes owned =
        OwnedStripes.NONE
            .plus(new ByteRange(5, 20), RangeUse.WRITING)
            .plus(new ByteRange(40, ByteRange.END), RangeUse.READING);
    LiveEffect effect = new LiveEffect.GrantRanges(Lsn.of(4, 5), new ObjectId(9), owned);
    byte[] record = EffectCodec.encodeRecord(List.of(effect));
    assertEquals(
        "0a18" // an effect
            + "d20215" // ranges of a grant
            + "090500000000040000" // number 4:5
            + "1009" // object 9
            + "2a" // writing
            + "0408051014" // 5 up to 20
            + "32" // reading
            + "020828", // 40 up to the end
        HexFormat.of().formatHex(record));
    assertEquals(List.of(effect), EffectCodec.decodeRecord(ByteBuffer.wrap(record)));
  }

  @Test
  void aNoteOfANewerReleaseIsPassedOver() {
    JournalRecordBody body =
        JournalRecordBody.newBuilder().addNotes(EffectMessage.getDefaultInstance()).build();
    assertEquals(List.of(), EffectCodec.decodeRecord(ByteBuffer.wrap(body.toByteArray())));
  }

  @Test
  void anEmptySnapshotIsOnePart() {
    List<byte[]> parts = EffectCodec.encodeSnapshot(List.of());
    assertEquals(1, parts.size());
    assertTrue(EffectCodec.decodeSnapshotPart(ByteBuffer.wrap(parts.get(0))).last());
  }

  @Test
  void mutatedBodiesAreReadOrRefusedAndNothingElse() {
    byte[] bytes = EffectCodec.encodeRecord(Samples.everyEffect());
    Random random = new Random(4);
    for (int round = 0; round < 20_000; round++) {
      byte[] mutated = bytes.clone();
      for (int change = random.nextInt(4); change >= 0; change--) {
        mutated[random.nextInt(mutated.length)] = (byte) random.nextInt(256);
      }
      ByteBuffer body = ByteBuffer.wrap(mutated, 0, 1 + random.nextInt(mutated.length));
      try {
        EffectCodec.decodeRecord(body);
      } catch (IllegalArgumentException expected) {
        assertTrue(expected.getMessage() != null);
      }
    }
  }

  @Test
  void anEffectOfANewerReleaseIsRefused() {
    byte[] bytes = {0x0a, 0x04, (byte) 0xfa, 0x07, 0x01, 0x00};
    assertThrows(
        IllegalArgumentException.class, () -> EffectCodec.decodeRecord(ByteBuffer.wrap(bytes)));
  }
}
