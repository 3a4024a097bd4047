package org.weft.metadata.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.ObjectId;

/** Whatever fails in a check, what it watches is watched no longer afterwards. */
class WatchesTest {
  private static final ObjectId OBJECT = new ObjectId(7);

  private final Map<String, Integer> calls = new HashMap<>();
  private final Steps steps = new Steps(Runnable::run);
  private final FindingList findings = new FindingList();

  /** Every question throws at once. */
  private CheckedVolume throwing() {
    return (CheckedVolume)
        Proxy.newProxyInstance(
            CheckedVolume.class.getClassLoader(),
            new Class<?>[] {CheckedVolume.class},
            (proxy, method, arguments) -> {
              calls.merge(method.getName(), 1, Integer::sum);
              if (method.getName().endsWith("watch")) {
                return null;
              }
              throw new IllegalStateException("the cache is spoilt");
            });
  }

  @Test
  void aDirectoryWhosePageThrowsIsWatchedNoLonger() {
    CheckedVolume volume = throwing();
    SecondLook second = new SecondLook(volume, steps, findings);
    Pace pace = new Pace(() -> 0);
    pace.begin();
    DirectoryWalk.Parts parts =
        new DirectoryWalk.Parts(
            volume,
            steps,
            second,
            findings,
            new CheckProgress(),
            new ManyNames(3),
            pace,
            new ObjectJudge(volume));
    CompletableFuture<Void> walked =
        new DirectoryWalk(parts, OBJECT, false).walk().toCompletableFuture();
    assertTrue(walked.isDone() && !walked.isCompletedExceptionally());
    assertEquals(1, calls.get("watch"));
    assertEquals(1, calls.get("unwatch"));
    assertEquals(1, findings.left());
  }

  @Test
  void anObjectOfASecondLookThatThrowsIsWatchedNoLonger() {
    CheckedVolume volume = throwing();
    CompletableFuture<Void> looked =
        new SecondLook(volume, steps, findings)
            .at(List.of(OBJECT), new ObjectJudge(volume))
            .toCompletableFuture();
    assertTrue(looked.isCompletedExceptionally());
    assertEquals(1, calls.get("watch"));
    assertEquals(1, calls.get("unwatch"));
  }
}
