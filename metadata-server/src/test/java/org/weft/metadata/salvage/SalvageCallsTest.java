package org.weft.metadata.salvage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.weft.metadata.check.CheckedVolume;
import org.weft.metadata.check.LiveNode;
import org.weft.metadata.check.NameState;
import org.weft.metadata.check.NodeState;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.salvage.RemoveNameless;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/** A recovery repeats what an OSD did not answer, and nothing before it (P 6.8e). */
class SalvageCallsTest {
  private static final ObjectId OBJECT = new ObjectId(7);

  private final Deque<ErrorCode> failures = new ArrayDeque<>();
  private final List<Runnable> later = new ArrayList<>();
  private final List<String> waits = new ArrayList<>();
  private int recorded;
  private boolean throwsAtOnce;

  private final class Scripted implements SalvagedVolume {
    @Override
    public CheckedVolume volume() {
      return (CheckedVolume)
          Proxy.newProxyInstance(
              CheckedVolume.class.getClassLoader(),
              new Class<?>[] {CheckedVolume.class},
              (proxy, method, arguments) -> asked(method.getName()));
    }

    @Override
    public CompletionStage<Set<ObjectId>> shutOut(OsdId osd, List<ObjectId> objects) {
      throw new AssertionError("nothing is shut out");
    }

    @Override
    public CompletionStage<Optional<String>> unreadable(OsdId osd, ObjectId object) {
      throw new AssertionError("nothing is asked");
    }

    @Override
    public CompletionStage<Void> barCreations(OsdId osd, ObjectId unused) {
      throw new AssertionError("nothing is barred");
    }

    @Override
    public CompletionStage<Void> journal(Operation operation) {
      if (!failures.isEmpty()) {
        return CompletableFuture.failedStage(
            new WeftException(failures.poll(), "osd-3 does not reply"));
      }
      recorded++;
      return CompletableFuture.completedStage(null);
    }

    @Override
    public void later(Runnable again) {
      later.add(again);
    }
  }

  private Object asked(String question) {
    if (throwsAtOnce) {
      throw new IllegalStateException("the volume is closed");
    }
    if (!failures.isEmpty()) {
      return CompletableFuture.failedStage(
          new WeftException(failures.poll(), "osd-3 does not reply"));
    }
    return CompletableFuture.completedStage(
        switch (question) {
          case "name" ->
              new NameState(Optional.empty(), Optional.empty(), Collections.emptySortedSet());
          case "node" ->
              new NodeState(
                  OBJECT,
                  Optional.empty(),
                  Collections.emptySortedSet(),
                  new LiveNode(
                      false,
                      false,
                      false,
                      false,
                      0,
                      Collections.emptySortedSet(),
                      Collections.emptySortedSet()),
                  NodeState.Named.UNKNOWN);
          default -> throw new AssertionError(question + " is not asked");
        });
  }

  private SalvageCalls calls() {
    return new SalvageCalls(new Scripted(), Runnable::run, waits::add);
  }

  private CompletableFuture<Void> record() {
    return calls().journal(new RemoveNameless(OBJECT)).toCompletableFuture();
  }

  /** What walks ask of one object and of one name. */
  private List<Supplier<CompletionStage<?>>> questions() {
    return List.of(() -> calls().node(OBJECT), () -> calls().name(ObjectId.ROOT, "name"));
  }

  @Test
  void aSilentOsdIsNoAnswerAboutANodeOrAName() {
    for (Supplier<CompletionStage<?>> question : questions()) {
      failures.addAll(List.of(ErrorCode.UNAVAILABLE, ErrorCode.DEADLINE_EXCEEDED));
      CompletableFuture<?> done = question.get().toCompletableFuture();
      later.remove(0).run();
      assertFalse(done.isDone());
      later.remove(0).run();
      assertTrue(done.isDone() && !done.isCompletedExceptionally());
    }
  }

  /** The walk begins anew then, and makes the directory anew. */
  @Test
  void lostDirectoryFailsTheCallAtOnce() {
    for (Supplier<CompletionStage<?>> question : questions()) {
      failures.add(ErrorCode.TOO_MANY_LOST);
      CompletableFuture<?> done = question.get().toCompletableFuture();
      assertTrue(done.isCompletedExceptionally());
      assertEquals(
          ErrorCode.TOO_MANY_LOST,
          WeftException.of(done.handle((answer, failure) -> failure).join()).code());
      assertTrue(later.isEmpty());
    }
  }

  @Test
  void aRepetitionThatThrowsEndsTheQuestion() {
    for (Supplier<CompletionStage<?>> question : questions()) {
      failures.add(ErrorCode.UNAVAILABLE);
      CompletableFuture<?> done = question.get().toCompletableFuture();
      throwsAtOnce = true;
      later.remove(0).run();
      throwsAtOnce = false;
      assertTrue(done.isCompletedExceptionally(), "the recovery would wait for ever");
    }
  }

  @Test
  void temporaryFailureIsRepeatedAndReported() {
    failures.addAll(List.of(ErrorCode.UNAVAILABLE, ErrorCode.DEADLINE_EXCEEDED));
    CompletableFuture<Void> done = record();
    assertFalse(done.isDone());
    assertEquals(List.of("osd-3 does not reply"), waits);
    later.remove(0).run();
    assertFalse(done.isDone());
    later.remove(0).run();
    assertTrue(done.isDone() && !done.isCompletedExceptionally());
    assertEquals(1, recorded);
  }

  @Test
  void permanentFailureFailsAtOnce() {
    for (ErrorCode code :
        List.of(ErrorCode.TOO_MANY_LOST, ErrorCode.NOT_SERVING, ErrorCode.FENCED)) {
      failures.add(code);
      CompletableFuture<Void> done = record();
      assertTrue(done.isCompletedExceptionally(), code.toString());
      assertTrue(later.isEmpty());
    }
  }
}
