package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LockKeeping;
import org.weft.metadata.lock.HeldLocks;
import org.weft.metadata.volume.operation.lock.ListLocks;
import org.weft.metadata.volume.operation.lock.LockRange;
import org.weft.metadata.volume.operation.lock.UnlockRange;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.LockSpace;
import org.weft.protocol.wire.ListLocksReply;
import org.weft.protocol.wire.LockHolder;
import org.weft.protocol.wire.LockRangeReply;
import org.weft.protocol.wire.LockRangeReply.Outcome;
import org.weft.protocol.wire.LockedRange;

/**
 * Random byte-range locks on one file against a map of its bytes (P 6.5). Locks are shared and
 * exclusive, split, merged, upgraded and downgraded. Sessions end with their locks or leave them to
 * a successor. Managers begin from every prefix of the journal, or from a snapshot and its tail.
 */
class LockModelTest {
  private static final int OPERATIONS = 160;
  private static final int CLIENTS = 4;
  private static final int OWNERS = 2;
  private static final int CELLS = 14;
  private static final int CELL_BYTES = 10;

  /** The last cell stands for all that follows. */
  private static final int END = CELLS + 1;

  private static final int KEEP_MILLIS = 45_000;

  /** Whose locks they are: the session is counted, for a client has one after another. */
  private record Owner(int client, int session, int key) implements Comparable<Owner> {
    @Override
    public int compareTo(Owner other) {
      return Arrays.compare(
          new int[] {client, session, key}, new int[] {other.client, other.session, other.key});
    }
  }

