package org.weft.client.number;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;

/** Reads in order, and others, over a file that changes from one grant to the next. */
class FetchedAheadTest {
  private static final int MEBIBYTE = 1 << 20;
  private static final int PIECE = FetchedAhead.PIECE_BYTES;
  private static final int FILE = 7 * PIECE + 12_345;

  private final AheadMemory memory = new AheadMemory(64L * MEBIBYTE);
  private final FetchedAhead ahead = new FetchedAhead(this::fetch, memory);

  /** What the source was asked for, and what the file held then. */
  private record Asked(
      long positionBytes, int lengthBytes, byte[] content, CompletableFuture<Payload> answer) {}

  private final List<Asked> asked = new ArrayList<>();
  private byte[] content = content(1);
  private boolean isSlow;
  private int held;

  private static byte[] content(long seed) {
    byte[] bytes = new byte[FILE];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private CompletableFuture<Payload> fetch(long positionBytes, int lengthBytes) {
    Asked question = new Asked(positionBytes, lengthBytes, content, new CompletableFuture<>());
    asked.add(question);
    if (!isSlow) {
      answer(question);
    }
    return question.answer();
  }

  /** In two buffers, as frames of several OSDs are. */
  private void answer(Asked question) {
    int from = (int) question.positionBytes();
    int middle = question.lengthBytes() / 3;
    held++;
    question
        .answer()
        .complete(
            Payload.of(
                List.of(
                    ByteBuffer.wrap(question.content(), from, middle).slice(),
                    ByteBuffer.wrap(
                        question.content(), from + middle, question.lengthBytes() - middle)),
                () -> held--));
  }

  private static byte[] bytes(Payload payload) {
    ByteBuffer all = ByteBuffer.allocate(payload.lengthBytes());
    payload.buffers().forEach(each -> all.put(each.duplicate()));
    payload.release();
    return all.array();
  }

  private byte[] wanted(long from, int length) {
    return java.util.Arrays.copyOfRange(content, (int) from, (int) from + length);
  }

  private void readInOrder(Object grant, long from, long to) {
    for (long at = from; at < to; at += MEBIBYTE) {
      int length = (int) Math.min(MEBIBYTE, to - at);
      assertArrayEquals(
          wanted(at, length), bytes(ahead.read(grant, FILE, at, length).join()), "at " + at);
    }
  }

  private void assertAllIsGivenBack() {
    ahead.end();
    assertEquals(0, held);
    assertEquals(0, memory.takenBytes());
  }

  @Test
  void readingInOrderGetsWholePieces() {
    readInOrder(this, 0, FILE);
    long pieces = asked.stream().filter(each -> each.lengthBytes() == PIECE).count();
    assertEquals(6, pieces, "of seven whole ones the first is not read from its beginning");
    assertTrue(asked.size() < 12, "each read asked by itself: " + asked.size());
    assertEquals(0, held, "what was given whole is not kept");
    assertAllIsGivenBack();
  }

  @Test
  void readingHereAndThereGetsNothingAhead() {
    for (int step = 0; step < 100; step++) {
      long at = (step * 13L % 27) * MEBIBYTE;
      byte[] seen = bytes(ahead.read(this, FILE, at, 4_096).join());
      assertArrayEquals(wanted(at, 4_096), seen);
    }
    assertTrue(asked.stream().allMatch(each -> each.lengthBytes() == 4_096));
    assertAllIsGivenBack();
  }

  private byte[] readAt(long at, int length) {
    return bytes(ahead.read(this, FILE, at, length).join());
  }

  @Test
  void twoSequentialReadersFetchEachPieceOnce() {
    long second = 4L * PIECE;
    for (long at = 0; at < 3L * PIECE; at += PIECE) {
      readInOrder(this, at, at + PIECE);
      readInOrder(this, second + at, second + at + PIECE);
    }
    long fetchedBytes = asked.stream().mapToLong(Asked::lengthBytes).sum();
    long mostBytes = FILE + 2L * PIECE;
    assertTrue(fetchedBytes <= mostBytes, "fetched " + fetchedBytes + " of " + FILE);
    assertAllIsGivenBack();
  }

  @Test
  void readsAtRandomPlacesBesideAStreamTakeNothingFromIt() {
    Random random = new Random(7);
    for (long at = 0; at < 3L * PIECE; at += MEBIBYTE) {
      assertArrayEquals(wanted(at, MEBIBYTE), readAt(at, MEBIBYTE));
      for (int other = 0; other < 10; other++) {
        long place = FILE - MEBIBYTE - random.nextInt(MEBIBYTE);
        readAt(place, 512);
        readAt(place - 4L * PIECE, 512);
      }
    }
    Set<Long> places = new HashSet<>();
    assertTrue(
        asked.stream()
            .filter(each -> each.lengthBytes() > MEBIBYTE)
            .allMatch(each -> places.add(each.positionBytes())),
        "a piece was fetched twice");
    assertFalse(places.isEmpty());
    assertAllIsGivenBack();
  }

  /** Of a file of a TiB, whose bytes do not matter. */
  private final List<Long> fetchedPieces = new ArrayList<>();

  private final FetchedAhead sparse = new FetchedAhead(this::fetchSparse, memory);

  private CompletableFuture<Payload> fetchSparse(long positionBytes, int lengthBytes) {
    if (lengthBytes > MEBIBYTE) {
      fetchedPieces.add(positionBytes);
    }
    return CompletableFuture.completedFuture(
        Payload.of(ByteBuffer.allocate(0).slice(), ByteBuffer.allocate(lengthBytes)));
  }

  private void readSparse(long at, int length) {
    sparse.read(this, 1L << 40, at, length).join().release();
  }

  @ParameterizedTest
  @CsvSource({"1, 4", "1, 12", "2, 6", "3, 2", "4, 0", "4, 5"})
  void readsAtRandomPlacesDisplaceNoStream(int streams, int randomInARound) {
    Random random = new Random(streams);
    int rounds = 64;
    for (int round = 0; round < rounds; round++) {
      for (int stream = 0; stream < streams; stream++) {
        readSparse(stream * (1L << 35) + (long) round * MEBIBYTE, MEBIBYTE);
      }
      for (int other = 0; other < randomInARound; other++) {
        readSparse(random.nextLong(1L << 39) * 2, 4_096);
      }
    }
    int least = streams * (rounds * MEBIBYTE / PIECE - 1);
    assertTrue(fetchedPieces.size() >= least, fetchedPieces.size() + " pieces, not " + least);
    assertEquals(
        fetchedPieces.size(), new HashSet<>(fetchedPieces).size(), "a piece was fetched twice");
    sparse.end();
    assertAllIsGivenBack();
  }

  @Test
  void aFifthStreamLeavesTheOtherFourAlone() {
    for (int round = 0; round < 64; round++) {
      for (int stream = 0; stream < FetchedAhead.MAX_STREAMS + 1; stream++) {
        readSparse(stream * (1L << 35) + (long) round * MEBIBYTE, MEBIBYTE);
      }
    }
    assertTrue(fetchedPieces.size() >= FetchedAhead.MAX_STREAMS * 15);
    assertTrue(fetchedPieces.stream().allMatch(at -> at < 4L << 35), "of the fifth");
    sparse.end();
    assertAllIsGivenBack();
  }

  @Test
  void unreadPiecesAreDroppedWhileAnotherClientReadsOn() {
    for (long at = 0; at < 3L * MEBIBYTE; at += MEBIBYTE) {
      readSparse(at, MEBIBYTE);
    }
    assertTrue(memory.takenBytes() > 0);
    for (long read = 0; read <= FetchedAhead.ENDED_AFTER_BYTES + PIECE; read += MEBIBYTE) {
      readSparse((1L << 39) + read, MEBIBYTE);
    }
    assertTrue(memory.takenBytes() <= 3L * PIECE, "taken " + memory.takenBytes());
    sparse.end();
    assertAllIsGivenBack();
  }

  @Test
  void anotherGrantDropsAllFetchedPieces() {
    readInOrder("first", 0, 3 * PIECE);
    content = content(2);
    readInOrder("second", 3 * PIECE, FILE);
    assertAllIsGivenBack();
  }

  @Test
  void noLaterReadGetsBytesFetchedUnderAnEndedGrant() {
    readInOrder("first", 0, 3L * MEBIBYTE);
    isSlow = true;
    CompletableFuture<Payload> early = ahead.read("first", FILE, 8L * MEBIBYTE, MEBIBYTE);
    List<Asked> slow = List.copyOf(asked);
    isSlow = false;
    content = content(2);
    assertArrayEquals(
        wanted(9L * MEBIBYTE, MEBIBYTE),
        bytes(ahead.read("second", FILE, 9L * MEBIBYTE, MEBIBYTE).join()));
    slow.stream().filter(each -> !each.answer().isDone()).forEach(this::answer);
    bytes(early.join());
    readInOrder("second", 10L * MEBIBYTE, FILE);
    assertAllIsGivenBack();
  }

  @Test
  void aPieceThatFailsIsAskedForInParts() {
    readInOrder(this, 0, MEBIBYTE);
    isSlow = true;
    List<CompletableFuture<Payload>> reads = new ArrayList<>();
    for (long at = MEBIBYTE; at < 6L * MEBIBYTE; at += MEBIBYTE) {
      reads.add(ahead.read(this, FILE, at, MEBIBYTE));
    }
    assertTrue(reads.stream().noneMatch(CompletableFuture::isDone));
    isSlow = false;
    WeftException broken = new WeftException(ErrorCode.UNAVAILABLE, "an OSD is away");
    List.copyOf(asked).forEach(each -> each.answer().completeExceptionally(broken));
    for (int index = 0; index < reads.size(); index++) {
      assertArrayEquals(wanted((1L + index) * MEBIBYTE, MEBIBYTE), bytes(reads.get(index).join()));
    }
    assertAllIsGivenBack();
  }

  @Test
  void withoutMemoryEachReadAsksByItself() {
    assertTrue(memory.take(64L * MEBIBYTE));
    readInOrder(this, 0, FILE);
    assertTrue(asked.stream().allMatch(each -> each.lengthBytes() <= MEBIBYTE));
    memory.give(64L * MEBIBYTE);
    assertAllIsGivenBack();
  }

  @Test
  void memoryCountsUntilTheLastReaderHasGivenItsPartBack() {
    readInOrder(this, 0, 3L * MEBIBYTE);
    Payload part = ahead.read(this, FILE, 3L * MEBIBYTE, MEBIBYTE).join();
    ahead.end();
    assertFalse(memory.takenBytes() == 0);
    part.release();
    assertAllIsGivenBack();
  }

  /** Eight under way, in any order within that. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void readsMayComeALittleOutOfOrder(long seed) {
    Random random = new Random(seed);
    List<Long> left = new ArrayList<>();
    for (long at = 0; at + MEBIBYTE <= FILE; at += MEBIBYTE) {
      left.add(at);
    }
    while (!left.isEmpty()) {
      long at = left.remove(random.nextInt(Math.min(8, left.size())));
      assertArrayEquals(
          wanted(at, MEBIBYTE), bytes(ahead.read(this, FILE, at, MEBIBYTE).join()), "at " + at);
    }
    assertTrue(asked.stream().anyMatch(each -> each.lengthBytes() == PIECE));
    assertAllIsGivenBack();
  }

  @Test
  void aPartIsCutOutOfSeveralBuffers() {
    Payload payload =
        Payload.of(
            ByteBuffer.wrap(new byte[] {1, 2}),
            ByteBuffer.wrap(new byte[] {3, 4, 5}),
            ByteBuffer.wrap(new byte[] {6}));
    for (int from = 0; from < 6; from++) {
      for (int length = 0; from + length <= 6; length++) {
        byte[] seen = bytes(Payload.of(AheadPiece.part(payload, from, length), () -> {}));
        byte[] wanted = new byte[length];
        for (int index = 0; index < length; index++) {
          wanted[index] = (byte) (from + index + 1);
        }
        assertArrayEquals(wanted, seen, from + " and " + length);
      }
    }
  }
}
