package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.weft.metadata.grant.RecallTable.Recall;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.metadata.volume.operation.volume.AddLiveEffects;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.OwnedStripes;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.layout.StorageMap;

/** Several grants own a range of a shared file for reading, or one alone for writing (P 6.5). */
class SharedReadersTest {
  private TestVolume volume;
  private TestClient first;
  private TestClient second;
  private TestClient third;
  private Held one;
  private Held two;
  private Held three;
  private long stripe;

  @BeforeEach
  void threeClientsShareAFile() throws WeftException {
    volume = TestVolume.formatted(3);
    first = volume.superuser();
    second = volume.client(TestVolume.SUPERUSER);
    third = volume.client(TestVolume.SUPERUSER);
    stripe = StorageMap.fromMessage(first.write("/f", 100).getMap()).layout().stripeBytes();
    one = Held.of(first.share("/f"));
    two = Held.of(second.share("/f"));
    three = Held.of(third.share("/f"));
  }

  private ByteRange stripes(long from, long to) {
    return new ByteRange(from * stripe, to * stripe);
  }

  private ByteRange read(TestClient client, Held held, long from, long to) throws WeftException {
    return client.acquire(held, stripes(from, to), RangeUse.READING);
  }

  private ByteRange write(TestClient client, Held held, long from, long to) throws WeftException {
    return client.acquire(held, stripes(from, to), RangeUse.WRITING);
  }

  private List<Held> recalled() {
    List<Held> owners = new ArrayList<>();
    for (Recall recall : volume.machine().recalls(volume.now())) {
      owners.add(new Held(recall.owner().object(), recall.owner().number()));
    }
    return owners;
  }

  @Test
  void readersOwnOneRangeSideBySide() throws WeftException {
    assertEquals(stripes(0, 4), read(first, one, 0, 4));
    assertEquals(stripes(2, 6), read(second, two, 2, 6));
    assertEquals(stripes(3, 4), read(third, three, 3, 4));
    assertEquals(List.of(), recalled());
  }

  @Test
  void writerWaitsForAllReadersOfTheRange() throws WeftException {
    read(first, one, 0, 4);
    read(second, two, 2, 6);
    String refusal = refused(ErrorCode.BUSY, () -> write(third, three, 3, 5));
    assertTrue(refusal.contains("wanted for writing"), refusal);
    assertEquals(List.of(one, two), recalled());
    first.release(one, stripes(3, 4), 100);
    refused(ErrorCode.BUSY, () -> write(third, three, 3, 5));
    second.release(two, stripes(2, 6), 100);
    assertEquals(stripes(3, 5), write(third, three, 3, 5));
    assertEquals(stripes(0, 3), read(first, one, 1, 2), "what was not wanted is its own still");
  }

  @Test
  void readersShareARangeAndRecallOnlyTheWriter() throws WeftException {
    read(first, one, 0, 2);
    write(second, two, 2, 4);
    refused(ErrorCode.BUSY, () -> read(third, three, 0, 4));
    assertEquals(List.of(two), recalled());
    second.release(two, stripes(2, 4), 7 * stripe);
    assertEquals(stripes(0, 4), read(third, three, 0, 4));
    assertEquals(stripes(0, 4), read(first, one, 2, 4));
  }

  /** However many read there one after the other, a writer that waits comes before the next one. */
  @Test
  void aStreamOfReadersDoesNotKeepAWriterOut() throws WeftException {
    read(first, one, 0, 1);
    refused(ErrorCode.BUSY, () -> write(second, two, 0, 1));
    String refusal = refused(ErrorCode.BUSY, () -> read(third, three, 0, 1));
    assertTrue(refusal.contains("asked first"), refusal);
    assertEquals(stripes(0, 1), read(first, one, 0, 1), "its own until it gives it back");
    first.release(one, stripes(0, 1), 100);
    refused(ErrorCode.BUSY, () -> read(first, one, 0, 1));
    refused(ErrorCode.BUSY, () -> read(third, three, 0, 1));
    write(second, two, 0, 1);
    second.release(two, stripes(0, 1), 100);
    read(first, one, 0, 1);
    read(third, three, 0, 1);
  }

