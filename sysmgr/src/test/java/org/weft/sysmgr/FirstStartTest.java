package org.weft.sysmgr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.sysmgr.storage.MemberDirectory;

/**
 * The time between the first votes and the moment at which a cluster is noted: the others have
 * started and know no cluster yet, but one of them may have got a vote of a member that has lost
 * its disk since.
 */
final class FirstStartTest {
  private static final String MEMBERS = "1@a:1,2@b:2,3@c:3";

  @TempDir Path root;

  private final List<RpcListener> listeners = new ArrayList<>();
  private final List<MemberDirectory> directories = new ArrayList<>();
  private final List<Endpoint> others = new ArrayList<>();
  private SystemEnvironment system;
  private OwnedExecutor home;

  @BeforeEach
  void open() throws Exception {
    system = SystemEnvironment.create();
    home = system.environment().scheduler().newSerialExecutor("test");
  }

  @AfterEach
  void close() throws Exception {
    listeners.forEach(RpcListener::close);
    for (MemberDirectory each : directories) {
      each.close();
    }
    home.close();
    system.close();
  }

  private MemberDirectory directory(String name, int memberId, long instance) throws IOException {
    MemberDirectory made =
        MemberDirectory.open(
            root.resolve(name), memberId, "test", MEMBERS, new UUID(instance, instance));
    directories.add(made);
    return made;
  }

  /** A member that listens, and whose log is open or about to be. */
  private MemberDirectory listening(int memberId, SortedMap<Integer, String> seen)
      throws Exception {
    MemberDirectory directory = directory("member-" + memberId, memberId, memberId);
    if (!seen.isEmpty()) {
      directory.madeReady(seen);
    }
    RpcListener listener =
        StageResults.get(
            system
                .environment()
                .transport()
                .listen(
                    new Endpoint("127.0.0.1", 0),
                    ListenOptions.of(Optional::empty, "member-" + memberId, 0),
                    new MemberDesk(directory)));
    listeners.add(listener);
    others.add(listener.address());
    return directory;
  }

  private FirstStart start(MemberDirectory own) {
    return new FirstStart(system.environment(), home, others, own.memberId(), own.instance());
  }

  @Test
  void aMemberThatLostItsDiskDuringTheFirstStartIsRefused() throws Exception {
    MemberDirectory before = directory("member-3", 3, 33);
    listening(1, new TreeMap<>(Map.of(3, before.instance())));
    listening(2, new TreeMap<>());
    MemberDirectory after = directory("member-3-again", 3, 34);
    IOException refusal = assertThrows(IOException.class, () -> waitFor(start(after)));
    assertTrue(refusal.getMessage().contains("another data directory"), refusal::getMessage);
    assertEquals(Set.of(1, 2), waitFor(start(before)).keySet());
  }

  private static SortedMap<Integer, String> waitFor(FirstStart first) throws Exception {
    try {
      return first.allNew().toCompletableFuture().get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException refusal) {
        throw refusal;
      }
      throw e;
    }
  }

  @Test
  void theInstancesThatWereSeenSurviveARestart() throws Exception {
    MemberDirectory own = directory("member-1", 1, 11);
    own.madeReady(new TreeMap<>(Map.of(2, "two", 3, "three")));
    own.close();
    directories.clear();
    MemberDirectory again = directory("member-1", 1, 99);
    assertEquals(Map.of(2, "two", 3, "three"), again.seen());
    assertEquals(new UUID(11, 11).toString(), again.instance());
  }
}
