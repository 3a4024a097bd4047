package org.weft.metadata.serving.request;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/**
 * Holds replies back until the LSN that they have seen is durable, replies to reads included (P
 * 6.1). No client may learn of what a crash could still take back. {@link VolumeService} hands over
 * each reply, tells what the journal has made durable, and sends what may leave. Pure, confined to
 * the volume's thread.
 */
final class ReplyGate {
  /**
   * An answer that is decided.
   *
   * @param refusal null for a reply
   */
  record Held(Task task, MessageLite reply, WeftException refusal, Lsn seen) {}

  private final TreeMap<Lsn, List<Held>> waiting = new TreeMap<>();
  private Lsn durable = Lsn.ZERO;

  /** True if an answer that has seen this LSN may leave now. */
  boolean isOpenFor(Lsn seen) {
    return seen.compareTo(durable) <= 0;
  }

  /** Keeps an answer until {@link #durable}. */
  void hold(Held answer) {
    waiting.computeIfAbsent(answer.seen(), lsn -> new ArrayList<>(1)).add(answer);
  }

  /** Everything up to this LSN is durable: the answers that may leave now, in order. */
  List<Held> durable(Lsn upTo) {
    durable = upTo.compareTo(durable) > 0 ? upTo : durable;
    List<Held> free = new ArrayList<>();
    while (!waiting.isEmpty() && waiting.firstKey().compareTo(upTo) <= 0) {
      free.addAll(waiting.pollFirstEntry().getValue());
    }
    return free;
  }

  /** Gives up everything that is held, in order. */
  List<Held> drain() {
    List<Held> all = new ArrayList<>();
    waiting.values().forEach(all::addAll);
    waiting.clear();
    return all;
  }
}
