package org.weft.cli.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What an interrupted command takes away. */
class CleanupTest {
  private final List<String> done = new CopyOnWriteArrayList<>();

  @Test
  void remainingCleanupsRunAndWithdrawnOnesDoNot() throws IOException {
    try (Cleanup cleanup = new Cleanup()) {
      cleanup.begin();
      cleanup.remove(cleanup.add(() -> done.add("whole")));
      cleanup.end();
      cleanup.begin();
      var unused = cleanup.add(() -> done.add("half"));
      cleanup.end();
      cleanup.interrupted();
      assertTrue(cleanup.ended());
    }
    assertEquals(List.of("half"), done);
  }

  @Test
  void noCleanupBeginsOnceTheProcessEnds() throws IOException {
    try (Cleanup cleanup = new Cleanup()) {
      cleanup.interrupted();
      assertThrows(InterruptedIOException.class, cleanup::begin);
    }
  }

  @Test
  void writingThreadCleansUpBeforeTheProcessEnds() throws Exception {
    try (Cleanup cleanup = new Cleanup()) {
      cleanup.begin();
      CountDownLatch ending = new CountDownLatch(1);
      var unused = cleanup.add(ending::countDown);
      Thread late =
          new Thread(
              () -> {
                try {
                  ending.await();
                  var number = cleanup.add(() -> done.add("late"));
                  done.add("taken: " + number);
                } catch (IOException | InterruptedException e) {
                  done.add(e.getMessage());
                } finally {
                  cleanup.end();
                }
              });
      late.start();
      cleanup.interrupted();
      assertEquals(List.of("late", "interrupted"), done);
    }
  }
}
