package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.PendingRequests.abort;
import static org.weft.osd.store.engine.PendingRequests.client;
import static org.weft.osd.store.engine.PendingRequests.inPlaceOf;
import static org.weft.osd.store.engine.PendingRequests.listed;
import static org.weft.osd.store.engine.PendingRequests.xor;
import static org.weft.osd.store.engine.PendingRequests.xored;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.MANAGER;
import static org.weft.osd.store.engine.Requests.lsn;
import static org.weft.osd.store.engine.Requests.object;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.write;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.osd.store.Durability;
import org.weft.osd.store.MutationOutcome;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.PendingList;
import org.weft.osd.store.PendingWrite;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.mutation.BlockWrite;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.VersionRaise;
import org.weft.osd.store.mutation.WriteAbort;
import org.weft.osd.store.mutation.WriteCompletion;
import org.weft.osd.store.mutation.XorApplication;
import org.weft.osd.store.mutation.XorExchange;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.error.ErrorCode;

/**
 * The power goes while stripe writes, XORs, aborts and completions of several grants are under way
 * (P 5.4, 5.9). Afterwards each object is as after some of its changes, all durable ones among
 * them, less pending writes that are gone as a whole; and everything that is then undone or sent
 * again has exactly its effect. Completions are durable here, so that no complete write may be
 * lost.
 */
