package org.weft.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.fake.FakeClusterWorld.CLUSTER;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.fake.FakeClusterWorld;
import org.weft.client.fake.FakeManager;
import org.weft.client.fake.FakeNamespace;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** Files changed in place by small writes that are gathered, over a whole simulated cluster. */
class GatheredFileTest {
  private static final int OSDS = 5;
  private static final byte[] KEY = new byte[32];
  private static final WeftPath FILE = WeftPath.of("/f");
  private static final int UNIT = 8192;
  private static final int STRIPE = 4 * UNIT;
  private static final int AGE_MILLIS = 200;
  private static final UpdateOptions GATHERING =
      UpdateOptions.alone().withGathering(256 << 10, AGE_MILLIS);

  private final FakeClusterWorld world = new FakeClusterWorld(12);
  private final FakeNamespace namespace = new FakeNamespace(KEY, new Layout(4, 1, UNIT, 2_000, 1));
  private final FakeManager manager = new FakeManager(CLUSTER, 10_000, 4, namespace);
  private final List<FakeOsd> osds;
  private final WeftFileSystem files;
  private byte[] content;
  private int writes;

  GatheredFileTest() {
    osds = world.start(manager, OSDS, KEY);
    files = world.connect();
    content = random(150_000);
    WeftOutput output = world.await(files.create(FILE, CreateOptions.replacing()));
    world.await(output.write(ByteBuffer.wrap(content)));
    world.await(output.close());
    osds.forEach(osd -> osd.faults(this::counted));
  }

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.gather.seeds", 8));
  }

  private Fault counted(Opcode opcode) {
    boolean isWrite =
        opcode == Opcode.WRITE || opcode == Opcode.XOR_READ_WRITE || opcode == Opcode.XOR_WRITE;
    writes += isWrite ? 1 : 0;
    return Fault.NONE;
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(length).nextBytes(bytes);
    return bytes;
  }

  private WeftFile open() {
    return world.await(files.openForUpdate(FILE, GATHERING));
  }

  private byte[] readByOthers() {
    WeftInput input = world.await(files.open(FILE));
    ByteBuffer target = ByteBuffer.allocate((int) input.status().sizeBytes());
    if (target.hasRemaining()) {
      assertEquals(target.capacity(), world.await(input.read(0, target)));
    }
    return target.array();
  }

  private static byte[] read(ByteBuffer target) {
    return Arrays.copyOf(target.array(), target.position());
  }

  private CompletableFuture<Void> begin(WeftFile file, int position, byte[] bytes) {
    content = Arrays.copyOf(content, Math.max(content.length, position + bytes.length));
    System.arraycopy(bytes, 0, content, position, bytes.length);
    return file.write(position, ByteBuffer.wrap(bytes));
  }

  /** A small write is done before anything is sent. */
  private void gather(WeftFile file, int position, byte[] bytes) {
    assertTrue(begin(file, position, bytes).isDone());
  }

  @Test
  void othersReadGatheredBytesAfterAFlush() {
    byte[] before = content;
    WeftFile file = open();
    gather(file, 5_000, random(101));
    gather(file, 40_000, random(102));
    assertEquals(0, writes);
    assertArrayEquals(before, readByOthers());
    world.await(file.hflush());
    assertTrue(writes > 0);
    assertArrayEquals(content, readByOthers());
    world.await(file.close());
    world.pass(100);
    assertEquals(0, world.wire.unreleasedPayloads());
  }

  @Test
  void aThousandSmallWritesAreFewForTheOsds() {
    WeftFile file = open();
    for (int at = 0; at < 2 * STRIPE; at += 64) {
      world.await(begin(file, at, random(64)));
    }
    world.await(file.hflush());
    assertEquals(2 * OSDS, writes, "two full stripes");
    world.await(file.close());
    assertArrayEquals(content, readByOthers());
  }

  @Test
  void thousandsOfBytesApartAreWritten() {
    WeftFile file = open();
    for (int at = 0; at < content.length; at += 40) {
      world.await(begin(file, at, new byte[] {(byte) at}));
    }
    world.await(file.close());
    assertArrayEquals(content, readByOthers());
  }

  @Test
  void manyWritesTogetherWithoutGathering() {
    WeftFile file = world.await(files.openForUpdate(FILE));
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int at = 0; at < content.length - 1; at += 70) {
      all.add(begin(file, at, new byte[] {(byte) at}));
    }
    all.forEach(world::await);
    world.await(file.close());
    assertArrayEquals(content, readByOthers());
  }

  @Test
  void thisHandleReadsWhatItWrote() {
    WeftFile file = open();
    gather(file, 5_000, random(101));
    ByteBuffer target = ByteBuffer.allocate(10_000);
    assertEquals(10_000, world.await(file.read(1_000, target)));
    assertArrayEquals(Arrays.copyOfRange(content, 1_000, 11_000), target.array());
    int end = content.length;
    gather(file, end + 500, random(33));
    target = ByteBuffer.allocate(2_000);
    assertEquals(600 - 67 + 100, world.await(file.read(end - 100, target)));
    assertArrayEquals(Arrays.copyOfRange(content, end - 100, content.length), read(target));
    assertEquals(-1, world.await(file.read(content.length, target)));
    world.await(file.close());
    assertThrows(IllegalStateException.class, () -> file.read(0, ByteBuffer.allocate(1)));
  }

  @Test
  void aHandleThatDoesNotGatherReadsToo() {
    WeftFile file = world.await(files.openForUpdate(FILE));
    world.await(begin(file, 200_000, random(1_000)));
    ByteBuffer target = ByteBuffer.allocate(content.length + 1);
    assertEquals(content.length, world.await(file.read(0, target)));
    assertArrayEquals(content, read(target));
    world.await(file.close());
  }

  @Test
  void theLengthIncludesWhatIsGatheredBehindTheEnd() {
    WeftFile file = open();
    gather(file, 400_000, random(1_000));
    assertEquals(401_000, file.sizeBytes());
    assertEquals(150_000, readByOthers().length);
    world.await(file.hsync());
    assertArrayEquals(content, readByOthers());
    gather(file, 500_000, random(10));
    assertEquals(500_010, world.await(file.close()).sizeBytes());
    assertArrayEquals(content, readByOthers());
  }

  @Test
  void aCutTakesWhatWasGatheredBefore() {
    WeftFile file = open();
    gather(file, 300_000, random(500));
    gather(file, 10, random(20));
    world.await(file.setLength(300_100));
    content = Arrays.copyOf(content, 300_100);
    assertEquals(300_100, file.sizeBytes());
    assertArrayEquals(content, readByOthers());
    world.await(file.close());
    assertArrayEquals(content, readByOthers());
  }

  @Test
  void aPunchTakesWhatWasGatheredBefore() {
    WeftFile file = open();
    gather(file, 9_000, random(2_000));
    world.await(file.punch(10_000, 100_000));
    Arrays.fill(content, 10_000, 110_000, (byte) 0);
    assertArrayEquals(content, readByOthers());
    gather(file, 20_000, random(7));
    world.await(file.close());
    assertArrayEquals(content, readByOthers());
  }

  @Test
  void oldGatheredBytesAreSentWithoutACall() {
    WeftFile file = open();
    gather(file, 5_000, random(101));
    world.pass(AGE_MILLIS - 10);
    assertEquals(0, writes);
    world.pass(50);
    assertArrayEquals(content, readByOthers());
    world.await(file.close());
  }

  @Test
  void abandonedGatheredBytesAreNotSent() {
    byte[] before = content;
    WeftFile file = open();
    gather(file, 5_000, random(101));
    world.await(file.abort());
    world.pass(10 * AGE_MILLIS);
    assertEquals(0, writes);
    assertArrayEquals(before, readByOthers());
  }

  @Test
  void theNextCallAndCloseReportBytesWithoutSpace() {
    WeftFile file = open();
    gather(file, 5_000, random(101));
    osds.forEach(osd -> osd.faults(GatheredFileTest::full));
    world.pass(AGE_MILLIS + 50);
    WeftException next = world.failureOf(file.write(0, ByteBuffer.allocate(1)));
    assertEquals(ErrorCode.NO_SPACE, next.code());
    assertTrue(next.getMessage().startsWith("/f: "), next.getMessage());
    assertTrue(next.getMessage().contains("bytes 5000 to 5101 "), next.getMessage());
    assertEquals(next.getMessage(), world.failureOf(file.hflush()).getMessage());
    assertEquals(next.getMessage(), world.failureOf(file.close()).getMessage());
    assertTrue(namespace.closes().get(namespace.closes().size() - 1).getAbandoned());
  }

  private static Fault full(Opcode opcode) {
    boolean isWrite = opcode == Opcode.WRITE || opcode == Opcode.XOR_READ_WRITE;
    return isWrite ? Fault.refuse(ErrorCode.NO_SPACE) : Fault.NONE;
  }

  @Test
  void aFlushThatFailsFailsTheCloseToo() {
    WeftFile file = open();
    gather(file, 5_000, random(101));
    osds.forEach(osd -> osd.faults(GatheredFileTest::full));
    assertEquals(ErrorCode.NO_SPACE, world.failureOf(file.hflush()).code());
    assertEquals(ErrorCode.NO_SPACE, world.failureOf(file.close()).code());
  }

  @Test
  void anOsdThatIsLostIsDoneWithout() {
    WeftFile file = open();
    gather(file, 1_000, random(3_003));
    osds.get(2).stop();
    namespace.giveUp(new OsdId(3));
    gather(file, 50_000, random(2_000));
    ByteBuffer target = ByteBuffer.allocate(60_000);
    assertEquals(60_000, world.await(file.read(0, target)));
    assertArrayEquals(Arrays.copyOf(content, 60_000), target.array());
    world.await(file.close());
    assertArrayEquals(content, readByOthers());
  }

  /** One call after another, of any kind, at any place: small files, growth, cuts and age. */
  @ParameterizedTest
  @MethodSource("seeds")
  void theFileIsAlwaysWhatWasWrittenToIt(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    if (random.nextBoolean()) {
      world.await(files.truncate(FILE, 0));
      content = new byte[0];
    }
    UpdateOptions options =
        UpdateOptions.alone()
            .withGathering(UpdateOptions.MIN_GATHER_BYTES << random.nextInt(3), AGE_MILLIS);
    WeftFile file = world.await(files.openForUpdate(FILE, options));
    for (int step = 0; step < 150; step++) {
      int kind = random.nextInt(100);
      int from = random.nextInt(content.length + (random.nextInt(9) == 0 ? 40_000 : 300));
      if (kind < 70) {
        byte[] bytes = new byte[1 + random.nextInt(random.nextInt(4) == 0 ? 80_000 : 700)];
        random.nextBytes(bytes);
        world.await(begin(file, from, bytes));
      } else if (kind < 78) {
        ByteBuffer target = ByteBuffer.allocate(1 + random.nextInt(50_000));
        int count = world.await(file.read(from, target));
        int to = Math.min(content.length, from + target.capacity());
        assertEquals(from < to ? to - from : -1, count);
        assertArrayEquals(
            from < to ? Arrays.copyOfRange(content, from, to) : new byte[0], read(target));
      } else if (kind < 84) {
        world.await(random.nextBoolean() ? file.hflush() : file.hsync());
        assertArrayEquals(content, readByOthers());
      } else if (kind < 88) {
        world.await(file.setLength(from));
        content = Arrays.copyOf(content, from);
      } else if (kind < 92) {
        int length = 1 + random.nextInt(50_000);
        world.await(file.punch(from, length));
        int to = Math.min(content.length, from + length);
        Arrays.fill(content, Math.min(from, to), to, (byte) 0);
      } else if (kind < 97) {
        world.pass(random.nextInt(2 * AGE_MILLIS));
      } else {
        world.await(file.close());
        assertArrayEquals(content, readByOthers());
        file = world.await(files.openForUpdate(FILE, options));
      }
      assertEquals(content.length, file.sizeBytes());
    }
    world.await(file.close());
    assertArrayEquals(content, readByOthers());
    assertFalse(namespace.file("f").getHasTrim());
    assertEquals(0, world.wire.unreleasedPayloads());
  }
}
