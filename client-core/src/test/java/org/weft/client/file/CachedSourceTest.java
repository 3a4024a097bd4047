package org.weft.client.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.client.Blocking;
import org.weft.client.cache.DataCache;
import org.weft.client.cache.GrantedData;
import org.weft.client.cache.ReadCache;
import org.weft.client.stripe.read.LentBuffer;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.ReadGrants;
import org.weft.protocol.wire.RenewSessionReply;
import org.weft.protocol.wire.RenewSessionRequest;
import org.weft.protocol.wire.WalkStep;

/** Which reads ask OSDs, and for what, where bytes may be kept (P 6.5e). */
class CachedSourceTest {
  private static final long FILE = 20;
  private static final int ALL_RIGHTS = 15;
  private static final int PAGE_BYTES = 16 << 10;
  private static final int LARGE_BYTES = 300_000;
  private static final int SMALL_BYTES = 40_000;

  private final MemoryData data = new MemoryData();
  private final List<String> asked = new ArrayList<>();
  private final DataCache memory = new DataCache(1 << 20);
  private long nowNanos = 1_000;
  private int grants;
  private int wishes;

  private final ReadCache reads =
      new ReadCache(
          1,
          100,
          () -> nowNanos,
          new ReadCache.Openings() {
            @Override
            public void opened(OpenReply reply) {}

            @Override
            public void closed(long objectId) {}
          });

  /** The OSDs. */
  private final FileSource plain =
      new FileSource() {
        @Override
        public CompletableFuture<Integer> read(long offsetBytes, LentBuffer target) {
          asked.add(offsetBytes + "+" + target.lengthBytes());
          return data.read(offsetBytes, target);
        }

        @Override
        public CompletableFuture<Payload> bytes(long offsetBytes, int lengthBytes) {
          asked.add(offsetBytes + "+" + lengthBytes);
          return data.bytes(offsetBytes, lengthBytes);
        }

        @Override
        public Stream stream(long positionBytes) {
          asked.add("stream at " + positionBytes);
          return data.stream(positionBytes);
        }
      };

  @BeforeEach
  void aFileThatIsGranted() {
    content(LARGE_BYTES);
    reads.renewed(
        RenewSessionRequest.getDefaultInstance(),
        nowNanos,
        RenewSessionReply.newBuilder().setEpoch(1).setReadLeaseMillis(3_000).build());
    grant();
  }

  private void content(int length) {
    data.content = new byte[length];
    new SplittableRandom(length).nextBytes(data.content);
  }

  private FileAttributes attributes() {
    return FileAttributes.newBuilder()
        .setObjectId(FILE)
        .setSize(data.content.length)
        .setChangeLsn(7)
        .build();
  }

  private void grant() {
    reads.heard(
        AttributesReply.newBuilder()
            .setAttributes(attributes())
            .setGranted(
                ReadGrants.newBuilder()
                    .setNumber(Lsn.of(1, ++grants).value())
                    .addStep(
                        WalkStep.newBuilder()
                            .setDirectoryId(1)
                            .setGranted(ALL_RIGHTS)
                            .setName("f")
                            .setObjectId(FILE)
                            .setKind(FileKind.FILE))
                    .setNode(ALL_RIGHTS))
            .build());
  }

  private GrantedData granted(DataCache kept, FileAttributes opened) {
    return new GrantedData(reads, kept, opened, () -> wishes++);
  }

  private CachedSource open() {
    return new CachedSource(plain, granted(memory, attributes()));
  }

  /** Reads, and says what was asked of OSDs for that. */
  private List<String> read(FileSource source, long position, int length) throws IOException {
    asked.clear();
    byte[] bytes = new byte[length];
    int count = Blocking.await(source.read(position, new LentBuffer(ByteBuffer.wrap(bytes))));
    int wanted = (int) Math.min(length, data.content.length - position);
    assertEquals(wanted, count);
    assertArrayEquals(
        Arrays.copyOfRange(data.content, (int) position, (int) position + wanted),
        Arrays.copyOf(bytes, wanted));
    return List.copyOf(asked);
  }

  @Test
  void theSecondReadFetchesThePageAndTheThirdNothing() throws IOException {
    CachedSource source = open();
    assertEquals(List.of("20000+4096"), read(source, 20_000, 4_096));
    assertEquals(List.of("16384+16384"), read(source, 20_000, 4_096));
    assertEquals(List.of(), read(source, 20_000, 4_096));
    assertEquals(List.of(), read(open(), 17_000, 10_000), "by another opening as well");
    assertEquals(2, memory.counts().hits());
    assertEquals(2, memory.counts().misses());
    assertEquals(14_096, memory.counts().hitBytes());
  }