class PendingPowerLossTest {
  private static final int OBJECTS = 3;
  private static final int BLOCKS = 10;
  private static final long[] GRANTS = {100, 101};

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.power.seeds", 20));
  }

  /** The object after a change; {@code item} is not touched any more. */
  private record State(long step, ModelItem item) {}

  /** A write's id. */
  private record Id(long object, long grant, long sequence) {}

  private final StoreModel model = new StoreModel();
  private final SortedMap<Long, List<State>> states = new TreeMap<>();
  private final List<Mutation> given = new ArrayList<>();
  // Writes that were promised to survive, and those that a checkpoint of that number covers.
  private final Set<Id> durable = new HashSet<>();
  private final SortedMap<Long, List<Id>> covered = new TreeMap<>();
  private final long[][] sequences = new long[OBJECTS + 1][GRANTS.length];
  private long step;
  private long durableStep;
  private Mutation cutOff;
  private Rig rig;
  private RandomGenerator random;

  /**
   * An undone δ does not come back, and what a later write of the same commit took the place of
   * does, if that write's bytes are lost.
   */
  @Test
  void aPowerLossKeepsACommitsUndoAndOverwriteWholeOrNot() throws Exception {
    byte[] old = random(1, BLOCK);
    byte[] delta = random(2, BLOCK);
    byte[] last = random(3, BLOCK);
    int backAsItWas = 0;
    for (long seed = 0; seed < 14 * Integer.getInteger("weft.times", 1); seed++) {
      rig = new Rig(seed, StoreOptions.ofCapacity(16 << 20));
      rig.apply(write(1, 0, old).build());
      rig.apply(xor(1, 0, delta, client(100), 2, 1));
      rig.apply(new VersionRaise(object(1), MANAGER, lsn(101)));
      rig.await(rig.store.checkpointNow());
      BlockWrite over = Requests.blocks(1, 200, last, 0);
      for (MutationOutcome outcome : rig.applyAll(abort(1, inPlaceOf(100), 2, 1), over)) {
        assertNull(outcome.failure());
      }
      rig.losePower();
      rig.open();
      byte[] now = read(rig.store, 1, 0, BLOCK);
      boolean undone = listed(rig.store, 1).equals(List.of("ABORTED 100:2"));
      if (!undone) {
        assertArrayEquals(xored(old, delta), now);
      } else if (!Arrays.equals(last, now)) {
        assertArrayEquals(old, now);
        backAsItWas++;
      }
    }
    assertTrue(backAsItWas > 0);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aPowerLossKeepsAPendingWriteWholeOrNotAtAll(long seed) throws Exception {
    random = new SplittableRandom(seed);
    // Many segments: what is synced with one write does not make another's bytes durable.
    rig =
        new Rig(
            seed,
            new StoreOptions(
                16 << 20, 16 * BLOCK, 24 * BLOCK, 24 * BLOCK, 5_000, Durability.WRITE_BACK));
    for (long id = 1; id <= OBJECTS; id++) {
      prepare(id);
    }
    rig.await(rig.store.checkpointNow());
    durableStep = step;
    rig.faults.losePowerAt(
        rig.faults.operations() + 1 + random.nextLong(random.nextBoolean() ? 200 : 3_000));
    while (goOn()) {
      if (random.nextInt(25) == 0) {
        rig.time.pass(random.nextLong(rig.options.checkpointMillis() * 2_000_000));
      }
    }
    covered.headMap(rig.store.status().durableCheckpoint() + 1).values().forEach(durable::addAll);
    rig.losePower();
    rig.open();
    for (long id = 1; id <= OBJECTS; id++) {
      if (mayHaveLostCompleteWrites(id)) {
        applyToBoth(Requests.removal(id, 1_000));
      } else {
        model.items.put(id, explain(id));
      }
    }
    goOnAndCompare();
    rig.stop();
    rig.assertSound();
  }

  private void prepare(long id) {
    byte[] data = Requests.random(id, (BLOCKS - 3) * BLOCK);
    for (Mutation mutation :
        List.of(
            Requests.write(id, BLOCK, data).by(99, 1).build(),
            PendingRequests.complete(id, client(99), 1))) {
      assertEquals(null, model.apply(mutation));
      rig.apply(mutation);
    }
    note(id);
  }

  private void note(long id) {
    states
        .computeIfAbsent(id, any -> new ArrayList<>())
        .add(new State(step, model.items.get(id).copy()));
  }

  /**
   * True if the last change was a completion that was cut off: it may be there, and the bytes of
   * what it completed not. Nothing more can be said of the object.
   */
  private boolean mayHaveLostCompleteWrites(long id) {
    return cutOff instanceof WriteCompletion && nameOf(cutOff) == id;
  }

  /** False when the power is gone. */
  private boolean goOn() {
    step++;
    Mutation mutation = next();
    cutOff = mutation;
    long id = nameOf(mutation);
    ErrorCode expected = model.apply(mutation);
    if (expected == null) {
      note(id);
    }
    var stage = Rig.outcome(rig.store, mutation).toCompletableFuture();
    rig.time.runUntil("a change is done", stage::isDone);
    MutationOutcome outcome = stage.join();
    ErrorCode actual = outcome.failure() == null ? null : outcome.failure().code();
    if (actual != expected) {
      assertNotNull(actual, () -> mutation + " should be refused: " + expected);
      assertTrue(
          actual == ErrorCode.UNAVAILABLE || actual.isOfMedium(),
          () -> mutation + ": " + outcome.failure());
      return false;
    }
    if (actual == null) {
      acknowledged(mutation, outcome.receipt());
    }
    return true;
  }

  private void acknowledged(Mutation mutation, Receipt receipt) {
    Id written = written(mutation);
    if (mutation.durable()) {
      durableStep = step;
    }
    if (written != null && mutation.durable()) {
      durable.add(written);
    } else if (written != null) {
      covered.computeIfAbsent(receipt.pendingCheckpoint(), n -> new ArrayList<>()).add(written);
    }
  }

  private static Id written(Mutation mutation) {
    if (mutation instanceof org.weft.osd.store.mutation.ObjectWrite write) {
      return new Id(nameOf(mutation), write.authority().grant(), write.numbers().first());
    } else if (mutation instanceof XorExchange xor) {
      return new Id(nameOf(mutation), xor.write().grant(), xor.write().sequence());
    } else if (mutation instanceof XorApplication xor) {
      return new Id(nameOf(mutation), xor.write().grant(), xor.write().sequence());
    }
    return null;
  }

  private static long nameOf(Mutation mutation) {
    if (mutation instanceof org.weft.osd.store.mutation.ObjectWrite write) {
      return write.name().object().value();
    } else if (mutation instanceof XorExchange xor) {
      return xor.write().name().object().value();
    } else if (mutation instanceof XorApplication xor) {
      return xor.write().name().object().value();
    } else if (mutation instanceof WriteAbort abort) {
      return abort.name().object().value();
    } else if (mutation instanceof WriteCompletion completion) {
      return completion.name().object().value();
    }
    throw new AssertionError(mutation);
  }

  private Mutation next() {
    if (random.nextInt(8) == 0 && !given.isEmpty()) {
      return given.get(given.size() - 1 - random.nextInt(Math.min(10, given.size())));
    }
    Mutation fresh = fresh();
    given.add(fresh);
    return fresh;
  }

  private Mutation fresh() {
    int id = 1 + random.nextInt(OBJECTS);
    int which = random.nextInt(GRANTS.length);
    Authority by = client(GRANTS[which]);
    int choice = random.nextInt(20);
    if (choice < 2) {
      return new WriteCompletion(object(id), by, sequences[id][which], 0, 0, true);
    } else if (choice < 5) {
      long sequence = Math.max(1, sequences[id][which] - random.nextInt(4));
      return new WriteAbort(object(id), by, sequence, 1, random.nextInt(6) == 0);
    }
    long sequence = ++sequences[id][which];
    boolean durably = random.nextInt(8) == 0;
    // The first object is a parity, the second a data unit, the third is both.
    if (id != 1 && choice < 9) {
      int offset = random.nextInt((BLOCKS - 2) * BLOCK);
      byte[] data = Requests.random(step, 1 + random.nextInt(2 * BLOCK));
      Requests.Write write = Requests.write(id, offset, data).by(GRANTS[which], sequence);
      return durably ? write.durable().build() : write.build();
    } else if (id != 1 && choice < 13) {
      int offset = random.nextInt((BLOCKS - 2) * BLOCK);
      byte[] data = Requests.random(step, 1 + random.nextInt(2 * BLOCK));
      return PendingRequests.exchange(id, offset, data, by, sequence, 0);
    }
    long offset = (long) random.nextInt(BLOCKS - 2) * BLOCK;
    byte[] delta = Requests.random(step, (1 + random.nextInt(3)) * BLOCK);
    XorApplication xor = PendingRequests.xor(id, offset, delta, by, sequence, 0);
    return durably ? PendingRequests.durable(xor) : xor;
  }

  /** The state that the object is in, of those that it may be in. */
  private ModelItem explain(long id) throws Exception {
    PendingList list = rig.store.listPending(object(id), MANAGER);
    byte[] bytes = read(rig.store, id, 0, BLOCKS * BLOCK);
    List<State> all = states.get(id);
    StringBuilder why = new StringBuilder();
    for (int i = all.size() - 1; i >= 0; i--) {
      ModelItem item = all.get(i).item().copy();
      String differs = differs(id, item, list, bytes);
      if (differs == null) {
        return item;
      }
      why.append("\n as of step ").append(all.get(i).step()).append(": ").append(differs);
      if (all.get(i).step() <= durableStep) {
        break;
      }
    }
    throw new AssertionError("object " + id + ", durable up to " + durableStep + ": " + why);
  }

  /** Takes what is not listed off the item; says what then is not as it must be, or null. */
  private String differs(long id, ModelItem item, PendingList list, byte[] bytes) {
    SortedMap<Long, Long> marks = new TreeMap<>();
    list.marks().forEach(mark -> marks.put(mark.grant(), mark.upTo()));
    if (!marks.equals(item.completeUpTo)) {
      return "marks " + marks + " are not " + item.completeUpTo;
    }
    if (!item.pending.writes().containsAll(list.writes())) {
      return "listed are " + list.writes() + ", given were " + item.pending.writes();
    }
    for (ModelPending.Entry entry : item.pending.all()) {
      PendingWrite write = entry.write();
      if (!list.writes().contains(write)) {
        if (write.kind() == PendingKind.ABORTED) {
          return "forgot that it aborted " + write;
        }
        if (durable.contains(new Id(id, write.grant(), write.firstSequence()))) {
          return "lost the durable " + write;
        }
        item.undo(entry);
        item.pending.remove(entry);
      }
    }
    int wrong = Arrays.mismatch(bytes, bytes(item));
    if (wrong >= 0) {
      return "block " + wrong / BLOCK + " with " + list.writes();
    }
    return list.eofBytes() == item.eof() ? null : "length " + list.eofBytes();
  }

  private static byte[] bytes(ModelItem item) {
    byte[] all = new byte[BLOCKS * BLOCK];
    item.blocks.forEach(
        (block, stored) -> System.arraycopy(stored.bytes(), 0, all, (int) (block * BLOCK), BLOCK));
    return all;
  }

  /** Sends things again, undoes some, and goes on as if nothing had been. */
  private void goOnAndCompare() throws Exception {
    for (Mutation mutation : given.subList(Math.max(0, given.size() - 60), given.size())) {
      applyToBoth(mutation);
    }
    for (int i = 0; i < 40; i++) {
      step++;
      applyToBoth(next());
    }
    for (long id : List.copyOf(model.items.keySet())) {
      for (PendingWrite write : rig.store.listPending(object(id), MANAGER).writes()) {
        if (write.kind() != PendingKind.ABORTED && random.nextInt(3) > 0) {
          applyToBoth(abort(id, client(write.grant() - lsn(0)), write.firstSequence(), 1));
        }
      }
      ModelItem item = model.items.get(id);
      assertArrayEquals(bytes(item), read(rig.store, id, 0, BLOCKS * BLOCK));
      PendingList list = rig.store.listPending(object(id), MANAGER);
      assertEquals(item.pending.writes(), list.writes());
      assertEquals(item.eof(), list.eofBytes());
    }
  }

  private void applyToBoth(Mutation mutation) {
    ErrorCode expected = model.apply(mutation);
    MutationOutcome outcome = rig.await(Rig.outcome(rig.store, mutation));
    ErrorCode actual = outcome.failure() == null ? null : outcome.failure().code();
    assertEquals(expected, actual, () -> mutation + ": " + outcome.failure());
    if (actual == null) {
      assertArrayEquals(
          model.delta, outcome.receipt().delta().map(PendingRequests::bytes).orElse(null));
    }
  }
}
