package org.weft.nfs.host;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.Ticker;

/**
 * Users and groups of this host, as far as they were asked for. It never blocks: slow look-ups run
 * in a pool. Thread-safe.
 */
public final class HostTable {
  private static final Logger LOG = LoggerFactory.getLogger(HostTable.class);

  private final HostAnswers<Integer, Optional<String>> users;
  private final HostAnswers<String, Optional<Integer>> userNumbers;
  private final HostAnswers<Integer, Optional<String>> groups;
  private final HostAnswers<String, Optional<Integer>> groupNumbers;
  private final HostAnswers<String, List<Integer>> groupsOf;
  private volatile String problem = "";
  private volatile boolean stopped;

  /**
   * @param pool where the host is asked; it may refuse
   */
  public HostTable(HostAccounts host, Executor pool, Ticker ticker) {
    users = new HostAnswers<>(open(host::userName), Optional::isEmpty, pool, ticker, this::heard);
    userNumbers =
        new HostAnswers<>(open(host::userNumber), Optional::isEmpty, pool, ticker, this::heard);
    groups = new HostAnswers<>(open(host::groupName), Optional::isEmpty, pool, ticker, this::heard);
    groupNumbers =
        new HostAnswers<>(open(host::groupNumber), Optional::isEmpty, pool, ticker, this::heard);
    groupsOf = new HostAnswers<>(open(host::groupsOf), List::isEmpty, pool, ticker, this::heard);
  }

  private <K, V> HostAnswers.Source<K, V> open(HostAnswers.Source<K, V> source) {
    return question -> {
      if (stopped) {
        throw new IOException("the gateway stops");
      }
      return source.ask(question);
    };
  }

  /** The host is asked no more: questions that wait in the pool fail at once. */
  public void stop() {
    stopped = true;
  }

  private void heard(Optional<IOException> failure) {
    String now =
        failure
            .map(e -> "users and groups cannot be looked up on this host: " + e.getMessage())
            .orElse("");
    if (!stopped && !now.isEmpty() && !now.equals(problem)) {
      LOG.warn("{}; clients whose groups are to be looked up wait", now);
    }
    problem = now;
  }

  /** Names of users by number. */
  public HostAnswers<Integer, Optional<String>> users() {
    return users;
  }

  /** Numbers of users by name. */
  public HostAnswers<String, Optional<Integer>> userNumbers() {
    return userNumbers;
  }

  /** Names of groups by number. */
  public HostAnswers<Integer, Optional<String>> groups() {
    return groups;
  }

  /** Numbers of groups by name. */
  public HostAnswers<String, Optional<Integer>> groupNumbers() {
    return groupNumbers;
  }

  /** Numbers of a user's groups; the user is given by its name, or by its number in decimal. */
  public HostAnswers<String, List<Integer>> groupsOf() {
    return groupsOf;
  }

  /** A sentence, if the last question failed. */
  public List<String> problems() {
    String now = problem;
    return now.isEmpty() ? List.of() : List.of(now);
  }
}
