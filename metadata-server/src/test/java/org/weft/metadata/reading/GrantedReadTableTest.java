package org.weft.metadata.reading;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;

/** Random grants of a table in arrays against a map of maps. */
class GrantedReadTableTest {
  private static final int STEPS = 20_000;
  private static final int SESSIONS = 12;
  private static final int OBJECTS = 300;

  static LongStream seeds() {
    return LongStream.range(0, 4);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void heldGrantsMatchAMap(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    GrantedReadTable table = new GrantedReadTable();
    TreeMap<SessionId, TreeMap<ObjectId, Long>> model = new TreeMap<>();
    for (int step = 0; step < STEPS; step++) {
      SessionId session = new SessionId(1 + random.nextInt(SESSIONS));
      ObjectId object = new ObjectId(1 + random.nextInt(OBJECTS));
      TreeMap<ObjectId, Long> ofSession = model.computeIfAbsent(session, id -> new TreeMap<>());
      int kind = random.nextInt(1_000);
      if (kind < 600) {
        table.put(session, object, step);
        ofSession.put(object, (long) step);
      } else if (kind < 980) {
        long upTo = step - random.nextInt(400);
        table.remove(session, object, upTo);
        ofSession.computeIfPresent(object, (key, number) -> number <= upTo ? null : number);
      } else if (kind < 990) {
        long upTo = step - random.nextInt(2_000);
        table.removeAll(session, upTo);
        ofSession.values().removeIf(number -> number <= upTo);
      } else {
        table.end(session);
        model.remove(session);
      }
      check(table, model, session, object);
    }
    for (int object = 1; object <= OBJECTS; object++) {
      check(table, model, new SessionId(1), new ObjectId(object));
    }
  }

  private static void check(
      GrantedReadTable table,
      TreeMap<SessionId, TreeMap<ObjectId, Long>> model,
      SessionId session,
      ObjectId object) {
    List<SessionId> holders = new ArrayList<>();
    model.forEach(
        (id, held) -> {
          if (held.containsKey(object)) {
            holders.add(id);
          }
        });
    assertEquals(holders, List.copyOf(new TreeSet<>(table.holders(object))));
    assertEquals(holders.size(), table.holders(object).size());
    assertEquals(!holders.isEmpty(), table.isHeld(object));
    TreeMap<ObjectId, Long> held = model.getOrDefault(session, new TreeMap<>());
    assertEquals(held.containsKey(object), table.holds(session, object));
    assertEquals(held.size(), table.sizeOf(session));
    assertEquals(model.values().stream().mapToInt(TreeMap::size).sum(), table.size());
  }
}
