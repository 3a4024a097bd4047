package org.weft.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.fake.FakeClusterWorld.CLUSTER;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.fake.FakeClusterWorld;
import org.weft.client.fake.FakeManager;
import org.weft.client.fake.FakeNamespace;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** Files changed in place, over a whole simulated cluster. */
class UpdatedFileTest {
  private static final int OSDS = 5;
  private static final byte[] KEY = new byte[32];
  private static final WeftPath FILE = WeftPath.of("/f");
  private static final int UNIT = 8192;

  private final FakeClusterWorld world = new FakeClusterWorld(12);
  private final FakeNamespace namespace = new FakeNamespace(KEY, new Layout(4, 1, UNIT, 2_000, 1));
  private final FakeManager manager = new FakeManager(CLUSTER, 10_000, 4, namespace);
  private final List<FakeOsd> osds;
  private final WeftFileSystem files;
  private byte[] content;

  UpdatedFileTest() {
    osds = world.start(manager, OSDS, KEY);
    files = world.connect();
    content = random(150_000);
    WeftOutput output = world.await(files.create(FILE, CreateOptions.replacing()));
    world.await(output.write(ByteBuffer.wrap(content)));
    world.await(output.close());
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(length).nextBytes(bytes);
    return bytes;
  }

  private byte[] read() {
    WeftInput input = world.await(files.open(FILE));
    ByteBuffer target = ByteBuffer.allocate((int) input.status().sizeBytes());
    if (target.hasRemaining()) {
      assertEquals(target.capacity(), world.await(input.read(0, target)));
    }
    return target.array();
  }

  private void write(WeftFile file, int position, byte[] bytes) {
    world.await(file.write(position, ByteBuffer.wrap(bytes)));
    content = Arrays.copyOf(content, Math.max(content.length, position + bytes.length));
    System.arraycopy(bytes, 0, content, position, bytes.length);
  }

  @Test
  void changedBytesAreReadOnceTheyAreWritten() {
    WeftFile file = world.await(files.openForUpdate(FILE));
    write(file, 5_000, random(20_001));
    assertArrayEquals(content, read());
    long objectId = file.objectId();
    FileStatus closed = world.await(file.close());
    assertEquals(closed.objectId(), objectId);
    assertEquals(content.length, closed.sizeBytes());
    assertArrayEquals(content, read());
    assertEquals(0, world.wire.unreleasedPayloads());
  }

  @Test
  void aNewLengthIsSeenOnceItIsPublished() {
    WeftFile file = world.await(files.openForUpdate(FILE));
    int before = content.length;
    write(file, 400_000, random(1_000));
    assertEquals(401_000, file.sizeBytes());
    assertEquals(before, read().length);
    world.await(file.hflush());
    assertArrayEquals(content, read());
    write(file, 500_000, random(10));
    world.await(file.hsync());
    assertArrayEquals(content, read());
    world.await(file.close());
  }

  @Test
  void aFileIsCutAndExtended() {
    assertThrows(IllegalArgumentException.class, () -> files.truncate(FILE, -1));
    assertEquals(70_001, world.await(files.truncate(FILE, 70_001)).sizeBytes());
    assertArrayEquals(Arrays.copyOf(content, 70_001), read());
    assertEquals(200_000, world.await(files.truncate(FILE, 200_000)).sizeBytes());
    assertArrayEquals(Arrays.copyOf(Arrays.copyOf(content, 70_001), 200_000), read());
    assertEquals(0, world.await(files.truncate(FILE, 0)).sizeBytes());
    assertEquals(0, read().length);
    assertEquals(10, world.await(files.truncate(FILE, 10)).sizeBytes());
    assertArrayEquals(new byte[10], read());
    assertFalse(namespace.file("f").getHasTrim());
  }

  /** What was written behind the published end is cut off as well. */
  @Test
  void aCutAlsoRemovesUnpublishedBytes() {
    WeftFile file = world.await(files.openForUpdate(FILE));
    write(file, 300_000, random(50_000));
    world.await(file.setLength(310_000));
    world.await(file.setLength(320_000));
    content = Arrays.copyOf(Arrays.copyOf(content, 310_000), 320_000);
    world.await(file.close());
    assertArrayEquals(content, read());
  }

  @Test
  void aRangeIsPunched() {
    WeftFile file = world.await(files.openForUpdate(FILE));
    world.await(file.punch(10_000, 100_000));
    Arrays.fill(content, 10_000, 110_000, (byte) 0);
    assertArrayEquals(content, read());
    world.await(file.close());
    assertArrayEquals(content, read());
  }

  /** Of every door: a position, a length, and what is appended. */
  @Test
  void aWriteBeyondTheMaximumLengthFailsAlone() {
    long longest = FileLimits.MAX_FILE_BYTES;
    String limit = Long.toString(longest);
    WeftFile file = world.await(files.openForUpdate(FILE));
    for (long length : new long[] {longest + 1, Long.MAX_VALUE, -1}) {
      String text =
          assertThrows(IllegalArgumentException.class, () -> file.setLength(length)).getMessage();
      assertTrue(text.contains(limit) && text.contains(Long.toString(length)), text);
    }
    String text =
        assertThrows(
                IllegalArgumentException.class, () -> file.write(longest, ByteBuffer.allocate(1)))
            .getMessage();
    assertTrue(text.contains(limit), text);
    world.await(file.setLength(longest));
    world.await(file.close());
    WeftOutput appended = world.await(files.append(FILE));
    WeftException refusal = world.failureOf(appended.write(ByteBuffer.allocate(1)));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
    assertTrue(refusal.getMessage().contains(limit), refusal.getMessage());
    assertEquals(longest, world.await(appended.close()).sizeBytes());
    assertEquals(10, world.await(files.truncate(FILE, 10)).sizeBytes());
    content = Arrays.copyOf(content, 10);
    assertArrayEquals(content, read());
  }

