package org.weft.metadata.serving.request;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.weft.metadata.volume.execution.Operation;

/** What the manager does of itself: once at a time, page after page. */
final class OwnOperationsTest {
  private final Deque<Runnable> home = new ArrayDeque<>();
  private final List<Operation> begun = new ArrayList<>();
  private CompletableFuture<Void> page = new CompletableFuture<>();
  private boolean room = true;

  private final OwnOperations own =
      new OwnOperations(
          operation -> {
            begun.add(operation);
            page = new CompletableFuture<>();
            return page;
          },
          home::add,
          () -> room);

  /** One of so many pages. */
  private static Operation pages(int count) {
    AtomicInteger left = new AtomicInteger(count);
    return (Operation)
        Proxy.newProxyInstance(
            OwnOperationsTest.class.getClassLoader(),
            new Class<?>[] {Operation.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "goesOn" -> left.decrementAndGet() > 0;
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "equals" -> proxy == arguments[0];
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private void runHome() {
    while (!home.isEmpty()) {
      home.remove().run();
    }
  }

  @Test
  void operationUnderWayIsNotRestarted() {
    Operation work = pages(1);
    own.run(List.of(work));
    own.run(List.of(work));
    assertEquals(1, begun.size());
    page.complete(null);
    runHome();
    own.run(List.of(work));
    assertEquals(2, begun.size());
  }

  @Test
  void theNextPageFollowsTheLastAtOnce() {
    own.run(List.of(pages(3)));
    for (int pages = 1; pages <= 3; pages++) {
      assertEquals(pages, begun.size());
      page.complete(null);
      runHome();
    }
    assertEquals(3, begun.size());
  }

  @Test
  void aRefusedPageWaitsForTheNextTick() {
    Operation work = pages(3);
    own.run(List.of(work));
    page.completeExceptionally(new IllegalStateException("not now"));
    runHome();
    assertEquals(1, begun.size());
    own.run(List.of(work));
    assertEquals(2, begun.size());
  }

  @Test
  void pagesWaitForTheNextTickWhileClientsFindNoRoom() {
    room = false;
    Operation work = pages(3);
    own.run(List.of(work));
    page.complete(null);
    runHome();
    assertEquals(1, begun.size());
    own.run(List.of(work));
    assertEquals(2, begun.size());
  }
}
