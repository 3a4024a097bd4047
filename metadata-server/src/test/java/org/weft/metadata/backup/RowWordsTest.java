package org.weft.metadata.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.HandOverRequest;
import org.weft.protocol.wire.SetBackupRequest;
import org.weft.testkit.sim.VirtualTime;

/** What a primary tells SysMgr of its backup (P 6.2). */
class RowWordsTest {
  private final VirtualTime time = new VirtualTime(1);
  private final OwnedExecutor home = time.newSerialExecutor("volume");
  private final List<SetBackupRequest> said = new ArrayList<>();
  private final List<CompletableFuture<Void>> answers = new ArrayList<>();
  private final List<String> heard = new ArrayList<>();
  private final RowWords words =
      new RowWords(
          new Pairing.Terms(7, 3, 1, 2, true, "weft"),
          new PairReports() {
            @Override
            public CompletableFuture<Void> setBackup(SetBackupRequest request) {
              said.add(request);
              answers.add(new CompletableFuture<>());
              return answers.get(answers.size() - 1);
            }

            @Override
            public CompletableFuture<Void> handOver(HandOverRequest request) {
              throw new AssertionError("it is not asked for here");
            }
          },
          time,
          home,
          new RowWords.Listener() {
            @Override
            public void named(int backup) {
              heard.add("named " + backup);
            }

            @Override
            public void notNamed(int backup, WeftException why) {
              heard.add("not named " + backup);
            }

            @Override
            public void deposed(WeftException why) {
              heard.add("deposed");
            }
          });

  private void say(int backup, boolean unreached) {
    home.execute(() -> words.say(backup, unreached));
    pass();
  }

  private void pass() {
    time.pass(TimeUnit.SECONDS.toNanos(1));
  }

  private void refuse(int number, ErrorCode code) {
    answers.get(number - 1).completeExceptionally(new WeftException(code, "as the test wants it"));
    pass();
  }

  /** The answer to the older one may say that the row names none; it does not any more. */
  @Test
  void newerMessageMakesTheOlderOneVoid() {
    say(0, true);
    say(2, false);
    assertTrue(said.get(1).getNumber() > said.get(0).getNumber());
    answers.get(0).complete(null);
    pass();
    assertEquals(List.of(), heard);
    answers.get(1).complete(null);
    pass();
    assertEquals(List.of("named 2"), heard);
  }

  @Test
  void requestToNameNoBackupIsRepeatedUntilAnswered() {
    say(0, true);
    for (int time = 1; time <= 5; time++) {
      refuse(time, ErrorCode.UNAVAILABLE);
      assertEquals(time + 1, said.size());
      assertEquals(said.get(0), said.get(time), "the same word");
    }
    assertTrue(said.get(5).getUnreached());
    say(2, false);
    refuse(6, ErrorCode.UNAVAILABLE);
    assertEquals(7, said.size(), "something newer has been said");
  }

  @Test
  void aBackupThatIsNotNamedIsNotNamedAgain() {
    say(2, false);
    refuse(1, ErrorCode.UNAVAILABLE);
    assertEquals(List.of("not named 2"), heard);
    assertEquals(1, said.size());
  }

  @Test
  void aPrimaryOfAnotherEpochIsDeposed() {
    say(0, false);
    refuse(1, ErrorCode.FENCED);
    assertEquals(List.of("deposed"), heard);
    assertEquals(1, said.size());
  }

  @Test
  void noMessageIsSentOrAcceptedAfterTheEnd() {
    say(0, false);
    home.execute(words::close);
    refuse(1, ErrorCode.UNAVAILABLE);
    assertEquals(List.of(), heard);
    assertEquals(1, said.size());
  }
}