  /** A client dies between the journal's word of a cut and the cut itself (P 4.3). */
  @Test
  void theNextClientFinishesACut() {
    WeftFile dying = world.await(files.openForUpdate(FILE));
    osds.forEach(osd -> osd.faults(opcode -> loseCuts(opcode)));
    CompletableFuture<Void> cut = dying.setLength(100_001);
    world.pass(500);
    assertFalse(cut.isDone());
    namespace.revoke("f");
    world.await(dying.abort());
    osds.forEach(osd -> osd.faults(opcode -> Fault.NONE));
    assertTrue(namespace.file("f").getHasTrim());
    content = Arrays.copyOf(content, 100_001);

    WeftOutput appended = world.await(files.append(FILE));
    assertFalse(namespace.file("f").getHasTrim());
    world.await(appended.write(ByteBuffer.wrap(new byte[] {1, 2, 3})));
    world.await(appended.close());
    content = Arrays.copyOf(content, 100_004);
    content[100_001] = 1;
    content[100_002] = 2;
    content[100_003] = 3;
    assertArrayEquals(content, read());
    assertEquals(
        0,
        world.await(files.truncate(FILE, 100_004)).sizeBytes() - content.length,
        "nothing is left");
  }

  private static Fault loseCuts(Opcode opcode) {
    return opcode == Opcode.WRITE || opcode == Opcode.TRUNCATE ? Fault.SILENCE : Fault.NONE;
  }

  @Test
  void aReaderOpensTheFileAgainWhenItIsCut() {
    WeftInput input = world.await(files.open(FILE));
    world.await(files.truncate(FILE, 40_000));
    world.await(files.truncate(FILE, 150_000));
    ByteBuffer target = ByteBuffer.allocate(content.length);
    assertEquals(content.length, world.await(input.read(0, target)));
    assertArrayEquals(Arrays.copyOf(Arrays.copyOf(content, 40_000), 150_000), target.array());
  }

  @Test
  void anOsdThatIsLostIsDoneWithout() {
    WeftFile file = world.await(files.openForUpdate(FILE));
    osds.get(2).stop();
    namespace.giveUp(new OsdId(3));
    write(file, 1_000, random(100_003));
    write(file, 50_000, random(200_000));
    world.await(file.setLength(180_000));
    content = Arrays.copyOf(content, 180_000);
    world.await(file.close());
    assertEquals(List.of(2), namespace.file("f").getMap().getMissingList());
    assertArrayEquals(content, read());
  }

  @Test
  void callsRunSideBySideAndWhatNeedsTheWholeFileWaits() {
    WeftFile file = world.await(files.openForUpdate(FILE));
    int end = content.length;
    byte[] more = random(200_000);
    CompletableFuture<Void> first = file.write(0, ByteBuffer.wrap(random(10)));
    CompletableFuture<Void> beside = file.write(40_000, ByteBuffer.wrap(random(10)));
    ByteBuffer target = ByteBuffer.allocate(100);
    CompletableFuture<Integer> read = file.read(60_000, target);
    CompletableFuture<Void> growing = file.write(end, ByteBuffer.wrap(more));
    CompletableFuture<Void> flushed = file.hsync();
    CompletableFuture<Void> cut = file.setLength(end + 100);
    CompletableFuture<Void> afterwards = file.write(end + 100, ByteBuffer.wrap(new byte[] {7}));
    CompletableFuture<FileStatus> closed = file.close();
    assertThrows(IllegalStateException.class, () -> file.write(0, ByteBuffer.allocate(10)));
    assertThrows(IllegalArgumentException.class, () -> file.write(-1, ByteBuffer.allocate(1)));
    assertEquals(end + 101, world.await(closed).sizeBytes());
    for (CompletableFuture<?> each :
        List.of(first, beside, read, growing, flushed, cut, afterwards)) {
      assertTrue(each.isDone() && !each.isCompletedExceptionally());
    }
    assertArrayEquals(Arrays.copyOfRange(content, 60_000, 60_100), target.array());
    byte[] all = read();
    assertArrayEquals(Arrays.copyOf(more, 100), Arrays.copyOfRange(all, end, end + 100));
    assertEquals(7, all[end + 100]);
  }

  @Test
  void theFirstFailureEndsTheWriting() {
    WeftFile file = world.await(files.openForUpdate(FILE));
    namespace.revoke("f");
    write(file, 0, random(10));
    WeftException revoked = world.failureOf(file.setLength(10));
    assertEquals(ErrorCode.GRANT_REVOKED, revoked.code());
    assertTrue(revoked.getMessage().startsWith("/f: "), revoked.getMessage());
    assertEquals(
        ErrorCode.GRANT_REVOKED, world.failureOf(file.write(0, ByteBuffer.allocate(1))).code());
    assertEquals(ErrorCode.GRANT_REVOKED, world.failureOf(file.close()).code());
  }

  @Test
  void anAbandonedFileIsLeftToTheManager() {
    WeftFile file = world.await(files.openForUpdate(FILE));
    world.await(file.abort());
    assertTrue(namespace.closes().get(namespace.closes().size() - 1).getAbandoned());
    assertEquals(ErrorCode.CANCELLED, world.failureOf(file.hflush()).code());
    assertArrayEquals(content, read());
  }
}
