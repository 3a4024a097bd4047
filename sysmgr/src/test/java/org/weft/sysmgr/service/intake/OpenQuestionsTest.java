package org.weft.sysmgr.service.intake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.RpcPeer;

class OpenQuestionsTest {
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<String> answered = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();
  private int tasksRefused;

  private final OpenQuestions questions =
      new OpenQuestions(
          this::execute,
          request -> {
            answered.add(request.toString());
            return CompletableFuture.completedFuture(null);
          });

  private void execute(Runnable task) {
    if (tasksRefused > 0) {
      tasksRefused--;
      throw new RejectedExecutionException("no thread");
    }
    tasks.add(task);
  }

  private InboundRequest question(String name) {
    RpcPeer peer =
        (RpcPeer)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {RpcPeer.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "hashCode" -> System.identityHashCode(proxy);
                      case "equals" -> proxy == arguments[0];
                      default -> throw new UnsupportedOperationException(method.getName());
                    });
    return (InboundRequest)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {InboundRequest.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "peer" -> peer;
                  case "cancelled" -> false;
                  case "toString" -> name;
                  case "fail" -> refused.add(name + " " + (ErrorCode) arguments[0]) ? null : null;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private void runAll() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  @Test
  void refusedTaskCostsOneRequestAndLaterOnesAreAnswered() {
    tasksRefused = 1;
    questions.ask(question("first"));
    questions.ask(question("second"));
    runAll();
    assertEquals(List.of("first OVERLOADED"), refused);
    assertEquals(List.of("second"), answered);
  }

  @Test
  void requestsThatWaitedAreAnsweredAfterARefusedTask() {
    for (String name : List.of("a", "b", "c", "d")) {
      questions.ask(question(name));
    }
    tasksRefused = 2;
    runAll();
    assertEquals(List.of("b OVERLOADED", "c OVERLOADED"), refused);
    assertEquals(List.of("a", "d"), answered);
  }

  @Test
  void waitingRequestsAreRefusedWhenTheMemberStops() {
    questions.ask(question("waiting"));
    questions.close();
    questions.ask(question("late"));
    runAll();
    assertEquals(List.of("waiting UNAVAILABLE", "late OVERLOADED"), refused);
    assertEquals(List.of(), answered);
  }
}
