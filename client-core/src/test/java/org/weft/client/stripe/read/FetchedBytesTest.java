package org.weft.client.stripe.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.base.References;
import org.weft.client.stripe.base.UnitPool;
import org.weft.testkit.process.Await;

/** Parts that stay where they came, between parts in memory of the pool. */
class FetchedBytesTest {
  private static final int LENGTH = 1000;
  private static final int CAPACITY = 1024;
  private static final int PART = 20;

  private final UnitPool pool = new UnitPool(1 << 20);
  private final AtomicInteger released = new AtomicInteger();
  private final byte[] content = new byte[LENGTH];

  private FetchedBytes fetched() {
    new Random(5).nextBytes(content);
    pool.reserve(CAPACITY);
    return new FetchedBytes(LENGTH, CAPACITY, pool);
  }

  /** As if it had come behind other bytes of a payload. */
  private void keep(FetchedBytes fetched, int from, int to) {
    ByteBuffer payload = ByteBuffer.allocateDirect(7 + to - from);
    payload.put(7, content, from, to - from);
    References references = new References(released::incrementAndGet);
    fetched.keep(from, new ArrivedBytes(payload.asReadOnlyBuffer(), 7, to - from, references));
  }

  private void copyIn(FetchedBytes fetched, int from, int to) {
    fetched.memory(from, to - from).put(0, content, from, to - from);
  }

  private byte[] copy(FetchedBytes fetched, int from, int count) {
    ByteBuffer target = ByteBuffer.allocate(3 + count).position(3);
    fetched.copy(from, count, target);
    assertEquals(0, target.remaining());
    byte[] bytes = new byte[count];
    target.get(3, bytes);
    return bytes;
  }

  @Test
  void anyRangeIsThereWhereverItsBytesLie() {
    FetchedBytes fetched = fetched();
    copyIn(fetched, 0, 100);
    keep(fetched, 300, 450);
    keep(fetched, 100, 300);
    copyIn(fetched, 450, 700);
    keep(fetched, 700, 999);
    copyIn(fetched, 999, LENGTH);
    Random random = new Random(6);
    for (int i = 0; i < 2_000; i++) {
      int from = random.nextInt(LENGTH);
      int count = 1 + random.nextInt(LENGTH - from);
      byte[] right = Arrays.copyOfRange(content, from, from + count);
      assertArrayEquals(right, copy(fetched, from, count), "from " + from + ", " + count);
    }
    assertEquals(0, released.get());
    fetched.giveBack();
    fetched.giveBack();
    assertEquals(3, released.get());
    assertEquals(0, pool.takenBytes());
    assertEquals(0, pool.reservedBytes());
  }

  /** More than there is place for at first, in any order. */
  @Test
  void manyPartsAreFoundAndShown() {
    FetchedBytes fetched = fetched();
    List<Integer> places = new ArrayList<>();
    for (int place = 0; place < LENGTH / PART; place++) {
      places.add(place);
    }
    Collections.shuffle(places, new Random(7));
    int kept = 0;
    for (int place : places) {
      boolean stays = place % 3 > 0;
      kept += stays ? 1 : 0;
      if (stays) {
        keep(fetched, place * PART, (place + 1) * PART);
      } else {
        copyIn(fetched, place * PART, (place + 1) * PART);
      }
    }
    assertTrue(kept > 32, kept + " parts");
    assertArrayEquals(content, copy(fetched, 0, LENGTH));
    ByteWindow window = new ByteWindow();
    for (int from = 0; from < LENGTH; from++) {
      fetched.show(from, window);
      byte[] shown = new byte[LENGTH];
      int count = window.copy(shown, 0, LENGTH);
      assertEquals(PART - from % PART, count, "from " + from);
      assertTrue(window.isEmpty());
      assertArrayEquals(
          Arrays.copyOfRange(content, from, from + count), Arrays.copyOf(shown, count));
    }
    window.close();
    fetched.giveBack();
    assertEquals(kept, released.get());
    assertEquals(0, pool.reservedBytes());
  }

  @Test
  void noBufferIsTakenIfAllBytesStayInPayloads() {
    FetchedBytes fetched = fetched();
    keep(fetched, 0, 500);
    keep(fetched, 500, LENGTH);
    assertArrayEquals(content, copy(fetched, 0, LENGTH));
    assertEquals(0, pool.takenBytes());
    fetched.giveBack();
  }

  @Test
  void unreachableFetchedBytesAreGivenBack() {
    forget();
    Await.until(
        "memory is given back",
        () -> {
          System.gc();
          return pool.reservedBytes() == 0;
        });
    assertEquals(1, released.get());
    assertEquals(0, pool.takenBytes());
  }

  private void forget() {
    FetchedBytes fetched = fetched();
    keep(fetched, 0, 500);
    copyIn(fetched, 500, LENGTH);
  }
}
