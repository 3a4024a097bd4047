package org.weft.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.WeftInput.Opened;
import org.weft.client.callback.Callbacks;
import org.weft.client.file.FileSource;
import org.weft.client.file.MemoryData;
import org.weft.client.stripe.read.LentBuffer;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;

/** Reading a file: positions, ends, and opening again when the right to read has ended. */
class InputTest {
  private static final int SIZE = 100_000;

  private final MemoryData data = new MemoryData();
  private final byte[] content = new byte[SIZE];
  private int published = SIZE;
  private int reopened;
  private long objectId = 70_000;
  private int lastOsd = 3;

  InputTest() {
    new SplittableRandom(4).nextBytes(content);
    data.content = content;
    data.arrivals = new SplittableRandom(95_830_030);
  }

  private Opened opened() {
    FileAttributes attributes =
        FileAttributes.newBuilder()
            .setKind(FileKind.FILE)
            .setObjectId(objectId)
            .setSize(published)
            .setMap(
                new StorageMap(
                        new Layout(2, 1, 65_536, 1, 1),
                        List.of(new OsdId(1), new OsdId(2), new OsdId(lastOsd)),
                        lastOsd,
                        Collections.emptySortedSet(),
                        List.of())
                    .toMessage())
            .build();
    return new Opened(
        FileStatus.fromMessage(WeftPath.of("/f"), attributes), new UpTo(data, published));
  }

  /** What one opening of the file gave: its first bytes. */
  private record UpTo(MemoryData data, int sizeBytes) implements FileSource {
    @Override
    public CompletableFuture<Integer> read(long offsetBytes, LentBuffer target) {
      return data.read(offsetBytes, target);
    }

    @Override
    public CompletableFuture<Payload> bytes(long offsetBytes, int lengthBytes) {
      return data.bytes(offsetBytes, lengthBytes);
    }

    @Override
    public Stream stream(long positionBytes) {
      Stream unlimited = data.stream(positionBytes);
      return new Stream() {
        private long position = positionBytes;

        @Override
        public void seek(long newPositionBytes) {
          position = newPositionBytes;
          unlimited.seek(newPositionBytes);
        }

        @Override
        public void readAhead(int mostBytes) {
          unlimited.readAhead(mostBytes);
        }

        @Override
        public int readArrived(byte[] target, int offset, int length) {
          int most = (int) Math.max(0, Math.min(length, sizeBytes - position));
          int count = unlimited.readArrived(target, offset, most);
          position += count;
          return count;
        }

        @Override
        public CompletableFuture<Integer> read(ByteBuffer target) {
          if (position >= sizeBytes) {
            return CompletableFuture.completedFuture(-1);
          }
          int limit = target.limit();
          int most = (int) Math.min(target.remaining(), sizeBytes - position);
          target.limit(target.position() + most);
          return unlimited
              .read(target)
              .whenComplete(
                  (count, failure) -> {
                    target.limit(limit);
                    position += count == null ? 0 : count;
                  });
        }

        @Override
        public void close() {
          unlimited.close();
        }
      };
    }
  }