  private record Seen(int records, List<LiveEffect> live) {}

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.model.seeds", 6));
  }

  private final TreeMap<Owner, byte[]> held = new TreeMap<>();
  private final TreeMap<Owner, Long> keptSinceMillis = new TreeMap<>();
  private final int[] sessions = new int[CLIENTS];
  private final List<TestClient> clients = new ArrayList<>();
  private final List<Seen> history = new ArrayList<>();
  private TestVolume volume;
  private SplittableRandom random;

  @ParameterizedTest
  @MethodSource("seeds")
  void lockedBytesMatchAMap(long seed) throws WeftException {
    random = new SplittableRandom(seed);
    volume = TestVolume.formatted(seed);
    for (int client = 0; client < CLIENTS; client++) {
      clients.add(open(client));
    }
    clients.get(0).write("/f", 10);
    for (int step = 0; step < OPERATIONS; step++) {
      step();
      check();
      history.add(new Seen(volume.records().size(), locks(volume)));
      if (random.nextInt(40) == 0) {
        restart();
      }
    }
    for (Seen prefix : history) {
      assertEquals(
          prefix.live(), locks(volume.restarted(prefix.records())), prefix.records() + " records");
    }
  }

  /** Locks of every second client are kept. */
  private static boolean keeps(int client) {
    return client % 2 == 1;
  }

  private TestClient open(int client) throws WeftException {
    Optional<LockKeeping> keeping =
        keeps(client)
            ? Optional.of(
                new LockKeeping(
                    KEEP_MILLIS, ByteString.copyFromUtf8("key of client " + client + "!!")))
            : Optional.empty();
    return volume.client("weft", keeping);
  }

  private void step() throws WeftException {
    int kind = random.nextInt(100);
    int client = random.nextInt(CLIENTS);
    Owner owner = new Owner(client, sessions[client], random.nextInt(OWNERS));
    if (kind < 55) {
      lock(owner, keeps(client) && random.nextInt(3) == 0);
    } else if (kind < 82) {
      unlock(owner);
    } else if (kind < 90) {
      end(client);
    } else {
      test(owner);
    }
    volume.pass(random.nextInt(300) == 0 ? KEEP_MILLIS : random.nextInt(400));
    volume.tick();
    long nowMillis = volume.now().wallMillis();
    keptSinceMillis
        .entrySet()
        .removeIf(
            each -> {
              boolean over = nowMillis - each.getValue() >= KEEP_MILLIS;
              if (over) {
                held.remove(each.getKey());
              }
              return over;
            });
    // Time alone would end the sessions too.
    reopenLapsed();
  }

  private void reopenLapsed() throws WeftException {
    for (int client = 0; client < CLIENTS; client++) {
      if (!volume.machine().hasSession(clients.get(client).session())) {
        ended(client);
      } else {
        volume.own(new RenewSession(clients.get(client).session()));
      }
    }
  }

  private void ended(int client) throws WeftException {
    List<Owner> gone =
        held.keySet().stream()
            .filter(owner -> owner.client() == client && owner.session() == sessions[client])
            .toList();
    for (Owner owner : gone) {
      if (keeps(client)) {
        keptSinceMillis.put(owner, volume.now().wallMillis());
      } else {
        held.remove(owner);
      }
    }
    sessions[client]++;
    clients.set(client, open(client));
  }

  private void end(int client) throws WeftException {
    volume.own(new CloseSession(clients.get(client).session()));
    ended(client);
  }

  private byte[] cells(Owner owner) {
    return held.getOrDefault(owner, new byte[END]);
  }

  private static ByteString key(Owner owner) {
    return ByteString.copyFromUtf8("owner " + owner.key());
  }

  private boolean isInTheWay(Owner other, int from, int to, boolean exclusive) {
    byte[] cells = cells(other);
    return IntStream.range(from, to)
        .anyMatch(cell -> cells[cell] == 2 || cells[cell] == 1 && exclusive);
  }

  private void lock(Owner owner, boolean reclaim) throws WeftException {
    int from = random.nextInt(CELLS);
    int to = random.nextInt(6) == 0 ? END : from + 1 + random.nextInt(CELLS - from);
    boolean exclusive = random.nextInt(3) == 0;
    List<Owner> before =
        held.keySet().stream()
            .filter(other -> reclaim && keptSinceMillis.containsKey(other))
            .filter(other -> other.client() == owner.client() && other.key() == owner.key())
            .toList();
    List<Owner> inTheWay =
        held.keySet().stream()
            .filter(other -> !other.equals(owner) && !before.contains(other))
            .filter(other -> isInTheWay(other, from, to, exclusive))
            .toList();
    LockRangeReply reply =
        clients
            .get(owner.client())
            .lock(
                new LockRange(
                    TestClient.path("/f"),
                    key(owner),
                    range(from, to),
                    exclusive,
                    0,
                    false,
                    reclaim,
                    false,
                    true,
                    LockSpace.BYTES));
    assertEquals(inTheWay.isEmpty() ? Outcome.GRANTED : Outcome.HELD, reply.getOutcome());
    if (!inTheWay.isEmpty()) {
      return;
    }
    byte[] cells = cells(owner);
    byte[] reclaimed = cells.clone();
    for (Owner other : before) {
      byte[] kept = cells(other);
      for (int cell = from; cell < to; cell++) {
        reclaimed[cell] = (byte) Math.max(reclaimed[cell], kept[cell]);
        kept[cell] = 0;
      }
      put(other, kept);
    }
    boolean whole =
        IntStream.range(from, to).allMatch(cell -> reclaimed[cell] >= (exclusive ? 2 : 1));
    assertEquals(reclaim && whole, reply.getReclaimed());
    assertEquals(
        ranges(cells, from, to),
        reply.getBeforeList(),
        "what was there before, for an owner that cancels");
    if (reclaim && !whole) {
      put(owner, reclaimed);
      return;
    }
    Arrays.fill(cells, from, to, (byte) (exclusive ? 2 : 1));
    put(owner, cells);
  }

  private void put(Owner owner, byte[] cells) {
    boolean empty = IntStream.range(0, END).allMatch(cell -> cells[cell] == 0);
    if (empty) {
      held.remove(owner);
      keptSinceMillis.remove(owner);
    } else {
      held.put(owner, cells);
    }
  }

  private void unlock(Owner owner) throws WeftException {
    int from = random.nextInt(CELLS);
    int to = random.nextInt(4) == 0 ? END : from + 1 + random.nextInt(CELLS - from);
    byte[] cells = cells(owner);
    boolean all = IntStream.range(from, to).allMatch(cell -> cells[cell] != 0);
    UnlockRange request = new UnlockRange(new ObjectId(fileId()), key(owner), range(from, to));
    assertEquals(all, clients.get(owner.client()).unlock(request));
    Arrays.fill(cells, from, to, (byte) 0);
    put(owner, cells);
  }

  private long fileId() throws WeftException {
    return clients.get(0).attributes("/f").getObjectId();
  }

  /** The locks that would be in the way. */
  private void test(Owner owner) throws WeftException {
    int from = random.nextInt(CELLS);
    int to = from + 1 + random.nextInt(CELLS - from);
    boolean exclusive = random.nextBoolean();
    ListLocksReply reply =
        clients
            .get(owner.client())
            .locks(
                new ListLocks(
                    TestClient.path("/f"),
                    key(owner),
                    Optional.of(new HeldLocks.Lock(range(from, to), exclusive))));
    long expected =
        held.keySet().stream()
            .filter(other -> !other.equals(owner))
            .filter(other -> isInTheWay(other, from, to, exclusive))
            .count();
    assertEquals(expected, reply.getTotal());
  }

  private void check() throws WeftException {
    ListLocksReply reply =
        clients
            .get(0)
            .locks(new ListLocks(TestClient.path("/f"), ByteString.EMPTY, Optional.empty()));
    List<String> found = reply.getHolderList().stream().map(LockModelTest::text).sorted().toList();
    List<String> expected = new ArrayList<>();
    held.forEach(
        (owner, cells) ->
            ranges(cells, 0, END)
                .forEach(
                    range ->
                        expected.add(text(key(owner), keptSinceMillis.containsKey(owner), range))));
    expected.sort(String::compareTo);
    assertEquals(expected, found);
    int[] shared = new int[END];
    int[] exclusive = new int[END];
    for (byte[] cells : held.values()) {
      for (int cell = 0; cell < END; cell++) {
        shared[cell] += cells[cell] == 1 ? 1 : 0;
        exclusive[cell] += cells[cell] == 2 ? 1 : 0;
      }
    }
    for (int cell = 0; cell < END; cell++) {
      assertTrue(
          exclusive[cell] == 0 || exclusive[cell] == 1 && shared[cell] == 0,
          "two owners of cell " + cell);
    }
  }

  private static String text(LockHolder holder) {
    return text(holder.getOwner(), holder.getKept(), holder.getRange());
  }

  private static String text(ByteString key, boolean kept, LockedRange range) {
    return key.toStringUtf8()
        + (kept ? " kept " : " ")
        + range.getFrom()
        + "-"
        + range.getTo()
        + (range.getExclusive() ? "!" : "");
  }

  /** The manager dies: the next one has the whole journal, or a snapshot and what follows it. */
  private void restart() throws WeftException {
    Seen end = history.get(history.size() - 1);
    Seen prefix = history.get(random.nextInt(history.size()));
    List<LiveEffect> snapshot = snapshotAfter(prefix.records());
    TestVolume tail =
        TestVolume.recovered(
            volume.epochs() + 1, snapshot, volume.recordsBehindSnapshot(prefix.records()));
    assertEquals(end.live(), locks(tail), "a snapshot and its tail");
    volume = volume.restarted();
    assertEquals(end.live(), locks(volume), "the whole journal");
    clients.replaceAll(client -> client.with(volume));
    keptSinceMillis.replaceAll((owner, since) -> volume.now().wallMillis());
  }

  private List<LiveEffect> snapshotAfter(int records) {
    return volume.restarted(records).machine().snapshot();
  }

  private static List<LiveEffect> locks(TestVolume volume) {
    return volume.machine().snapshot().stream()
        .filter(LiveEffect.OfLocks.class::isInstance)
        .toList();
  }

  private static ByteRange range(int from, int to) {
    return new ByteRange(
        (long) from * CELL_BYTES, to == END ? ByteRange.END : (long) to * CELL_BYTES);
  }

  private static List<LockedRange> ranges(byte[] cells, int from, int to) {
    List<LockedRange> ranges = new ArrayList<>();
    int cell = from;
    while (cell < to) {
      int next = cell;
      while (next < to && cells[next] == cells[cell]) {
        next++;
      }
      if (cells[cell] != 0) {
        ranges.add(
            LockedRange.newBuilder()
                .setFrom(range(cell, next).from())
                .setTo(range(cell, next).toInMessage())
                .setExclusive(cells[cell] == 2)
                .build());
      }
      cell = next;
    }
    return ranges;
  }
}