  @Test
  void aReadOverSeveralPagesIsAnsweredWhenAllAreThere() throws IOException {
    CachedSource source = open();
    read(source, 10_000, 30_000);
    assertEquals(List.of("0+49152"), read(source, 10_000, 30_000));
    assertEquals(List.of(), read(source, 0, 49_152));
    assertEquals(List.of("40000+20000"), read(source, 40_000, 20_000), "a page is missing");
  }

  @Test
  void theEndOfTheFileIsKeptAsFarAsItGoes() throws IOException {
    CachedSource source = open();
    read(source, 299_000, 4_096);
    read(source, 299_000, 4_096);
    assertEquals(List.of(), read(source, 299_000, 4_096));
    asked.clear();
    LentBuffer target = new LentBuffer(ByteBuffer.allocate(10));
    assertEquals(-1, Blocking.await(source.read(LARGE_BYTES, target)));
  }

  @Test
  void longReadsAndStreamsOfLargeFilesPassBy() throws IOException {
    CachedSource source = open();
    for (int times = 0; times < 3; times++) {
      assertEquals(List.of("0+65537"), read(source, 0, 65_537));
      asked.clear();
      source.stream(100).close();
      assertEquals(List.of("stream at 100"), asked);
    }
    assertEquals(0, memory.counts().heldBytes());
  }

  @Test
  void aRecallOrTheLeasesEndEmptiesTheCache() throws IOException {
    CachedSource source = open();
    read(source, 0, 100);
    read(source, 0, 100);
    reads.recalled(List.of(FILE), Lsn.of(1, grants).value());
    assertEquals(0, memory.counts().heldBytes());
    assertEquals(List.of("0+100"), read(source, 0, 100));
    data.content[5]++;
    grant();
    assertEquals(List.of("0+16384"), read(source, 0, 100), "of an earlier grant nothing is kept");
    assertEquals(List.of(), read(source, 0, 100));
    nowNanos += 3_000_000_000L;
    data.content[5]++;
    assertEquals(List.of("0+100"), read(source, 0, 100));
  }

  @Test
  void theNextGrantKeepsNoReadFromBeforeARecall() throws IOException {
    CachedSource source = open();
    read(source, 0, 100);
    data.gate = new CompletableFuture<>();
    CompletableFuture<Integer> late = source.read(0, new LentBuffer(ByteBuffer.allocate(100)));
    reads.recalled(List.of(FILE), Lsn.of(1, grants).value());
    grant();
    data.gate.complete(null);
    assertEquals(100, Blocking.await(late));
    assertEquals(0, memory.counts().heldBytes());
    data.content[5]++;
    assertEquals(List.of("0+16384"), read(source, 0, 100));
  }

  @Test
  void anOpeningFromBeforeACutOrWithAnotherMapAsksOsds() throws IOException {
    CachedSource now = open();
    read(now, 0, 100);
    read(now, 0, 100);
    FileAttributes.Builder before = attributes().toBuilder().setTruncationNumber(1);
    assertEquals(
        List.of("0+100"), read(new CachedSource(plain, granted(memory, before.build())), 0, 100));
    before.setTruncationNumber(0).getMapBuilder().setGeneration(3);
    assertEquals(
        List.of("0+100"), read(new CachedSource(plain, granted(memory, before.build())), 0, 100));
    before.clearMap().setMode(0600).setChangeLsn(6);
    assertEquals(List.of(), read(new CachedSource(plain, granted(memory, before.build())), 0, 100));
    assertEquals(0, wishes, "it is granted");
  }

  @Test
  void rereadsAskEverMoreSeldomForARefusedGrant() throws IOException {
    CachedSource source = open();
    reads.recalled(List.of(FILE), Lsn.of(1, grants).value());
    for (int page = 0; page < 10; page++) {
      read(source, (long) page * PAGE_BYTES, 100);
    }
    assertEquals(0, wishes, "nothing was read again");
    for (int times = 0; times < 62; times++) {
      read(source, 0, 100);
    }
    assertEquals(5, wishes, "after 2, 4, 8, 16 and 32 reads");
    nowNanos += 3_000_000_000L;
    for (int times = 0; times < 200; times++) {
      read(source, 0, 100);
    }
    assertEquals(5, wishes, "without a lease nothing can be relied on");
  }

  @Test
  void aFailureBesideTheWantedBytesDoesNotMatter() throws IOException {
    CachedSource source = open();
    read(source, 0, 100);
    data.nextReadFailure = ErrorCode.TOO_MANY_LOST;
    assertEquals(List.of("0+16384", "0+100"), read(source, 0, 100));
    data.nextReadFailure = null;
    assertEquals(List.of("0+16384"), read(source, 0, 100));
  }

