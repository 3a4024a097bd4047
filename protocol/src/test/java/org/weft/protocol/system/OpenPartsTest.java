package org.weft.protocol.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What was opened is closed in reverse, each part once, whatever fails. */
class OpenPartsTest {
  private final OpenParts parts = new OpenParts();
  private final List<String> closed = Collections.synchronizedList(new ArrayList<>());

  private void open(String name) {
    parts.add(() -> closed.add(name));
  }

  private <T extends Throwable> T openFailing(String name, T failure) {
    parts.add(
        () -> {
          closed.add(name);
          if (failure instanceof Error error) {
            throw error;
          }
          throw (Exception) failure;
        });
    return failure;
  }

  @Test
  void theLastOpenedIsClosedFirstAndEachOnce() throws IOException {
    open("disk");
    open("store");
    open("socket");
    parts.close();
    parts.close();
    assertEquals(List.of("socket", "store", "disk"), closed);
  }

  @Test
  void allAreClosedThoughSomeFailAndNoFailureIsLost() {
    open("disk");
    Exception second = openFailing("store", new IllegalStateException("store"));
    Exception first = openFailing("socket", new IOException("socket"));
    IOException thrown = assertThrows(IOException.class, parts::close);
    assertEquals(List.of("socket", "store", "disk"), closed);
    assertSame(first, thrown.getCause());
    assertEquals(1, thrown.getSuppressed().length);
    assertSame(second, thrown.getSuppressed()[0].getCause());
    assertTrue(thrown.getMessage().contains(getClass().getName()), thrown.getMessage());
  }

  @Test
  void anErrorIsThrownWhenTheOthersAreClosed() {
    open("disk");
    AssertionError error = openFailing("store", new AssertionError("broken"));
    assertSame(error, assertThrows(AssertionError.class, parts::close));
    assertEquals(List.of("store", "disk"), closed);
  }

  @Test
  void anErrorTakesThePlaceOfAnEarlierException() {
    AssertionError error = openFailing("disk", new AssertionError("broken"));
    Exception earlier = openFailing("store", new IOException("store"));
    assertSame(error, assertThrows(AssertionError.class, parts::close));
    assertSame(earlier, error.getSuppressed()[0].getCause());
  }

  @Test
  void oneErrorOfTwoPartsClosesTheOthersToo() {
    AssertionError error = new AssertionError("broken");
    open("disk");
    openFailing("store", error);
    openFailing("socket", error);
    assertSame(error, assertThrows(AssertionError.class, parts::close));
    assertEquals(List.of("socket", "store", "disk"), closed);
  }

  @Test
  void aSecondThreadWaitsUntilAllPartsAreClosed() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    open("disk");
    parts.add(
        () -> {
          begun.countDown();
          goOn.await();
          closed.add("store");
        });
    CompletableFuture<Void> first = CompletableFuture.runAsync(this::closeAll);
    begun.await();
    Thread second = new Thread(this::closeAll);
    second.start();
    PolledWait wait = PolledWait.every(Duration.ofMillis(5)).atMost(Duration.ofMinutes(1));
    assertTrue(wait.until(() -> second.getState() == Thread.State.BLOCKED), "the second waits");
    assertEquals(List.of(), closed);
    goOn.countDown();
    first.get(1, TimeUnit.MINUTES);
    second.join();
    assertEquals(List.of("store", "disk"), closed);
  }

  private void closeAll() {
    try {
      parts.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void anInterruptIsKept() {
    openFailing("store", new InterruptedException());
    assertThrows(IOException.class, parts::close);
    assertTrue(Thread.interrupted());
  }

  @Test
  void closeAfterSuppressesItsFailuresInTheFirst() {
    open("disk");
    Exception ending = openFailing("store", new IOException("ending"));
    IOException start = new IOException("start");
    parts.closeAfter(start);
    assertEquals(List.of("store", "disk"), closed);
    assertSame(ending, start.getSuppressed()[0].getCause());
  }

  @Test
  void whatComesAfterTheEndIsClosedAtOnce() throws IOException {
    parts.close();
    assertThrows(IllegalStateException.class, () -> open("late"));
    IOException failure = new IOException("late, too");
    IllegalStateException refused =
        assertThrows(IllegalStateException.class, () -> openFailing("later", failure));
    assertEquals(List.of("late", "later"), closed);
    assertSame(failure, refused.getSuppressed()[0].getCause());
  }
}
