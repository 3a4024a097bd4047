package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.OwnedStripes;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.layout.StorageMap;

/**
 * Random sharing of one file against a model: openings, closings, ranges taken and given back,
 * deaths, recoveries and restarts (P 6.5). A byte that one owns for writing has no other owner. A
 * restart from any prefix of the journal, or from a snapshot and its tail, brings the same owners
 * back.
 */
class SharedGrantModelTest {
  private static final int OPERATIONS = 150;
  private static final int CLIENTS = 5;
  private static final int STRIPES = 12;
  private static final int END = STRIPES + 1;

  private enum State {
    HELD,
    SUPERSEDED,
    DEAD
  }

  /** A grant as it should be. Stripe {@link #STRIPES} stands for all that follows. */
  private static final class Holder {
    private final int client;
    private Held held;
    private State state = State.HELD;
    private final BitSet writing = new BitSet();

    /** For reading alone. */
    private final BitSet reading = new BitSet();

    Holder(int client, Held held) {
      this.client = client;
      this.held = held;
    }

    boolean owns(int from, int to, RangeUse use) {
      BitSet owned = (BitSet) writing.clone();
      if (use == RangeUse.READING) {
        owned.or(reading);
      }
      return owned.get(from, to).cardinality() == to - from;
    }

    boolean excludes(int from, int to, RangeUse use) {
      return !writing.get(from, to).isEmpty()
          || (use == RangeUse.WRITING && !reading.get(from, to).isEmpty());
    }

    void own(int from, int to, RangeUse use) {
      if (use == RangeUse.WRITING) {
        writing.set(from, to);
      } else {
        reading.set(from, to);
      }
      reading.andNot(writing);
    }

    void release(int from, int to) {
      writing.clear(from, to);
      reading.clear(from, to);
    }
  }