  @Test
  void aBufferThatWasTakenBackIsNotWrittenTo() throws IOException {
    CachedSource source = open();
    read(source, 0, 100);
    data.gate = new CompletableFuture<>();
    byte[] bytes = new byte[100];
    LentBuffer lent = new LentBuffer(ByteBuffer.wrap(bytes));
    CompletableFuture<Integer> late = source.read(0, lent);
    lent.takeBack();
    data.gate.complete(null);
    WeftException failure = assertThrows(WeftException.class, () -> Blocking.await(late));
    assertEquals(ErrorCode.CANCELLED, failure.code());
    assertArrayEquals(new byte[100], bytes);
    assertEquals(List.of(), read(source, 0, 100), "the page is kept all the same");
  }

  private List<String> readAll(FileSource source) throws IOException {
    asked.clear();
    FileSource.Stream stream = source.stream(0);
    ByteBuffer target = ByteBuffer.allocate(data.content.length + 1);
    int total = 0;
    while (true) {
      target.limit(Math.min(target.capacity(), target.position() + 8_192));
      int count = Blocking.await(stream.read(target));
      if (count < 0) {
        break;
      }
      total += count;
      assertEquals(total, target.position());
    }
    stream.close();
    assertArrayEquals(data.content, Arrays.copyOf(target.array(), total));
    return List.copyOf(asked);
  }

  @Test
  void aSmallFileIsStreamedFromMemoryTheThirdTime() throws IOException {
    content(SMALL_BYTES);
    grant();
    assertEquals(List.of("stream at 0"), readAll(open()), "as if there were no cache");
    assertEquals(List.of("0+40000"), readAll(open()));
    assertEquals(List.of(), readAll(open()));
    assertTrue(memory.counts().hits() >= 5);
  }

  @Test
  void aStreamGoesOnFromOsdsWhereItsGrantHasEnded() throws IOException {
    content(SMALL_BYTES);
    grant();
    readAll(open());
    readAll(open());
    FileSource.Stream stream = open().stream(0);
    ByteBuffer target = ByteBuffer.allocate(SMALL_BYTES);
    target.limit(1_000);
    assertEquals(1_000, Blocking.await(stream.read(target)));
    reads.recalled(List.of(FILE), Lsn.of(1, grants).value());
    target.limit(SMALL_BYTES);
    while (target.hasRemaining()) {
      assertTrue(Blocking.await(stream.read(target)) > 0);
    }
    stream.seek(500);
    target.clear().limit(10);
    assertEquals(10, Blocking.await(stream.read(target)));
    assertEquals(data.content[500], target.get(0));
    assertArrayEquals(
        Arrays.copyOfRange(data.content, 10, SMALL_BYTES),
        Arrays.copyOfRange(target.array(), 10, SMALL_BYTES));
  }

  @Test
  void aStreamThatWasClosedWritesNothingMore() throws IOException {
    content(SMALL_BYTES);
    grant();
    readAll(open());
    data.gate = new CompletableFuture<>();
    FileSource.Stream stream = open().stream(0);
    ByteBuffer target = ByteBuffer.allocate(100);
    CompletableFuture<Integer> late = stream.read(target);
    stream.close();
    data.gate.complete(null);
    assertThrows(WeftException.class, () -> Blocking.await(late));
    assertEquals(0, target.position());
    assertArrayEquals(new byte[100], target.array());
  }

  @Test
  void boundedMemoryKeepsUsedPages() throws IOException {
    DataCache small = new DataCache(4 * PAGE_BYTES);
    CachedSource source = new CachedSource(plain, granted(small, attributes()));
    for (int times = 0; times < 3; times++) {
      read(source, 0, 100);
    }
    for (int page = 1; page < 16; page++) {
      read(source, (long) page * PAGE_BYTES, 100);
      read(source, (long) page * PAGE_BYTES, 100);
      assertEquals(List.of(), read(source, 0, 100));
      assertTrue(small.counts().heldBytes() <= 4 * PAGE_BYTES);
    }
    assertTrue(small.counts().heldBytes() > 2 * PAGE_BYTES);
  }

  @Test
  void noBytesOfAnEndedSessionAreKept() throws IOException {
    CachedSource source = open();
    read(source, 0, 100);
    read(source, 0, 100);
    reads.end();
    assertEquals(0, memory.counts().heldBytes());
    assertEquals(List.of("0+100"), read(source, 0, 100));
  }
}
