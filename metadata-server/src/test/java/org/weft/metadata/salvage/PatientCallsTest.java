package org.weft.metadata.salvage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.weft.metadata.check.CheckedVolume;
import org.weft.metadata.volume.Operation;
import org.weft.metadata.volume.RemoveNameless;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/** A recovery repeats what an OSD did not answer, and nothing before it (P 6.8e). */
class PatientCallsTest {
  private final Deque<ErrorCode> failures = new ArrayDeque<>();
  private final List<Runnable> later = new ArrayList<>();
  private final List<String> waits = new ArrayList<>();
  private int recorded;

  private final class Scripted implements SalvagedVolume {
    @Override
    public CheckedVolume volume() {
      throw new AssertionError("nothing is asked");
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
            new RpcException(failures.poll(), "osd-3 does not answer"));
      }
      recorded++;
      return CompletableFuture.completedStage(null);
    }

    @Override
    public void later(Runnable again) {
      later.add(again);
    }
  }

  private CompletableFuture<Void> record() {
    return new PatientCalls(new Scripted(), Runnable::run, waits::add)
        .journal(new RemoveNameless(new ObjectId(7)))
        .toCompletableFuture();
  }

  @Test
  void whatWaitingMendsIsRepeatedAndSaid() {
    failures.addAll(List.of(ErrorCode.UNAVAILABLE, ErrorCode.DEADLINE_EXCEEDED));
    CompletableFuture<Void> done = record();
    assertFalse(done.isDone());
    assertEquals(List.of("osd-3 does not answer"), waits);
    later.remove(0).run();
    assertFalse(done.isDone());
    later.remove(0).run();
    assertTrue(done.isDone() && !done.isCompletedExceptionally());
    assertEquals(1, recorded);
  }

  @Test
  void whatWaitingDoesNotMendFailsAtOnce() {
    for (ErrorCode code :
        List.of(ErrorCode.TOO_MANY_LOST, ErrorCode.NOT_SERVING, ErrorCode.FENCED)) {
      failures.add(code);
      CompletableFuture<Void> done = record();
      assertTrue(done.isCompletedExceptionally(), code.toString());
      assertTrue(later.isEmpty());
    }
  }
}