  @Test
  void readersThatWaitDoNotWaitForEachOther() throws WeftException {
    write(first, one, 0, 4);
    refused(ErrorCode.BUSY, () -> read(second, two, 0, 4));
    refused(ErrorCode.BUSY, () -> read(third, three, 2, 4));
    first.release(one, stripes(0, 4), 100);
    read(third, three, 2, 4);
    read(second, two, 0, 4);
  }

  /** Calls of one client, of which each wants something else, and each asks again and again. */
  @Test
  void clientKeepsItsPlaceForEachWantedRange() throws WeftException {
    write(first, one, 0, 1);
    write(third, three, 4, 6);
    refused(ErrorCode.BUSY, () -> write(second, two, 0, 1));
    refused(ErrorCode.BUSY, () -> read(third, three, 0, 1));
    refused(ErrorCode.BUSY, () -> read(second, two, 0, 1));
    refused(ErrorCode.BUSY, () -> write(second, two, 4, 6));
    first.release(one, stripes(0, 1), 100);
    refused(ErrorCode.BUSY, () -> read(third, three, 0, 1));
    write(second, two, 0, 1);
    second.release(two, stripes(0, 1), 100);
    read(third, three, 0, 1);
  }

  @Test
  void firstOfTwoReadersThatWantToWriteIsServedFirst() throws WeftException {
    read(first, one, 0, 1);
    read(second, two, 0, 1);
    refused(ErrorCode.BUSY, () -> write(first, one, 0, 1));
    refused(ErrorCode.BUSY, () -> write(second, two, 0, 1));
    assertEquals(List.of(two, one), recalled());
    first.release(one, stripes(0, 1), 100);
    refused(ErrorCode.BUSY, () -> write(first, one, 0, 1));
    refused(ErrorCode.BUSY, () -> write(second, two, 0, 1));
    second.release(two, stripes(0, 1), 100);
    refused(ErrorCode.BUSY, () -> write(second, two, 0, 1));
    write(first, one, 0, 1);
    first.release(one, stripes(0, 1), 100);
    write(second, two, 0, 1);
  }

  @Test
  void writtenRangeIsReadableAndReturnedAsAWhole() throws WeftException {
    write(first, one, 1, 2);
    assertEquals(stripes(0, 3), read(first, one, 0, 3));
    assertEquals(owned(stripes(1, 2), RangeUse.WRITING, stripes(0, 3)), ownedBy(one));
    first.release(one, stripes(0, 2), 100);
    assertEquals(OwnedStripes.NONE.plus(stripes(2, 3), RangeUse.READING), ownedBy(one));
    write(second, two, 0, 2);
  }

  private static OwnedStripes owned(ByteRange most, RangeUse use, ByteRange read) {
    return OwnedStripes.NONE.plus(most, use).plus(read, RangeUse.READING);
  }

  private OwnedStripes ownedBy(Held held) {
    return volume.machine().snapshot().stream()
        .filter(LiveEffect.GrantRanges.class::isInstance)
        .map(LiveEffect.GrantRanges.class::cast)
        .filter(effect -> effect.number().equals(held.number()))
        .map(LiveEffect.GrantRanges::owned)
        .findFirst()
        .orElse(OwnedStripes.NONE);
  }

  @Test
  void soleReaderOwnsTheWholeFileUntilAWriterComes() throws WeftException {
    second.close(two, 100, 0);
    third.close(three, 100, 0);
    assertEquals(ByteRange.ALL, read(first, one, 2, 3));
    Held next = Held.of(second.share("/f"));
    assertEquals(stripes(5, 6), read(second, next, 5, 6));
    assertEquals(List.of(), recalled());
    refused(ErrorCode.BUSY, () -> write(second, next, 5, 6));
    assertEquals(List.of(one), recalled());
    first.release(one, stripes(5, 9), 100);
    write(second, next, 5, 6);
  }

