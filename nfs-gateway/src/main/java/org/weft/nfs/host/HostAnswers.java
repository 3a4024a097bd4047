package org.weft.nfs.host;

import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.weft.protocol.seam.Ticker;

/**
 * Answers of the host to questions of one kind, remembered. A question is asked once at a time. An
 * answer counts as new for ten minutes, and the answer that nothing is known for one minute. Then
 * the question is asked again, and the old answer counts for an hour in all. So calls go on while
 * the host does not answer. A host whose LDAP is away may say that it does not know what it knew
 * before. That counts as a failure while the former answer counts. Of too many answers, the one
 * that was not used for longest goes. Thread-safe.
 *
 * @param <K> a question
 * @param <V> an answer
 */
public final class HostAnswers<K, V> {
  static final long FRESH_NANOS = TimeUnit.MINUTES.toNanos(10);
  static final long FRESH_UNKNOWN_NANOS = TimeUnit.MINUTES.toNanos(1);
  static final long KEPT_NANOS = TimeUnit.HOURS.toNanos(1);

  /** A question that failed is not asked again for so long. */
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** One that the host does not know any more is not asked again for so long. */
  static final long PAUSE_AFTER_LOSS_NANOS = TimeUnit.MINUTES.toNanos(1);

  static final int MAX = 10_000;

  /** Asks the host; blocks. */
  @FunctionalInterface
  interface Source<K, V> {
    V ask(K question) throws IOException;
  }

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /** State of a question; guarded by the answers. */
  private static final class Known<V> {
    private V answer;
    private long answeredNanos;
    private CompletableFuture<Void> asking;
    private boolean hasFailed;
    private long failedNanos;
    private long pauseNanos;
  }

  private final Source<K, V> source;
  private final Predicate<V> isUnknown;
  private final Executor pool;
  private final Ticker ticker;
  private final Consumer<Optional<IOException>> outcomes;
  private final Map<K, Known<V>> byQuestion = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * @param isUnknown such an answer says that the host does not know it
   * @param pool where the host is asked; may refuse
   * @param outcomes receives each answer, and each failure
   */
  HostAnswers(
      Source<K, V> source,
      Predicate<V> isUnknown,
      Executor pool,
      Ticker ticker,
      Consumer<Optional<IOException>> outcomes) {
    this.source = source;
    this.isUnknown = isUnknown;
    this.pool = pool;
    this.ticker = ticker;
    this.outcomes = outcomes;
  }

  /** The answer, if there is one; never asks. */
  public synchronized Optional<V> known(K question) {
    Known<V> known = byQuestion.get(question);
    return known != null && counts(known, KEPT_NANOS)
        ? Optional.of(known.answer)
        : Optional.empty();
  }

  private boolean counts(Known<V> known, long nanos) {
    return known.answer != null && ticker.nowNanos() - known.answeredNanos < nanos;
  }

  /**
   * Completes when the answer is there, or cannot be had now; never fails. At once where there is
   * one that counts; it may be asked for again meanwhile.
   */
  public CompletableFuture<Void> learn(K question) {
    CompletableFuture<Void> asking;
    boolean old;
    synchronized (this) {
      Known<V> known = byQuestion.computeIfAbsent(question, each -> new Known<>());
      boolean unknown = known.answer != null && isUnknown.test(known.answer);
      if (counts(known, unknown ? FRESH_UNKNOWN_NANOS : FRESH_NANOS)) {
        return DONE;
      }
      old = counts(known, KEPT_NANOS);
      if (known.asking != null) {
        return old ? DONE : known.asking;
      }
      long pauseNanos = old ? known.pauseNanos : PAUSE_NANOS;
      if (known.hasFailed && ticker.nowNanos() - known.failedNanos < pauseNanos) {
        return DONE;
      }
      asking = new CompletableFuture<>();
      known.asking = asking;
      forgetOldest();
    }
    try {
      pool.execute(() -> ask(question, asking));
    } catch (RejectedExecutionException e) {
      failed(question, asking, PAUSE_NANOS, new IOException("too much is asked already", e));
    } catch (RuntimeException | Error e) {
      // There may be no thread. It must be possible to ask again.
      failed(question, asking, PAUSE_NANOS, new IOException("the question failed: " + e, e));
    }
    return old ? DONE : asking;
  }

  private void forgetOldest() {
    Iterator<Known<V>> oldest = byQuestion.values().iterator();
    while (byQuestion.size() > MAX && oldest.hasNext()) {
      if (oldest.next().asking == null) {
        oldest.remove();
      }
    }
  }

  private void ask(K question, CompletableFuture<Void> asking) {
    V answer;
    try {
      answer = source.ask(question);
    } catch (IOException e) {
      failed(question, asking, PAUSE_NANOS, e);
      return;
    } catch (RuntimeException | Error e) {
      failed(question, asking, PAUSE_NANOS, new IOException("the question failed: " + e, e));
      throw e;
    }
    if (accept(question, answer)) {
      settled(asking, Optional.empty());
    } else {
      String lost = "it does not know any more what it knew; its LDAP may be away";
      failed(question, asking, PAUSE_AFTER_LOSS_NANOS, new IOException(lost));
    }
  }

  /** False: the host does not know it any more, and what it said still counts. */
  private synchronized boolean accept(K question, V answer) {
    Known<V> known = byQuestion.get(question);
    if (isUnknown.test(answer) && counts(known, KEPT_NANOS) && !isUnknown.test(known.answer)) {
      return false;
    }
    known.answer = answer;
    known.answeredNanos = ticker.nowNanos();
    known.hasFailed = false;
    known.asking = null;
    return true;
  }

  private void failed(
      K question, CompletableFuture<Void> asking, long pauseNanos, IOException failure) {
    synchronized (this) {
      Known<V> known = byQuestion.get(question);
      known.hasFailed = true;
      known.failedNanos = ticker.nowNanos();
      known.pauseNanos = pauseNanos;
      known.asking = null;
    }
    settled(asking, Optional.of(failure));
  }

  private void settled(CompletableFuture<Void> asking, Optional<IOException> failure) {
    try {
      outcomes.accept(failure);
    } finally {
      asking.complete(null);
    }
  }

  synchronized int size() {
    return byQuestion.size();
  }
}