  private WeftInput open() {
    return new WeftInput(
        opened(),
        () -> {
          reopened++;
          return CompletableFuture.completedFuture(opened());
        },
        new Callbacks(Runnable::run));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aStreamReadsFromAnyPosition(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    data.longestReadBytes = 1 + random.nextInt(20_000);
    data.arrivals = random.split();
    try (WeftInputStream stream = new WeftInputStream(open())) {
      long position = 0;
      for (int step = 0; step < 400; step++) {
        switch (random.nextInt(5)) {
          case 0 -> {
            position = random.nextInt(SIZE + 1);
            stream.seek(position);
          }
          case 1 -> position += stream.skip(random.nextInt(3_000));
          case 2 -> {
            int single = stream.read();
            assertEquals(position < SIZE ? content[(int) position] & 0xff : -1, single);
            position += single < 0 ? 0 : 1;
          }
          default -> position += readSome(stream, position, 1 + random.nextInt(12_000));
        }
        assertEquals(position, stream.positionBytes());
      }
    }
  }

  private int readSome(WeftInputStream stream, long position, int wanted) throws IOException {
    byte[] target = new byte[wanted + 5];
    int count = stream.read(target, 5, wanted);
    if (count < 0) {
      assertEquals(SIZE, position);
      return 0;
    }
    assertTrue(count > 0);
    assertArrayEquals(
        Arrays.copyOfRange(content, (int) position, (int) position + count),
        Arrays.copyOfRange(target, 5, 5 + count));
    return count;
  }

  @Test
  void anInputStreamReadsTheWholeFile() throws IOException {
    try (WeftInputStream stream = new WeftInputStream(open())) {
      assertArrayEquals(content, stream.readAllBytes());
      assertEquals(-1, stream.read());
    }
    assertTrue(data.events.contains("stream closed"));
  }

  @Test
  void positionalReadsLeaveTheStreamWhereItIs() throws IOException {
    try (WeftInputStream stream = new WeftInputStream(open())) {
      stream.seek(7);
      byte[] target = new byte[50];
      stream.readFully(SIZE - 50, target, 0, 50);
      assertArrayEquals(Arrays.copyOfRange(content, SIZE - 50, SIZE), target);
      assertEquals(7, stream.positionBytes());
      assertEquals(content[7] & 0xff, stream.read());
      assertEquals(20, stream.read(SIZE - 20, target, 0, 50));
      assertEquals(-1, stream.read(SIZE, target, 0, 50));
      assertThrows(EOFException.class, () -> stream.readFully(SIZE - 20, target, 0, 50));
    }
  }

  @Test
  void seekingBehindTheEndIsRefused() throws IOException {
    try (WeftInputStream stream = new WeftInputStream(open())) {
      stream.seek(SIZE);
      assertEquals(-1, stream.read());
      assertThrows(EOFException.class, () -> stream.seek(SIZE + 1));
      assertThrows(EOFException.class, () -> stream.seek(-1));
    }
  }

  @Test
  void aClosedStreamIsClosed() throws IOException {
    WeftInputStream stream = new WeftInputStream(open());
    stream.close();
    stream.close();
    assertThrows(IOException.class, stream::read);
    assertThrows(IOException.class, () -> stream.seek(0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"FENCED", "CAPABILITY_EXPIRED", "NO_SUCH_OBJECT"})
  void theFileIsOpenedAgainWhenTheRightToReadHasEnded(String code) throws IOException {
    WeftInput input = open();
    data.nextReadFailure = ErrorCode.valueOf(code);
    ByteBuffer target = ByteBuffer.allocate(10);
    assertEquals(10, input.read(90, target).join());
    assertEquals(1, reopened);
    assertArrayEquals(Arrays.copyOfRange(content, 90, 100), target.array());

    try (WeftInputStream stream = new WeftInputStream(input)) {
      stream.seek(50);
      data.nextReadFailure = ErrorCode.valueOf(code);
      assertEquals(content[50] & 0xff, stream.read());
      assertTrue(data.events.contains("stream at 50"), data.events.toString());
    }
    assertEquals(2, reopened);
  }

  /** What an OSD held is rebuilt on others, and readers that opened the file before go on. */
  @Test
  void aReaderThatMissesTooManyGoesOnWithANewerMap() throws IOException {
    WeftInput input = open();
    lastOsd = 4;
    data.nextReadFailure = ErrorCode.TOO_MANY_LOST;
    ByteBuffer target = ByteBuffer.allocate(10);
    assertEquals(10, input.read(90, target).join());
    assertArrayEquals(Arrays.copyOfRange(content, 90, 100), target.array());
    assertEquals(1, reopened);
  }

  @Test
  void aReadFailsAtOnceIfTheNewestMapLacksTooMany() {
    WeftInput input = open();
    data.nextReadFailure = ErrorCode.TOO_MANY_LOST;
    WeftException failure =
        WeftException.of(
            assertThrows(Exception.class, () -> input.read(0, ByteBuffer.allocate(1)).get()));
    assertEquals(ErrorCode.TOO_MANY_LOST, failure.code());
    assertEquals(1, reopened);
  }

  @Test
  void aFileThatWasReplacedMeanwhileIsNotMixedIn() {
    WeftInput input = open();
    objectId++;
    data.nextReadFailure = ErrorCode.FENCED;
    WeftException failure =
        WeftException.of(
            assertThrows(Exception.class, () -> input.read(0, ByteBuffer.allocate(1)).get()));
    assertTrue(failure.getMessage().startsWith("/f: the file was replaced"), failure.getMessage());
  }

  /** The read goes on after it: what it would have given must not be missing afterwards. */
  @Test
  void aReadThatWasInterruptedIsReadAgain() throws IOException {
    data.longestReadBytes = 1_000;
    try (WeftInputStream stream = new WeftInputStream(open())) {
      byte[] target = new byte[10_000];
      assertEquals(1_000, stream.read(target));
      CompletableFuture<Void> gate = new CompletableFuture<>();
      data.gate = gate;
      try {
        Thread.currentThread().interrupt();
        assertThrows(InterruptedIOException.class, () -> stream.read(new byte[10_000]));
      } finally {
        assertTrue(Thread.interrupted());
      }
      gate.complete(null);
      assertEquals(1_000, stream.positionBytes());
      assertEquals(1_000, stream.read(target));
      assertArrayEquals(Arrays.copyOfRange(content, 1_000, 2_000), Arrays.copyOf(target, 1_000));
    }
  }

  @Test
  void aPositionalReadThatWasInterruptedWritesNothingOnceItHasReturned() throws IOException {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    data.gate = gate;
    byte[] target = new byte[10_000];
    ByteBuffer wrapped = ByteBuffer.wrap(target);
    try (WeftInput input = open()) {
      try {
        Thread.currentThread().interrupt();
        assertThrows(InterruptedIOException.class, () -> input.readAndWait(0, wrapped));
      } finally {
        assertTrue(Thread.interrupted());
      }
      gate.complete(null);
      assertArrayEquals(new byte[10_000], target);
      assertEquals(0, wrapped.position());
      assertEquals(10_000, input.readAndWait(0, wrapped));
      assertArrayEquals(Arrays.copyOf(content, 10_000), target);
      assertEquals(10_000, wrapped.position());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 500, 10_000})
  void bytesThatAnInterruptedReadLeftInABufferAreDeliveredOnce(int readBytes) throws IOException {
    try (WeftInputStream stream = new WeftInputStream(open())) {
      stream.seek(SIZE / 2);
      data.leftByNextRead = 100;
      ByteBuffer target = ByteBuffer.allocate(readBytes);
      try {
        Thread.currentThread().interrupt();
        assertThrows(InterruptedIOException.class, () -> stream.read(target));
      } finally {
        assertTrue(Thread.interrupted());
      }
      assertEquals(0, target.position());
      assertEquals(SIZE / 2, stream.positionBytes());
      assertArrayEquals(Arrays.copyOfRange(content, SIZE / 2, SIZE), stream.readAllBytes());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 500, 10_000})
  void bytesThatAFailedReadLeftInABufferAreDeliveredOnce(int readBytes) throws IOException {
    try (WeftInputStream stream = new WeftInputStream(open())) {
      stream.seek(SIZE / 2);
      data.leftByNextRead = 100;
      data.nextReadFailure = ErrorCode.TOO_MANY_LOST;
      ByteBuffer target = ByteBuffer.allocate(readBytes);
      assertThrows(WeftException.class, () -> stream.read(target));
      assertEquals(0, target.position());
      assertEquals(SIZE / 2, stream.positionBytes());
      assertArrayEquals(Arrays.copyOfRange(content, SIZE / 2, SIZE), stream.readAllBytes());
    }
  }

  /** Where a stream is when it has failed is not known: it may have moved. */
  @ParameterizedTest
  @ValueSource(longs = {95_830_040, 95_830_041, 95_830_042})
  void aFailedReadOfFetchedBytesSkipsNone(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    data.arrivals = random.split();
    data.longestReadBytes = 3_000;
    int thrown = 0;
    try (WeftInputStream stream = new WeftInputStream(open())) {
      long position = 0;
      while (position < SIZE) {
        data.nextArrivedFailure = random.nextInt(4) == 0 ? new IllegalStateException("made") : null;
        try {
          position += readSome(stream, position, 1 + random.nextInt(9_000));
        } catch (IllegalStateException e) {
          thrown++;
        }
        assertEquals(position, stream.positionBytes());
      }
    }
    assertTrue(thrown > 0);
  }

  /** The same where it is found out by a read that waits, and opening the file again is no help. */
  @Test
  void aFailedReadThatMovedTheStreamSkipsNoByte() throws IOException {
    data.longestReadBytes = 9_000;
    data.arrivals = null;
    try (WeftInputStream stream = new WeftInputStream(open())) {
      byte[] target = new byte[9_000];
      assertEquals(9_000, stream.read(target));
      data.failNextReadWhenMoved = true;
      assertThrows(WeftException.class, () -> stream.read(target));
      assertEquals(9_000, stream.positionBytes());
      assertArrayEquals(Arrays.copyOfRange(content, 9_000, SIZE), stream.readAllBytes());
    }
  }

  @Test
  void otherFailuresAreNotTriedAgain() {
    WeftInput input = open();
    data.nextReadFailure = ErrorCode.PERMISSION_DENIED;
    WeftException failure =
        WeftException.of(
            assertThrows(Exception.class, () -> input.read(0, ByteBuffer.allocate(1)).get()));
    assertEquals(ErrorCode.PERMISSION_DENIED, failure.code());
    assertEquals("/f: OSD 3 made to fail", failure.getMessage());
    assertEquals(0, reopened);
    assertThrows(IllegalArgumentException.class, () -> input.read(-1, ByteBuffer.allocate(1)));
  }

  @Test
  void aStreamGoesOnAfterItsFileHasGrown() throws IOException {
    published = 60;
    try (WeftInputStream stream = new WeftInputStream(open())) {
      assertEquals(60, stream.available());
      assertArrayEquals(Arrays.copyOf(content, 60), stream.readAllBytes());
      assertEquals(0, stream.available());
      published = SIZE;
      assertEquals(-1, stream.read());
      assertEquals(SIZE, stream.refresh());
      assertEquals(SIZE, stream.sizeBytes());
      assertEquals(SIZE - 60, stream.available());
      assertArrayEquals(Arrays.copyOfRange(content, 60, SIZE), stream.readAllBytes());
      stream.seek(SIZE);
    }
  }

  @Test
  void eachOpeningIsClosedOnceEvenAfterReopening() throws Exception {
    List<String> givenBack = new ArrayList<>();
    WeftInput input =
        new WeftInput(
            opened("first", givenBack),
            () -> CompletableFuture.completedFuture(opened("second", givenBack)),
            new Callbacks(Runnable::run));
    assertEquals(List.of(), givenBack);
    input.refresh().get();
    assertEquals(List.of("first"), givenBack);
    WeftInputStream stream = new WeftInputStream(input);
    stream.close();
    stream.close();
    input.close();
    assertEquals(List.of("first", "second"), givenBack);
    WeftException refusal =
        assertThrows(
            WeftException.class, () -> Blocking.await(input.read(0, ByteBuffer.allocate(1))));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
    input.refresh().get();
    assertEquals(List.of("first", "second", "second"), givenBack, "it came too late");
  }

  /** The first answer is late, and of an older state; the input does not go back to that. */
  @Test
  void theLatestOpeningWins() throws Exception {
    List<CompletableFuture<Opened>> asked = new ArrayList<>();
    List<Opened> seen = new ArrayList<>();
    published = 50;
    WeftInput input =
        new WeftInput(
            opened(),
            () -> {
              CompletableFuture<Opened> answer = new CompletableFuture<>();
              asked.add(answer);
              published += 10;
              seen.add(opened());
              return answer;
            },
            new Callbacks(Runnable::run));
    CompletableFuture<Long> first = input.refresh();
    CompletableFuture<Long> second = input.refresh();
    for (int next = seen.size() - 1; next >= 0; next--) {
      asked.get(next).complete(seen.get(next));
    }
    asked.get(1).complete(seen.get(1));
    assertEquals(60, first.get());
    assertEquals(70, second.get());
    assertEquals(70, input.status().sizeBytes());
  }

  @Test
  void anotherFileInItsPlaceIsGivenBack() {
    List<String> givenBack = new ArrayList<>();
    WeftInput input =
        new WeftInput(
            opened("first", givenBack),
            () -> {
              objectId++;
              return CompletableFuture.completedFuture(opened("other", givenBack));
            },
            new Callbacks(Runnable::run));
    assertThrows(WeftException.class, () -> Blocking.await(input.refresh()));
    assertEquals(List.of("other"), givenBack);
  }

  private Opened opened(String name, List<String> givenBack) {
    Opened opened = opened();
    return new Opened(opened.status(), opened.source(), () -> givenBack.add(name), opened.handle());
  }
}
