package org.weft.nfs.host;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A host with users and groups that a test gives it; it may fail, or say nothing for a while.
 * Thread-safe.
 */
public final class FakeAccounts implements HostAccounts {
  private final Map<Integer, String> users = new ConcurrentHashMap<>();
  private final Map<Integer, String> groups = new ConcurrentHashMap<>();
  private final Map<String, List<Integer>> groupsOf = new ConcurrentHashMap<>();
  private final AtomicInteger questions = new AtomicInteger();
  private volatile boolean failing;
  private volatile CountDownLatch silence = new CountDownLatch(0);

  public FakeAccounts user(int uid, String name, Integer... gids) {
    users.put(uid, name);
    groupsOf.put(name, List.of(gids));
    return this;
  }

  /** It does not know the user any more. */
  public void forget(int uid) {
    String name = users.remove(uid);
    groupsOf.remove(name);
  }

  public FakeAccounts group(int gid, String name) {
    groups.put(gid, name);
    return this;
  }

  /** From now on it does not know what it is asked, or it does. */
  public void fail(boolean wanted) {
    failing = wanted;
  }

  /** It says nothing until the latch is open. */
  public void silentUntil(CountDownLatch latch) {
    silence = latch;
  }

  /** How often it was asked. */
  public int questions() {
    return questions.get();
  }

  private void ask() throws IOException {
    questions.incrementAndGet();
    try {
      silence.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
    if (failing) {
      throw new IOException("the directory of this host is away");
    }
  }

  private static Optional<Integer> number(Map<Integer, String> names, String name) {
    return names.entrySet().stream()
        .filter(each -> each.getValue().equals(name))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  @Override
  public Optional<String> userName(int uid) throws IOException {
    ask();
    return Optional.ofNullable(users.get(uid));
  }

  @Override
  public Optional<Integer> userNumber(String name) throws IOException {
    ask();
    return number(users, name);
  }

  @Override
  public Optional<String> groupName(int gid) throws IOException {
    ask();
    return Optional.ofNullable(groups.get(gid));
  }

  @Override
  public Optional<Integer> groupNumber(String name) throws IOException {
    ask();
    return number(groups, name);
  }

  @Override
  public List<Integer> groupsOf(String user) throws IOException {
    ask();
    String name = user.matches("[0-9]+") ? users.getOrDefault(Integer.parseInt(user), "") : user;
    return groupsOf.getOrDefault(name, List.of());
  }
}
