package org.weft.nfs.weft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.testkit.sim.VirtualTime;

/** What is asked for again, and what never is. */
class PatienceTest {
  private final VirtualTime time = new VirtualTime(1);
  private final Patience patience = new Patience(time, time);
  private final List<CompletableFuture<String>> asked = new ArrayList<>();

  private CompletableFuture<String> ask() {
    CompletableFuture<String> request = new CompletableFuture<>();
    asked.add(request);
    return request;
  }

  private static WeftException failure(ErrorCode code) {
    return new WeftException(code, "failed");
  }

  private void pass(int seconds) {
    time.pass(TimeUnit.SECONDS.toNanos(seconds));
  }

  private static FileError error(CompletableFuture<?> answer) {
    CompletionException thrown = assertThrows(CompletionException.class, answer::join);
    return ((FileException) thrown.getCause()).error();
  }

  /** It could be carried out after the second one, upon what was made since. */
  @Test
  void changeInDoubtIsNeverSentTwiceAtOnce() {
    for (ErrorCode code :
        List.of(
            ErrorCode.DEADLINE_EXCEEDED, ErrorCode.SESSION_EXPIRED, ErrorCode.CONNECTION_LOST)) {
      asked.clear();
      CompletableFuture<String> answer = patience.change(this::ask);
      asked.get(0).completeExceptionally(failure(code));
      pass(60);
      assertEquals(1, asked.size(), code::toString);
      assertEquals(FileError.TRY_LATER, error(answer));
    }
  }

  @Test
  void changeIsAwaitedWithoutALimit() {
    CompletableFuture<String> answer = patience.change(this::ask);
    pass(3_000);
    assertFalse(answer.isDone());
    assertEquals(1, asked.size());
    asked.get(0).complete("made");
    assertEquals("made", answer.join());
  }

  @Test
  void changeThatSurelyWasNotExecutedIsRetried() {
    for (ErrorCode code :
        List.of(ErrorCode.UNAVAILABLE, ErrorCode.NOT_SERVING, ErrorCode.OVERLOADED)) {
      asked.clear();
      CompletableFuture<String> answer = patience.change(this::ask);
      asked.get(0).completeExceptionally(failure(code));
      pass(1);
      assertEquals(2, asked.size(), code::toString);
      asked.get(1).complete("made");
      assertEquals("made", answer.join());
    }
  }

  @Test
  void readerGetsTryLaterAndALateAnswerIsReleased() {
    List<String> late = new ArrayList<>();
    CompletableFuture<String> answer = patience.look(this::ask, late::add);
    asked.get(0).completeExceptionally(failure(ErrorCode.SESSION_EXPIRED));
    pass(1);
    assertEquals(2, asked.size());
    pass(25);
    assertEquals(FileError.TRY_LATER, error(answer));
    asked.get(1).complete("bytes");
    assertEquals(List.of("bytes"), late);
  }

  @Test
  void refusalIsAnsweredAtOnce() {
    CompletableFuture<String> answer = patience.change(this::ask);
    asked.get(0).completeExceptionally(failure(ErrorCode.EXISTS));
    assertEquals(FileError.EXISTS, error(answer));
    assertEquals(1, asked.size());
  }
}
