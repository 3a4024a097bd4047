package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.Requests.MANAGER;
import static org.weft.osd.store.engine.Requests.object;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.osd.check.CheckReport;
import org.weft.osd.store.Durability;
import org.weft.osd.store.PendingWrite;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.engine.block.BufferRun;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.ObjectTruncation;
import org.weft.osd.store.mutation.WriteAbort;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.BlockRun;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * The power goes at a random operation of the disk (P 5.9). What a checkpoint covers, or a durable
 * write wrote, is there, as it was or as a later write left it; the store opens sound; what else
 * was written is there, gone, or known to be damaged, never wrong.
 */
class PowerLossTest {
  private static final int BLOCK = 4096;
  private static final int OBJECTS = 8;

  /** What a block held after one write; {@code bytes} is null before the first. */
  private record Version(byte[] bytes, int step) {}

  /** Everything that one object has been. */
  private static final class History {
    final SortedMap<Long, List<Version>> blocks = new TreeMap<>();
    final List<Version> attributes = new ArrayList<>(List.of(new Version(null, -1)));
    final List<Integer> steps = new ArrayList<>();
    int removedAt = -1;
    final SortedMap<Long, Integer> stepOf = new TreeMap<>();
    long sequence;

    List<Version> of(long block) {
      return blocks.computeIfAbsent(
          block, number -> new ArrayList<>(List.of(new Version(null, -1))));
    }
  }

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.power.seeds", 20));
  }

  private final SortedMap<Long, History> objects = new TreeMap<>();
  // Of each step: the checkpoint that covers it, 0 if it was not acknowledged, -1 if it is durable.
  private final List<Long> covered = new ArrayList<>();
  private Rig rig;
  private RandomGenerator random;
  // Objects with a mutation that was not acknowledged: another might overtake it.
  private final Set<Long> busy = new HashSet<>();
  private long nextObject = 1;
  private long now = 100;

  @ParameterizedTest
  @MethodSource("seeds")
  void durableBytesSurviveAPowerLoss(long seed) throws Exception {
    random = new SplittableRandom(seed);
    rig = new Rig(seed, StoreOptions.ofCapacity(16 << 20));
    long base = rig.faults.operations();
    // Long enough that blocks are freed and used again.
    rig.faults.losePowerAt(base + random.nextLong(random.nextBoolean() ? 400 : 6_000));
    long durable = run();
    rig.losePower();
    rig.open();
    assertTrue(rig.store.identity().uncleanReboot());
    int damaged = 0;
    for (long id : objects.keySet()) {
      damaged += verify(id, objects.get(id), durable);
    }
    // What pending writes keep is as good: undone, a durable block is still there.
    if (random.nextBoolean()) {
      damaged = 0;
      for (long id : objects.keySet()) {
        abortPending(id, durable);
        damaged += verify(id, objects.get(id), durable);
      }
    }
    // The store goes on.
    byte[] more = Requests.random(seed, 50_000);
    rig.apply(Requests.write(1_000_000, 0, more).durable().build());
    rig.stop();
    CheckReport report = rig.check(true);
    long bad = report.findings().stream().filter(f -> f.contains("its checksum")).count();
    assertEquals(bad, report.findings().size(), () -> report.findings().toString());
    // What a durable write keeps need not have been durable itself.
    long kept = report.findings().stream().filter(f -> f.contains(" keeps, ")).count();
    assertEquals(damaged, bad - kept, () -> report.findings().toString());
    rig.open();
    assertTrue(rig.store.identity().uncleanReboot(), "SysMgr was not told yet");
    assertFalse(Arrays.mismatch(more, Requests.read(rig.store, 1_000_000, 0, more.length)) >= 0);
  }

  /** Overwrites are taken back or kept, wherever the power goes in the checkpoint over them. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void aCheckpointThatIsCutOffDamagesNothing(int fatal) throws Exception {
    for (long seed = 0; seed < 10 * Integer.getInteger("weft.times", 1); seed++) {
      rig = new Rig(seed, StoreOptions.ofCapacity(16 << 20));
      byte[] older = Requests.random(seed, 8 * BLOCK);
      byte[] newer = Requests.random(seed + 1000, 8 * BLOCK);
      rig.apply(Requests.write(1, 0, older).durable().build());
      rig.apply(Requests.write(1, 0, newer).by(100, 2).complete(1).build());
      rig.faults.losePowerAt(rig.faults.operations() + fatal);
      CompletableFuture<Long> checkpoint = rig.store.checkpointNow().toCompletableFuture();
      rig.time.runUntil("the checkpoint is over", checkpoint::isDone);
      rig.losePower();
      rig.open();
      for (int at = 0; at < older.length; at += BLOCK) {
        byte[] now = Requests.read(rig.store, 1, at, BLOCK);
        boolean kept = Arrays.equals(now, 0, BLOCK, newer, at, at + BLOCK);
        boolean back = Arrays.equals(now, 0, BLOCK, older, at, at + BLOCK);
        assertTrue(kept || (back && checkpoint.isCompletedExceptionally()), "seed " + seed);
      }
    }
  }

  /** What a durable write kept was lost, for it was not durable; what that had overwritten was. */
  @Test
  void anAbortAfterAPowerLossBringsBackNothingDamaged() throws Exception {
    StoreOptions segments =
        new StoreOptions(16 << 20, 16 * BLOCK, 8 * BLOCK, 8 * BLOCK, 5_000, Durability.WRITE_BACK);
    for (long seed = 0; seed < 14 * Integer.getInteger("weft.times", 1); seed++) {
      rig = new Rig(seed, segments);
      byte[] oldest = Requests.random(seed, 8 * BLOCK);
      byte[] older = Requests.random(seed + 1000, 8 * BLOCK);
      byte[] newest = Requests.random(seed + 2000, 8 * BLOCK);
      rig.apply(Requests.write(1, 0, oldest).durable().build());
      rig.apply(Requests.write(1, 0, older).by(100, 2).complete(1).build());
      rig.apply(Requests.write(1, 0, newest).by(100, 3).complete(2).durable().build());
      rig.losePower();
      rig.open();
      assertArrayEquals(newest, Requests.read(rig.store, 1, 0, newest.length));
      Authority writer = Authority.ofClient(Requests.lsn(100), 0);
      rig.apply(new WriteAbort(object(1), writer, 3, 1, false));
      for (int at = 0; at < older.length; at += BLOCK) {
        byte[] now = Requests.read(rig.store, 1, at, BLOCK);
        assertTrue(
            Arrays.equals(now, 0, BLOCK, older, at, at + BLOCK)
                || Arrays.equals(now, 0, BLOCK, oldest, at, at + BLOCK),
            "seed " + seed);
      }
    }
  }

  /** Undoes what is pending, unless it is durable itself. */
  private void abortPending(long id, long durable) throws WeftException {
    List<PendingWrite> writes = List.of();
    try {
      writes = rig.store.listPending(object(id), MANAGER).writes();
    } catch (WeftException e) {
      assertEquals(ErrorCode.NO_SUCH_OBJECT, e.code());
    }
    for (PendingWrite write : writes) {
      if (!isDurable(objects.get(id).stepOf.get(write.firstSequence()), durable)) {
        Authority by = Authority.ofClient(write.grant(), 0);
        rig.apply(new WriteAbort(object(id), by, write.firstSequence(), 1, false));
      }
    }
  }

  /** Runs until the power is gone; gives the last durable checkpoint. */
  private long run() {
    while (true) {
      List<CompletableFuture<Receipt>> given = new ArrayList<>();
      List<Integer> steps = new ArrayList<>();
      busy.clear();
      for (int i = random.nextInt(4); i >= 0; i--) {
        Mutation mutation = mutation();
        steps.add(covered.size() - 1);
        given.add(rig.begin(mutation).toCompletableFuture());
        if (mutation.durable()) {
          break;
        }
      }
      if (random.nextInt(6) == 0) {
        rig.time.pass(random.nextLong(rig.options.checkpointMillis() * 1_000_000));
      }
      boolean failed = false;
      for (int i = 0; i < given.size(); i++) {
        CompletableFuture<Receipt> stage = given.get(i);
        rig.time.runUntil("a mutation is done", stage::isDone);
        if (stage.isCompletedExceptionally()) {
          failed = true;
        } else if (covered.get(steps.get(i)) == 0) {
          covered.set(steps.get(i), stage.join().pendingCheckpoint());
        }
        if (failed && covered.get(steps.get(i)) == -1) {
          covered.set(steps.get(i), 0L);
        }
      }
      if (failed) {
        return rig.store.status().durableCheckpoint();
      }
    }
  }

  private Mutation mutation() {
    int step = covered.size();
    covered.add(0L);
    int choice = random.nextInt(20);
    if (objects.isEmpty() || (choice < 2 && objects.size() < 200)) {
      objects.put(nextObject++, new History());
    }
    List<Long> alive =
        objects.keySet().stream()
            .filter(id -> objects.get(id).removedAt < 0 && !busy.contains(id))
            .toList();
    if (alive.isEmpty()) {
      objects.put(nextObject++, new History());
      alive = List.of(nextObject - 1);
    }
    long id = alive.get(random.nextInt(Math.min(alive.size(), OBJECTS)));
    busy.add(id);
    History history = objects.get(id);
    history.steps.add(step);
    if (choice == 2 && history.steps.size() > 1) {
      history.removedAt = step;
      return Requests.removal(id, now++);
    } else if (choice < 5) {
      byte[] value = Requests.random(step, 20);
      history.attributes.add(new Version(value, step));
      return Requests.attributes(id, new AttributeValue(0, Requests.lsn(now++), value));
    }
    if (choice == 5 && history.sequence > 0) {
      return truncation(step, id, history);
    }
    return write(step, id, history);
  }

  /** What is cut off reads as zeros, and stays so under a checkpoint. */
  private Mutation truncation(int step, long id, History history) {
    long length = (long) random.nextInt(30) * BLOCK;
    for (List<Version> versions : history.blocks.tailMap(length / BLOCK).values()) {
      versions.add(new Version(null, step));
    }
    boolean durable = random.nextInt(3) == 0;
    if (durable) {
      covered.set(step, -1L);
    }
    long sequence = ++history.sequence;
    return new ObjectTruncation(
        object(id),
        Authority.ofClient(Requests.lsn(50), 0),
        length,
        length,
        0,
        sequence,
        sequence - 1,
        0,
        durable);
  }

  private Mutation write(int step, long id, History history) {
    long offset = random.nextBoolean() ? random.nextInt(30) * BLOCK : random.nextInt(30 * BLOCK);
    byte[] data = Requests.random(step, 1 + random.nextInt(random.nextBoolean() ? 40_000 : 500));
    for (int done = 0; done < data.length; ) {
      long block = (offset + done) / BLOCK;
      int place = (int) ((offset + done) % BLOCK);
      int count = Math.min(data.length - done, BLOCK - place);
      List<Version> versions = history.of(block);
      byte[] old = versions.get(versions.size() - 1).bytes();
      byte[] bytes = old == null ? new byte[BLOCK] : old.clone();
      System.arraycopy(data, done, bytes, place, count);
      versions.add(new Version(bytes, step));
      done += count;
    }
    long sequence = ++history.sequence;
    history.stepOf.put(sequence, step);
    Requests.Write write = Requests.write(id, offset, data).by(50, sequence).complete(sequence - 1);
    if (random.nextInt(12) == 0) {
      covered.set(step, -1L);
      write.durable();
    }
    return write.build();
  }

  private boolean isDurable(int step, long durable) {
    if (step < 0) {
      return true;
    }
    long checkpoint = covered.get(step);
    return checkpoint == -1 || (checkpoint > 0 && checkpoint <= durable);
  }

  private int lastDurable(List<Version> versions, long durable) {
    int last = 0;
    for (int i = 0; i < versions.size(); i++) {
      if (isDurable(versions.get(i).step(), durable)) {
        last = i;
      }
    }
    return last;
  }

  /** Gives the number of damaged blocks. */
  private int verify(long id, History history, long durable) throws WeftException {
    boolean made = history.steps.stream().anyMatch(step -> isDurable(step, durable));
    boolean removed = history.removedAt >= 0;
    List<AttributeValue> pages;
    try {
      pages = rig.store.attributes(object(id), MANAGER, 0).pages();
    } catch (WeftException e) {
      assertEquals(ErrorCode.NO_SUCH_OBJECT, e.code());
      assertTrue(removed || !made, "object " + id + " is gone");
      return 0;
    }
    assertFalse(removed && isDurable(history.removedAt, durable), "object " + id + " is back");
    List<Version> kept =
        history.attributes.subList(
            lastDurable(history.attributes, durable), history.attributes.size());
    byte[] page = pages.isEmpty() ? null : pages.get(0).value();
    assertTrue(
        kept.stream().anyMatch(version -> Arrays.equals(version.bytes(), page)),
        "attributes of object " + id);
    return verifyBlocks(id, history, durable);
  }

  private int verifyBlocks(long id, History history, long durable) throws WeftException {
    StoredRange result = rig.store.read(Requests.readOf(id, 0, 64 * BLOCK));
    ByteBuffer stored = ByteBuffer.allocate(result.payload().lengthBytes());
    result.payload().buffers().forEach(stored::put);
    result.payload().release();
    stored.flip();
    SortedMap<Long, byte[]> found = new TreeMap<>();
    List<Long> damaged = new ArrayList<>();
    int place = 0;
    for (BlockRun run : result.runs()) {
      for (long block = run.firstBlock(); block < run.firstBlock() + run.blockCount(); block++) {
        byte[] bytes = new byte[BLOCK];
        stored.get(bytes);
        found.put(block, bytes);
        if (BufferRun.crc(ByteBuffer.wrap(bytes)) != result.blockCrcs()[place++]) {
          damaged.add(block);
        }
      }
    }
    history.blocks.forEach(
        (block, versions) -> {
          int last = lastDurable(versions, durable);
          String what = "object " + id + ", block " + block;
          if (damaged.contains(block)) {
            assertTrue(
                versions.subList(last, versions.size()).stream()
                    .anyMatch(version -> version.bytes() == null),
                what + " is damaged");
          } else {
            byte[] bytes = found.get(block);
            assertTrue(
                versions.subList(last, versions.size()).stream()
                    .anyMatch(version -> Arrays.equals(version.bytes(), bytes)),
                what + " is wrong");
          }
        });
    assertTrue(history.blocks.keySet().containsAll(found.keySet()));
    return damaged.size();
  }
}