  @Test
  void deadReaderDelaysTheWriterForOneLeaseAtMost() throws WeftException {
    read(first, one, 0, 1);
    read(third, three, 0, 1);
    for (int millis = 0; millis < SessionTable.LEASE_MILLIS; millis += 1_000) {
      refused(ErrorCode.BUSY, () -> write(second, two, 0, 1));
      if (millis == 0) {
        third.release(three, stripes(0, 1), 100);
      }
      volume.own(new RenewSession(first.session()));
      volume.own(new RenewSession(third.session()));
      volume.tick();
      volume.pass(1_000);
    }
    refused(ErrorCode.BUSY, () -> write(second, two, 0, 1));
    volume.tick();
    WriteGrant silent = volume.machine().resolving().get(0);
    assertEquals(one.number(), silent.number());
    volume.own(new FinishResolve(silent.number(), 100));
    Held next = Held.of(second.regrant(two));
    assertEquals(stripes(0, 1), write(second, next, 0, 1));
  }

  @Test
  void theNextGrantReadsWhatTheOneBeforeRead() throws WeftException {
    read(second, two, 0, 2);
    write(second, two, 4, 5);
    OwnedStripes before = ownedBy(two);
    first.abandon(one);
    volume.own(new FinishResolve(volume.machine().resolving().get(0).number(), 100));
    Held next = Held.of(second.regrant(two));
    assertEquals(before, ownedBy(next));
    Held other = Held.of(third.regrant(three));
    read(third, other, 0, 2);
    refused(ErrorCode.BUSY, () -> read(third, other, 4, 5));
  }

  /** A wish to write is not granted by what is owned for reading, nor forgotten for that. */
  @Test
  void aReaderThatWaitsToWriteKeepsItsPlaceWhenItReads() throws WeftException {
    read(second, two, 0, 1);
    read(third, three, 0, 1);
    refused(ErrorCode.BUSY, () -> write(second, two, 0, 1));
    assertEquals(stripes(0, 1), read(second, two, 0, 1), "its own still");
    refused(ErrorCode.BUSY, () -> write(third, three, 0, 1));
    second.release(two, stripes(0, 1), 100);
    refused(ErrorCode.BUSY, () -> write(third, three, 0, 1));
    third.release(three, stripes(0, 1), 100);
    refused(ErrorCode.BUSY, () -> write(third, three, 0, 1));
    write(second, two, 0, 1);
  }

  @Test
  void aReaderOfAllOfTheFileDoesNotSetItsLength() throws WeftException {
    second.close(two, 100, 0);
    third.close(three, 100, 0);
    assertEquals(ByteRange.ALL, read(first, one, 0, 1));
    second.share("/f");
    refused(ErrorCode.INVALID_ARGUMENT, () -> first.setLength(one, 10));
    refused(ErrorCode.INVALID_ARGUMENT, () -> first.setLength(one, 1_000));
  }

  /** P 6.5.96: what a grant wants beyond that has no place in the line. */
  @Test
  void aGrantHasSixteenPlacesInTheLine() throws WeftException {
    int places = 16;
    write(first, one, 0, places + 1);
    for (int place = 0; place <= places; place++) {
      int from = place;
      refused(ErrorCode.BUSY, () -> write(second, two, from, from + 1));
    }
    refused(ErrorCode.BUSY, () -> write(third, three, places, places + 1));
    first.release(one, stripes(0, places + 1), 100);
    refused(ErrorCode.BUSY, () -> write(third, three, places - 1, places));
    write(third, three, places, places + 1);
    write(second, two, places - 1, places);
  }

  /** As a journal says it that has given readers the range alone. */
  @Test
  void ownersThatOverlapAskEachOther() throws WeftException {
    OwnedStripes alone = OwnedStripes.NONE.plus(stripes(0, 1), RangeUse.WRITING);
    volume.own(
        new AddLiveEffects(
            List.of(
                new LiveEffect.GrantRanges(one.number(), one.object(), alone),
                new LiveEffect.GrantRanges(two.number(), two.object(), alone))));
    refused(ErrorCode.BUSY, () -> write(first, one, 0, 1));
    assertEquals(List.of(two), recalled());
    second.release(two, stripes(0, 1), 100);
    write(first, one, 0, 1);
  }

  private static String refused(ErrorCode expected, Executable attempt) {
    WeftException refusal = assertThrows(WeftException.class, attempt);
    assertEquals(expected, refusal.code(), refusal.getMessage());
    return refusal.getMessage();
  }
}
