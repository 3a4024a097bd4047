package org.weft.metadata.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.weft.metadata.repair.RepairList.Item;
import org.weft.metadata.repair.RepairList.Reason;
import org.weft.protocol.id.ObjectId;

/** What is counted while the list changes is what counting it anew would tell. */
class RepairCountsTest {
  private static final int STEPS = 5_000;
  private static final int OBJECTS = 40;
  private static final int MAX_NAMED = 3;
  private static final List<Reason> HINDERED = List.of(Reason.WAITING, Reason.FAILED, Reason.LOST);

  private record Known(Reason reason, String words, long bytes) {}

  private final RepairList list = new RepairList(100);
  private final Map<ObjectId, Known> model = new TreeMap<>();
  private final List<Item> taken = new ArrayList<>();
  private final Random random = new Random(4);
  private long nowNanos;

  private void step(int step) {
    nowNanos += random.nextInt(10);
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> {
        ObjectId object = new ObjectId(1 + random.nextInt(OBJECTS));
        long bytes = random.nextInt(1_000);
        list.add(object, random.nextInt(3), bytes);
        model.merge(
            object,
            new Known(Reason.READY, "", bytes),
            (known, more) ->
                new Known(known.reason(), known.words(), Math.max(known.bytes(), bytes)));
      }
      case 3, 4 ->
          list.take(nowNanos)
              .ifPresent(
                  item -> {
                    taken.add(item);
                    model.computeIfPresent(
                        item.object(),
                        (object, known) ->
                            known.reason() == Reason.READY
                                ? new Known(Reason.UNDER_WAY, "", known.bytes())
                                : known);
                  });
      case 5 -> list.hope(nowNanos);
      default -> {
        if (!taken.isEmpty()) {
          settle(taken.remove(random.nextInt(taken.size())), step);
        }
      }
    }
  }

  private void settle(Item item, int step) {
    switch (random.nextInt(5)) {
      case 0 -> {
        list.done(item);
        model.remove(item.object());
      }
      case 1 -> {
        list.again(item, 1, step);
        model.put(item.object(), new Known(Reason.READY, "", step));
      }
      default -> {
        Reason reason = HINDERED.get(random.nextInt(HINDERED.size()));
        list.putOff(item, reason, "step " + step, nowNanos + random.nextInt(100));
        long bytes = model.get(item.object()).bytes();
        model.put(item.object(), new Known(reason, "step " + step, bytes));
      }
    }
  }

  @Test
  void countsAreThoseOfTheFiles() {
    for (int step = 0; step < STEPS; step++) {
      step(step);
      assertEquals(model.size(), list.size());
      assertEquals(model.values().stream().mapToLong(Known::bytes).sum(), list.bytes());
      for (Reason reason : Reason.values()) {
        List<String> words =
            model.values().stream()
                .filter(each -> each.reason() == reason)
                .map(Known::words)
                .toList();
        assertEquals(words.size(), list.count(reason));
        if (HINDERED.contains(reason)) {
          assertEquals(
              words.subList(0, Math.min(MAX_NAMED, words.size())), list.words(reason, MAX_NAMED));
        }
      }
    }
  }
}
