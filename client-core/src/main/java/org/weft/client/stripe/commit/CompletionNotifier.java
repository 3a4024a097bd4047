package org.weft.client.stripe.commit;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.client.stripe.base.StripeContext;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchReply;

/**
 * Tells OSDs which writes are complete, for all files of a client together (P 5.4). Every 100 ms it
 * speaks for writers that have nothing else to send. It sends COMPLETE items of one BATCH for each
 * OSD and volume. Of such BATCHes one is under way at a time; what comes meanwhile goes with the
 * next one, of each component only the latest word.
 *
 * <p>What an OSD that is away, or closed to the volume, has not heard is kept for it, for an hour.
 * It is said again after pauses that grow to a few seconds. No other process would say it, once the
 * file is closed.
 *
 * <p>Nothing depends on when an OSD hears of it: until then it keeps what the writes have
 * overwritten, and answers their ids. Bounded: past 16,384 words for one OSD and volume new ones
 * are put off to a later round. Thread-safe; its monitor must not be taken under another monitor.
 */
public final class CompletionNotifier {
  private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How often one component may refuse for now what others take. */
  private static final int MAX_TRIES = 100;

  private final StripeContext context;

  // Guarded by the monitor.
  private final Set<CompletionSource> watched = new LinkedHashSet<>();
  private final SortedMap<CompletionNotice.Destination, CompletionQueue> lines = new TreeMap<>();
  private final List<CompletableFuture<Void>> finishing = new ArrayList<>();
  private boolean ticking;

  public CompletionNotifier(StripeContext context) {
    this.context = context;
  }

  /** Asks that writer in each round what there is to tell, until it has nothing. */
  void watch(CompletionSource source) {
    synchronized (this) {
      watched.add(source);
      if (ticking) {
        return;
      }
      ticking = true;
    }
    context.after(ROUND_NANOS, this::round);
  }

  private void round() {
    List<CompletionSource> asked;
    synchronized (this) {
      asked = List.copyOf(watched);
    }
    List<CompletionNotice> words = new ArrayList<>();
    List<CompletionSource> silent = new ArrayList<>();
    for (CompletionSource source : asked) {
      if (!source.addNews(words)) {
        silent.add(source);
      }
    }
    tell(words);
    boolean again;
    synchronized (this) {
      silent.forEach(watched::remove);
      again = !watched.isEmpty();
      ticking = again;
    }
    // A source that has got news meanwhile asks to be watched again, or is watched still.
    silent.stream().filter(CompletionSource::hasNews).forEach(this::watch);
    if (again) {
      context.after(ROUND_NANOS, this::round);
    }
  }

  /** Tells these now, or as soon as their OSDs are there. */
  void tell(List<CompletionNotice> words) {
    SortedSet<CompletionNotice.Destination> addressed = new TreeSet<>();
    List<CompletionNotice> refused = new ArrayList<>();
    synchronized (this) {
      for (CompletionNotice word : words) {
        CompletionQueue line =
            lines.computeIfAbsent(word.destination(), to -> new CompletionQueue(context.random()));
        if (!line.add(word)) {
          refused.add(word);
        }
        addressed.add(word.destination());
      }
    }
    refused.forEach(word -> word.source().unsaid(word));
    addressed.forEach(this::next);
  }

  /**
   * Tells all that there is to tell now, when nothing more is written. Completes when every OSD has
   * heard it that could be reached the last time: then the client may go.
   */
  public CompletableFuture<Void> finish() {
    CompletableFuture<Void> finished = new CompletableFuture<>();
    List<CompletionSource> asked;
    synchronized (this) {
      asked = List.copyOf(watched);
      finishing.add(finished);
    }
    asked.forEach(CompletionSource::tellCompletion);
    endIfFinished();
    return finished;
  }

  private void endIfFinished() {
    List<CompletableFuture<Void>> finished;
    synchronized (this) {
      if (!lines.values().stream().allMatch(CompletionQueue::isAway)) {
        return;
      }
      finished = List.copyOf(finishing);
      finishing.clear();
    }
    finished.forEach(each -> each.complete(null));
  }

  private void next(CompletionNotice.Destination to) {
    List<CompletionNotice> batch = List.of();
    synchronized (this) {
      CompletionQueue line = lines.get(to);
      if (line == null || line.isHeld()) {
        return;
      }
      if (line.isEmpty()) {
        lines.remove(to);
      } else {
        batch = line.takeSome();
      }
    }
    if (batch.isEmpty()) {
      endIfFinished();
      return;
    }
    // What was replaced or given up meanwhile is for the manager to end.
    List<CompletionNotice> standing =
        batch.stream().filter(word -> word.source().stands(word)).toList();
    if (standing.isEmpty()) {
      release(to);
      return;
    }
    var unused =
        context
            .osds()
            .batch(
                to.osd(),
                standing.stream().map(CompletionNotice::call).toList(),
                context.options().writeAttemptMillis())
            .whenComplete((reply, thrown) -> answered(to, standing, reply, thrown));
  }

  private void release(CompletionNotice.Destination to) {
    synchronized (this) {
      lines.get(to).release();
    }
    next(to);
  }

  private void answered(
      CompletionNotice.Destination to,
      List<CompletionNotice> batch,
      BatchReply reply,
      Throwable thrown) {
    WeftException failure = thrown == null ? null : WeftException.of(thrown);
    boolean unreachable = false;
    List<CompletionNotice> again = new ArrayList<>();
    List<CompletionNotice> heard = new ArrayList<>();
    List<CompletionNotice> unheard = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      CompletionNotice word = batch.get(i);
      WeftException refusal = failure == null ? failureOf(reply, i) : failure;
      if (refusal == null) {
        heard.add(word);
      } else if (isUnreachable(refusal, failure != null)) {
        unreachable = true;
        again.add(word);
      } else if (refusal.code().mayPass() && word.tries() < MAX_TRIES) {
        again.add(word.again());
      } else {
        unheard.add(word);
      }
    }
    long restNanos;
    synchronized (this) {
      CompletionQueue line = lines.get(to);
      unheard.addAll(line.ended(unreachable, again, context.ticker().nowNanos()));
      restNanos = line.restNanos();
    }
    heard.forEach(word -> word.source().heard(word));
    unheard.forEach(word -> word.source().unheard(word));
    if (restNanos == 0) {
      release(to);
    } else {
      endIfFinished();
      context.after(restNanos, () -> release(to));
    }
  }

  /** The OSD is away, or serves managers only until they have compared what it holds (P 5.8). */
  private static boolean isUnreachable(WeftException refusal, boolean ofAll) {
    return refusal.code() == ErrorCode.QUARANTINED || ofAll && refusal.code().mayPass();
  }

  private static WeftException failureOf(BatchReply reply, int index) {
    if (index >= reply.getItemsCount()) {
      return new WeftException(ErrorCode.INTERNAL, "the reply to a BATCH is short of items");
    }
    BatchItemReply item = reply.getItems(index);
    return item.getError() == 0
        ? null
        : new WeftException(ErrorCode.of(item.getError()), item.getMessage());
  }
}