  private record Seen(int records, List<LiveEffect> live) {}

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.model.seeds", 6));
  }

  private TestVolume volume;
  private SplittableRandom random;
  private long stripe;
  private long sizeBytes;
  private List<TestClient> clients = new ArrayList<>();
  private final List<Holder> holders = new ArrayList<>();
  private final List<Seen> history = new ArrayList<>();
  private int restarts;

  @ParameterizedTest
  @MethodSource("seeds")
  void noByteThatOneMayWriteHasAnotherOwner(long seed) throws WeftException {
    random = new SplittableRandom(seed);
    volume = TestVolume.formatted(seed);
    for (int client = 0; client < CLIENTS; client++) {
      clients.add(volume.superuser());
    }
    StorageMap map = StorageMap.fromMessage(clients.get(0).write("/f", 1_000).getMap());
    stripe = map.layout().stripeBytes();
    sizeBytes = 1_000;
    for (int step = 0; step < OPERATIONS; step++) {
      step();
      check();
      history.add(new Seen(volume.records().size(), volume.machine().snapshot()));
      if (random.nextInt(25) == 0) {
        restart();
      }
    }
    assertTrue(restarts > 0 || seed != 0, "some seed restarts");
  }

  private void step() throws WeftException {
    int kind = random.nextInt(100);
    if (holders.isEmpty() || kind < 12) {
      open();
      return;
    }
    Holder holder = holders.get(random.nextInt(holders.size()));
    if (kind < 55) {
      acquire(holder);
    } else if (kind < 80) {
      release(holder);
    } else if (kind < 86) {
      end(holder, false);
    } else if (kind < 90) {
      end(holder, true);
    } else if (kind < 95) {
      regrant(holder);
    } else {
      finishResolve();
    }
    volume.pass(random.nextInt(400));
    // Time alone would end them all.
    volume.machine().renewSessions(volume.now());
  }

  private void open() throws WeftException {
    int client = random.nextInt(CLIENTS);
    boolean refused = holders.stream().anyMatch(holder -> holder.state == State.DEAD);
    try {
      holders.add(new Holder(client, Held.of(clients.get(client).share("/f"))));
      assertFalse(refused, "beside a dead writer");
    } catch (WeftException e) {
      assertEquals(ErrorCode.BEING_WRITTEN, e.code());
      assertTrue(refused);
    }
  }

  private void acquire(Holder holder) {
    int from = random.nextInt(STRIPES);
    int to = random.nextInt(10) == 0 ? END : from + 1 + random.nextInt(STRIPES - from);
    RangeUse use = random.nextBoolean() ? RangeUse.READING : RangeUse.WRITING;
    boolean free =
        holders.stream()
            .filter(other -> other != holder)
            .noneMatch(other -> other.excludes(from, to, use));
    boolean had = holder.owns(from, to, use);
    try {
      ByteRange given = clients.get(holder.client).acquire(holder.held, range(from, to), use);
      assertEquals(State.HELD, holder.state);
      assertTrue(free, "given although another owns some of it");
      if (holders.size() == 1 && !had) {
        assertEquals(ByteRange.ALL, given);
        holder.own(0, END, use);
      } else {
        holder.own(from, to, use);
        assertTrue(given.contains(range(from, to)));
      }
    } catch (WeftException e) {
      assertEquals(
          holder.state == State.HELD
              ? ErrorCode.BUSY
              : holder.state == State.DEAD ? ErrorCode.GRANT_REVOKED : ErrorCode.FENCED,
          e.code(),
          e.getMessage());
      assertTrue(holder.state != State.HELD || !free || holders.size() > 1 && !had, e.getMessage());
    }
  }

  private void release(Holder holder) {
    int from = random.nextInt(STRIPES);
    int to = random.nextInt(3) == 0 ? END : from + 1 + random.nextInt(STRIPES - from);
    long grownTo = random.nextInt(20) * stripe;
    try {
      long now =
          clients.get(holder.client).release(holder.held, range(from, to), grownTo).getSize();
      assertTrue(holder.state != State.DEAD);
      sizeBytes = Math.max(sizeBytes, grownTo);
      assertEquals(sizeBytes, now);
      holder.release(from, to);
    } catch (WeftException e) {
      assertEquals(ErrorCode.GRANT_REVOKED, e.code());
      assertEquals(State.DEAD, holder.state);
    }
  }

  private void end(Holder holder, boolean abandoned) {
    long grownTo = random.nextInt(20) * stripe;
    try {
      if (abandoned) {
        clients.get(holder.client).abandon(holder.held);
      } else {
        clients.get(holder.client).close(holder.held, grownTo, 3);
      }
    } catch (WeftException e) {
      assertEquals(ErrorCode.GRANT_REVOKED, e.code());
      assertEquals(State.DEAD, holder.state);
      return;
    }
    assertTrue(holder.state != State.DEAD);
    if (abandoned) {
      holders.stream()
          .filter(each -> each.state == State.HELD)
          .forEach(each -> each.state = State.SUPERSEDED);
      holder.state = State.DEAD;
    } else {
      sizeBytes = Math.max(sizeBytes, grownTo);
      holders.remove(holder);
    }
  }

  private void regrant(Holder holder) {
    boolean waits = holders.stream().anyMatch(each -> each.state == State.DEAD);
    try {
      Held next = Held.of(clients.get(holder.client).regrant(holder.held));
      assertEquals(State.SUPERSEDED, holder.state);
      assertFalse(waits, "before what died is in order");
      holder.held = next;
      holder.state = State.HELD;
    } catch (WeftException e) {
      switch (holder.state) {
        case HELD -> assertEquals(ErrorCode.INVALID_ARGUMENT, e.code(), "nothing is lost");
        case SUPERSEDED -> assertTrue(e.code() == ErrorCode.UNAVAILABLE && waits);
        case DEAD -> assertEquals(ErrorCode.GRANT_REVOKED, e.code());
      }
    }
  }

  private void finishResolve() {
    for (WriteGrant dead : volume.machine().resolving()) {
      volume.own(new FinishResolve(dead.number(), sizeBytes));
    }
    holders.removeIf(holder -> holder.state == State.DEAD);
  }

  /** What the journal would bring back is what the model says, and what the machine believes. */
  private void check() {
    assertEquals(
        holders.stream().map(holder -> holder.held.number()).sorted().toList(),
        volume.machine().grants().stream().map(WriteGrant::number).toList());
    BitSet writing = new BitSet();
    BitSet reading = new BitSet();
    for (Holder holder : holders) {
      assertFalse(writing.intersects(holder.writing));
      writing.or(holder.writing);
      reading.or(holder.reading);
      OwnedStripes owned = new OwnedStripes(ranges(holder.writing), ranges(holder.reading));
      assertEquals(owned, owned(volume, holder), "of " + holder.held);
    }
    assertFalse(writing.intersects(reading));
  }

  private static OwnedStripes owned(TestVolume volume, Holder holder) {
    return volume.machine().snapshot().stream()
        .filter(LiveEffect.GrantRanges.class::isInstance)
        .map(LiveEffect.GrantRanges.class::cast)
        .filter(effect -> effect.number().equals(holder.held.number()))
        .map(LiveEffect.GrantRanges::owned)
        .findFirst()
        .orElse(OwnedStripes.NONE);
  }

  /** The manager dies: the next one has the whole journal, or a snapshot and what follows it. */
  private void restart() {
    restarts++;
    Seen end = history.get(history.size() - 1);
    Seen prefix = history.get(random.nextInt(history.size()));
    if (restarts == 1) {
      assertSame(prefix.live(), volume.restarted(prefix.records()), "a prefix");
    }
    TestVolume tail =
        TestVolume.recovered(
            volume.epochs() + 1, prefix.live(), volume.recordsBehindSnapshot(prefix.records()));
    assertSame(end.live(), tail, "a snapshot and its tail");
    volume = volume.restarted();
    assertSame(end.live(), volume, "the whole journal");
    clients = new ArrayList<>(clients.stream().map(client -> client.with(volume)).toList());
  }

  private static void assertSame(List<LiveEffect> expected, TestVolume volume, String from) {
    assertEquals(
        withoutReplies(expected), withoutReplies(volume.machine().snapshot()), "from " + from);
  }

  private static List<LiveEffect> withoutReplies(List<LiveEffect> live) {
    return live.stream().filter(effect -> !(effect instanceof LiveEffect.Reply)).toList();
  }

  private ByteRange range(int from, int to) {
    return new ByteRange(from * stripe, to == END ? ByteRange.END : to * stripe);
  }

  private ByteRanges ranges(BitSet stripes) {
    ByteRanges ranges = ByteRanges.NONE;
    for (int each = stripes.nextSetBit(0); each >= 0; each = stripes.nextSetBit(each + 1)) {
      ranges = ranges.plus(range(each, each + 1));
    }
    return ranges;
  }
}
