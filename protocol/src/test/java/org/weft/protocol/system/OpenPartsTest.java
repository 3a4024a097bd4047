package org.weft.protocol.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What was opened is closed in reverse, each part once, whatever fails. */
class OpenPartsTest {
  private final OpenParts parts = new OpenParts();
  private final List<String> closed = new ArrayList<>();

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
