package org.weft.client.stripe.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.weft.client.stripe.base.WriteTerms;

/**
 * Tracks which components of a file have not heard that their writes are complete (P 5.4). Every
 * request to a component carries the mark; a component that gets none for a while is told by {@link
 * CompletionNotifier}. Part of a {@link FileWriteMachine}: single-threaded.
 */
final class UnnotifiedComponents {
  /** How often there may be no room for a component's word at the collector. */
  private static final int MAX_TRIES = 100;

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

  private final Supplier<Point> points;
  private final SortedMap<Integer, Word> words = new TreeMap<>();
  private long ordersBefore;
  private boolean closing;

  /**
   * Of one file.
   *
   * @param points says what can be told now; null once nothing is written any more
   */
  UnnotifiedComponents(Supplier<Point> points) {
    this.points = points;
  }

  /** A component has acknowledged a write, and has heard of completion up to there meanwhile. */
  void acknowledged(int component, long lastSeq, long toldUpTo) {
    Word word = words.get(component);
    if (word == null) {
      if (lastSeq > toldUpTo) {
        words.put(component, new Word(lastSeq));
      }
      return;
    }
    word.heldSeq = Math.max(word.heldSeq, lastSeq);
    if (word.heldSeq <= toldUpTo) {
      words.remove(component);
    }
  }

  /** Another grant counts from now on: its sequence numbers begin anew. */
  void renewed() {
    words.clear();
  }

  /**
   * The writing is about to end: the next round tells everything.
   *
   * @return true if components are to hear at once, because one is lost: readers decode then, and
   *     wait for the word (P 5.6)
   */
  boolean isUrgentAtClose() {
    closing = true;
    Point now = points.get();
    return now != null && !now.terms().file().map().missing().isEmpty();
  }

  /** True if there is, or will be, something to say to a component that was not said yet. */
  boolean hasNews() {
    return !isAllSaid() && points.get() != null;
  }

  private boolean isAllSaid() {
    for (Word word : words.values()) {
      if (!word.isSaid()) {
        return false;
      }
    }
    return true;
  }

  /** True if the word is of the grant that the file is still written under. */
  boolean stands(CompletionNotice said) {
    Point now = points.get();
    return now != null && now.terms().grant().number() == said.terms().grant().number();
  }

  /** Adds what is to be told in this round; false if nothing is left for another one. */
  boolean addNews(CompletionSource source, List<CompletionNotice> news) {
    Point now = points.get();
    if (now == null) {
      return false;
    }
    boolean idle = now.idle() && now.orders() == ordersBefore;
    ordersBefore = now.orders();
    words.forEach(
        (component, word) -> {
          word.rounds++;
          boolean due = idle || closing || word.rounds >= PATIENT_ROUNDS;
          if (due && !word.isSaid() && word.heldSeq <= now.completeUpTo()) {
            // A length is told only when no order is under way: a cut may not have been made yet.
            news.add(said(word, now, source, component, idle ? now.eofBytes() : 0));
          }
        });
    return !isAllSaid();
  }

  /** Everything that can be told. */
  List<CompletionNotice> all(CompletionSource source) {
    List<CompletionNotice> news = new ArrayList<>();
    Point now = points.get();
    if (now == null) {
      return news;
    }
    words.forEach(
        (component, word) -> {
          if (word.heldSeq <= now.completeUpTo()) {
            news.add(said(word, now, source, component, now.eofBytes()));
          }
        });
    return news;
  }

  private static CompletionNotice said(
      Word word, Point now, CompletionSource source, int component, long eofBytes) {
    word.saidSeq = now.completeUpTo();
    word.rounds = 0;
    return new CompletionNotice(source, now.terms(), component, word.saidSeq, eofBytes);
  }

  /**
   * A component has heard a word up to there, or will not hear it.
   *
   * @return true if there is more to tell; never of a word of an earlier grant
   */
  boolean heard(CompletionNotice said, long upTo) {
    if (!stands(said)) {
      return false;
    }
    Word word = words.get(said.component());
    if (word != null && word.heldSeq <= upTo) {
      words.remove(said.component());
    }
    return hasNews();
  }

  /** There was no room for a word; returns as {@link #heard}. */
  boolean unsaid(CompletionNotice said) {
    if (!stands(said)) {
      return false;
    }
    Word word = words.get(said.component());
    if (word != null) {
      word.saidSeq = 0;
      if (++word.tries >= MAX_TRIES) {
        words.remove(said.component());
      }
    }
    return hasNews();
  }
}
