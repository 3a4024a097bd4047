package org.weft.client.stripe.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.weft.client.stripe.base.WriteTerms;

/**
 * Knows which components of a file have not heard that their writes are complete, and tells them (P
 * 5.4). Every request to a component carries the mark; who gets none for a while is told by {@link
 * CompletionCollector}. Thread-safe; its monitor may be taken under the sender's, never the other
 * way.
 */
public final class CompletionTeller {
  /** How often there may be no room for a component's word at the collector. */
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
    private long saidSeq;
    private int rounds;
    private int tries;

    private Word(long heldSeq) {
      this.heldSeq = heldSeq;
    }

    /** The collector has what there is to say, and says it until it is heard. */
    private boolean isSaid() {
      return heldSeq <= saidSeq;
    }
  }

  private final CompletionCollector collector;
  private final Supplier<Point> points;

  // Guarded by the monitor.
  private final SortedMap<Integer, Word> words = new TreeMap<>();
  private long grant;
  private long ordersBefore;
  private boolean closing;

  /**
   * For one writer.
   *
   * @param grant that the file is written under
   * @param points says what can be told now; null once nothing is written any more. Takes the
   *     sender's monitor
   */
  CompletionTeller(CompletionCollector collector, long grant, Supplier<Point> points) {
    this.collector = collector;
    this.grant = grant;
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

  /** Another grant counts from now on: its sequence numbers begin anew. */
  synchronized void renewed(long next) {
    grant = next;
    words.clear();
  }

  /**
   * True if the words are of that grant. What is known from before the monitor was taken may be of
   * the grant before: its numbers say nothing of these words. Under the monitor.
   */
  private boolean isOf(WriteTerms terms) {
    return terms.grant().number() == grant;
  }

  private synchronized boolean isAllSaid() {
    return words.values().stream().allMatch(Word::isSaid);
  }

  /** True if there is, or will be, something to say to a component that was not said yet. */
  boolean hasNews() {
    return !isAllSaid() && points.get() != null;
  }

  /** True if the word is of the grant that the file is written under still. */
  boolean stands(CompletionWord said) {
    Point now = points.get();
    return now != null && now.terms().grant().number() == said.terms().grant().number();
  }

  /** Components hear soon, unless something is sent to them before. */
  void watch() {
    if (hasNews()) {
      collector.watch(this);
    }
  }

  /** Adds what is to be told in this round; false if nothing is left for another one. */
  boolean addNews(List<CompletionWord> news) {
    Point now = points.get();
    if (now == null) {
      return false;
    }
    synchronized (this) {
      if (!isOf(now.terms())) {
        return true;
      }
      boolean idle = now.idle() && now.orders() == ordersBefore;
      ordersBefore = now.orders();
      for (var entry : words.entrySet()) {
        Word word = entry.getValue();
        word.rounds++;
        boolean due = idle || closing || word.rounds >= PATIENT_ROUNDS;
        if (due && !word.isSaid() && word.heldSeq <= now.completeUpTo()) {
          // Beside orders under way nobody hears of lengths: a cut may not have been made yet.
          news.add(said(word, now, entry.getKey(), idle ? now.eofBytes() : 0));
        }
      }
    }
    return !isAllSaid();
  }

  /** Under the monitor. */
  private CompletionWord said(Word word, Point now, int component, long eofBytes) {
    word.saidSeq = now.completeUpTo();
    word.rounds = 0;
    return new CompletionWord(this, now.terms(), component, word.saidSeq, eofBytes);
  }

  /**
   * At the end of the writing. Components hear in the next round, together with those of other
   * files; where one is lost they hear at once, for others decode, and wait for the word (P 5.6).
   */
  public void tellAtClose() {
    synchronized (this) {
      closing = true;
    }
    Point now = points.get();
    if (now != null && !now.terms().file().map().missing().isEmpty()) {
      tell();
    }
  }

  /** Says to components that have not heard of it what is complete; does not wait. */
  public void tell() {
    List<CompletionWord> news = new ArrayList<>();
    while (!addAll(news)) {
      // The grant was replaced between the look at what is complete and the words: look again.
      Thread.onSpinWait();
    }
    collector.tell(news);
  }

  /** False if what can be told is of the grant before. */
  private boolean addAll(List<CompletionWord> news) {
    Point now = points.get();
    if (now == null) {
      return true;
    }
    synchronized (this) {
      if (!isOf(now.terms())) {
        return false;
      }
      for (var entry : words.entrySet()) {
        if (entry.getValue().heldSeq <= now.completeUpTo()) {
          news.add(said(entry.getValue(), now, entry.getKey(), now.eofBytes()));
        }
      }
    }
    return true;
  }

  /** A component has heard its word. */
  void heard(CompletionWord said) {
    forget(said, said.upTo());
  }

  /** It will not hear it: it has no use for it, or nobody tries any longer. */
  void unheard(CompletionWord said) {
    forget(said, Long.MAX_VALUE);
  }

  private void forget(CompletionWord said, long upTo) {
    if (!stands(said)) {
      return;
    }
    synchronized (this) {
      Word word = isOf(said.terms()) ? words.get(said.component()) : null;
      if (word != null && word.heldSeq <= upTo) {
        words.remove(said.component());
      }
    }
    watch();
  }

  /** There was no room for the word. */
  void unsaid(CompletionWord said) {
    if (!stands(said)) {
      return;
    }
    synchronized (this) {
      Word word = isOf(said.terms()) ? words.get(said.component()) : null;
      if (word != null) {
        word.saidSeq = 0;
        if (++word.tries >= MOST_TRIES) {
          words.remove(said.component());
        }
      }
    }
    watch();
  }
}
