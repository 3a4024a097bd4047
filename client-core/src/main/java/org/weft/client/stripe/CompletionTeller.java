package org.weft.client.stripe;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.weft.protocol.rpc.RpcException;

/**
 * Knows which components of a file have not heard that their writes are complete, and tells them (P
 * 5.4). Every request to a component carries the mark; who gets none for a while is told by {@link
 * CompletionCollector}. Thread-safe; its monitor may be taken under the sender's, never the other
 * way.
 */
final class CompletionTeller {
  /** How often a component is told in vain. */
  private static final int MOST_TRIES = 100;

  /** Rounds of the collector after which also a busy writer's components are told. */
  private static final int PATIENT_ROUNDS = 10;

  /**
   * What can be told.
   *
   * @param idle no order is under way
   * @param orders how many there have been
   */
  record Point(WriteTerms terms, long completeUpTo, long eofBytes, boolean idle, long orders) {}

  /** One component's word. */
  private static final class Word {
    private long heldSeq;
    private int rounds;
    private int tries;

    private Word(long heldSeq) {
      this.heldSeq = heldSeq;
    }
  }

  private final CompletionCollector collector;
  private final Supplier<Point> points;

  // Guarded by the monitor.
  private final SortedMap<Integer, Word> words = new TreeMap<>();
  private long ordersBefore;

  /**
   * For one writer.
   *
   * @param points says what can be told now; null once nothing is written any more. Takes the
   *     sender's monitor
   */
  CompletionTeller(CompletionCollector collector, Supplier<Point> points) {
    this.collector = collector;
    this.points = points;
  }

  /** A component has acknowledged a write, and has heard of completion up to there meanwhile. */
  synchronized void acknowledged(int component, long lastSeq, long toldUpTo) {
    Word word = words.computeIfAbsent(component, index -> new Word(lastSeq));
    word.heldSeq = Math.max(word.heldSeq, lastSeq);
    if (word.heldSeq <= toldUpTo) {
      words.remove(component);
    }
  }

  /** Another grant counts from now on. */
  synchronized void clear() {
    words.clear();
  }

  private synchronized boolean isEmpty() {
    return words.isEmpty();
  }

  /** True if a component does not know of everything that is complete, or will be. */
  boolean hasNews() {
    return !isEmpty() && points.get() != null;
  }

  /** Components hear soon, unless something is sent to them before. */
  void watch() {
    if (hasNews()) {
      collector.watch(this);
    }
  }

  /** Adds what is to be told in this round; false if there is nothing, nor will be soon. */
  boolean addNews(List<CompletionCollector.Word> news) {
    Point now = points.get();
    if (now == null || isEmpty()) {
      return false;
    }
    synchronized (this) {
      boolean idle = now.idle() && now.orders() == ordersBefore;
      ordersBefore = now.orders();
      for (var entry : words.entrySet()) {
        Word word = entry.getValue();
        word.rounds++;
        boolean due = idle || word.rounds >= PATIENT_ROUNDS;
        if (due && word.heldSeq <= now.completeUpTo()) {
          // Beside orders under way nobody hears of lengths: a cut may not have been made yet.
          news.add(word(now, entry.getKey(), idle ? now.eofBytes() : 0));
          word.rounds = 0;
        }
      }
    }
    return true;
  }

  private CompletionCollector.Word word(Point now, int component, long eofBytes) {
    return new CompletionCollector.Word(this, now.terms(), component, now.completeUpTo(), eofBytes);
  }

  /**
   * Tells components that have not heard of it that everything is complete; does not wait, but says
   * it again to those that do not answer.
   *
   * @param fromComponent those with a smaller index hear it from somebody else
   */
  void tell(int fromComponent) {
    Point now = points.get();
    if (now == null) {
      return;
    }
    List<CompletionCollector.Word> news;
    synchronized (this) {
      words.headMap(fromComponent).clear();
      news =
          words.entrySet().stream()
              .filter(entry -> entry.getValue().heldSeq <= now.completeUpTo())
              .map(entry -> word(now, entry.getKey(), now.eofBytes()))
              .toList();
    }
    collector.tell(news);
  }

  /** A component has heard its word, or has not: nobody tries for ever. */
  void told(CompletionCollector.Word said, RpcException thrown) {
    Point now = points.get();
    if (now == null || now.terms().grant().number() != said.terms().grant().number()) {
      return;
    }
    synchronized (this) {
      Word word = words.get(said.component());
      if (word == null) {
        return;
      }
      boolean mayPass = thrown != null && ComponentCall.mayPass(thrown.code());
      boolean over = thrown == null ? word.heldSeq <= said.upTo() : !mayPass;
      if (over || thrown != null && ++word.tries >= MOST_TRIES) {
        words.remove(said.component());
      }
    }
    watch();
  }
}
