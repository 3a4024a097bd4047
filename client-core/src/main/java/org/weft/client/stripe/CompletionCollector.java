package org.weft.client.stripe;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.weft.client.osd.BatchCall;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.CompleteRequest;

/**
 * Tells OSDs which writes are complete, for all files of a client together: every 100 ms those of
 * writers that have nothing else to send, as COMPLETE items of one BATCH for each OSD (P 5.4). One
 * BATCH to an OSD is under way at a time; what comes meanwhile goes with the next one, of each
 * component only the latest word.
 *
 * <p>Nothing depends on when an OSD hears of it: until then it keeps what the writes have
 * overwritten, and answers their ids. Bounded: past {@link #MOST_WAITING} words for one OSD new
 * ones are put off to a later round. Thread-safe; its monitor may be taken under nobody else's.
 */
final class CompletionCollector {
  private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int MOST_ITEMS = 256;
  private static final int MOST_WAITING = 16_384;

  /**
   * What one component is told.
   *
   * @param eofBytes length of the file, which complete writes have established
   */
  record Word(CompletionTeller teller, WriteTerms terms, int component, long upTo, long eofBytes) {
    private BatchCall call() {
      return BatchCall.complete(
          terms.file().capability(),
          CompleteRequest.newBuilder()
              .setObjectId(terms.file().name().object().value())
              .setGrant(terms.grant().number())
              .setCompleteUpTo(upTo)
              .setEof(eofBytes)
              .setTruncationNumber(terms.grant().truncationNumber()));
    }
  }

  private record Key(CompletionTeller teller, int component) {}

  private final StripeEngine engine;

  // Guarded by the monitor.
  private final Set<CompletionTeller> watched = new LinkedHashSet<>();
  private final SortedMap<OsdId, Map<Key, Word>> waiting = new TreeMap<>();
  private final Set<OsdId> busy = new java.util.TreeSet<>();
  private boolean ticking;

  CompletionCollector(StripeEngine engine) {
    this.engine = engine;
  }

  /** Asks that writer in each round what there is to tell, until it has nothing. */
  void watch(CompletionTeller teller) {
    synchronized (this) {
      watched.add(teller);
      if (ticking) {
        return;
      }
      ticking = true;
    }
    engine.after(ROUND_NANOS, this::round);
  }

  private void round() {
    List<CompletionTeller> asked;
    synchronized (this) {
      asked = List.copyOf(watched);
    }
    List<Word> words = new ArrayList<>();
    List<CompletionTeller> silent = new ArrayList<>();
    for (CompletionTeller teller : asked) {
      if (!teller.addNews(words)) {
        silent.add(teller);
      }
    }
    tell(words);
    boolean again;
    synchronized (this) {
      silent.forEach(watched::remove);
      again = !watched.isEmpty();
      ticking = again;
    }
    // Who has got something to tell meanwhile asks to be watched again, or is watched still.
    silent.stream().filter(CompletionTeller::hasNews).forEach(this::watch);
    if (again) {
      engine.after(ROUND_NANOS, this::round);
    }
  }

  /** Tells these now. */
  void tell(List<Word> words) {
    Set<OsdId> addressed = new java.util.TreeSet<>();
    List<Word> refused = new ArrayList<>();
    synchronized (this) {
      for (Word word : words) {
        OsdId osd = word.terms().file().map().osdOf(word.component());
        Map<Key, Word> ofOsd = waiting.computeIfAbsent(osd, id -> new LinkedHashMap<>());
        if (ofOsd.size() >= MOST_WAITING) {
          refused.add(word);
        } else {
          ofOsd.put(new Key(word.teller(), word.component()), word);
        }
        addressed.add(osd);
      }
    }
    RpcException full = new RpcException(ErrorCode.OVERLOADED, "too much waits to be told");
    refused.forEach(word -> word.teller().told(word, full));
    addressed.forEach(this::next);
  }

  private void next(OsdId osd) {
    List<Word> batch = new ArrayList<>();
    synchronized (this) {
      Map<Key, Word> ofOsd = waiting.get(osd);
      if (ofOsd == null || !busy.add(osd)) {
        return;
      }
      for (Iterator<Word> each = ofOsd.values().iterator();
          each.hasNext() && batch.size() < MOST_ITEMS; ) {
        batch.add(each.next());
        each.remove();
      }
      if (ofOsd.isEmpty()) {
        waiting.remove(osd);
      }
    }
    var unused =
        engine
            .osds()
            .batch(
                osd, batch.stream().map(Word::call).toList(), engine.options().writeAttemptMillis())
            .whenComplete(
                (reply, thrown) -> {
                  synchronized (this) {
                    busy.remove(osd);
                  }
                  answered(batch, reply, thrown);
                  next(osd);
                });
  }

  private static void answered(List<Word> batch, BatchReply reply, Throwable thrown) {
    RpcException failure = thrown == null ? null : RpcException.of(thrown);
    for (int i = 0; i < batch.size(); i++) {
      Word word = batch.get(i);
      word.teller().told(word, failure == null ? failureOf(reply, i) : failure);
    }
  }

  private static RpcException failureOf(BatchReply reply, int index) {
    if (index >= reply.getItemsCount()) {
      return new RpcException(ErrorCode.INTERNAL, "the answer to a BATCH is short of items");
    }
    BatchItemReply item = reply.getItems(index);
    return item.getError() == 0
        ? null
        : new RpcException(ErrorCode.of(item.getError()), item.getMessage());
  }
}
