package org.weft.metadata.session;

import com.google.protobuf.ByteString;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.RepeatKey;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.SessionId;

/**
 * What the latest changes by clients of gateways were answered (P 6.5c). A client whose gateway
 * died repeats its request through another one, in another session, where no reply slot knows it.
 * The answer stands in the record of the change itself, and in snapshots.
 *
 * <p>When a client has too many its oldest goes. When all take too many bytes the oldest of the
 * client that has most goes: what a busy client does takes nothing from one that is quiet, as one
 * is whose gateway died. A snapshot with all of them fits into a journal's segment several times.
 *
 * <p>A request is known by its digest. Where the record or the request is of an earlier release and
 * has none, checksums are compared: users behind one address can shape those.
 *
 * <p>Their time begins anew when a manager starts. Pure, confined to the volume's thread.
 */
public final class FirstAnswers {
  /** As many as one client may have under way, several times over. */
  static final int MOST_OF_A_CLIENT = 512;

  /** As they stand in a snapshot, keys and frames included. */
  static final long MOST_BYTES = 3 << 20;

  /** Of one in a snapshot, beside its body and its client's address, rounded up. */
  static final long FRAME_BYTES = 64;

  /** Longer than a client waits until it asks again. */
  static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(15);

  /** In snapshots, in the place of the session that asked: no session has it. */
  private static final SessionId NO_SESSION = new SessionId(0);

  /**
   * @param key as it was stated then; an equal one may have another checksum
   */
  private record Kept(RepeatKey key, ByteString body, Lsn seen, long answeredNanos) {}

  /** In the order in which they were answered. */
  private final LinkedHashMap<RepeatKey, Kept> kept = new LinkedHashMap<>();

  /**
   * By what earlier releases know a request, the last answer to one that they cannot tell apart.
   */
  private final Map<RepeatKey, RepeatKey> lastByChecksum = new HashMap<>();

  /** The keys of each client in the same order. */
  private final Map<ByteString, Deque<RepeatKey>> byClient = new HashMap<>();

  /** Clients by how many keys they have; of as many, the one that has had them longest first. */
  private final TreeMap<Integer, LinkedHashSet<ByteString>> bySize = new TreeMap<>();

  private long bytes;

  /** Applies a journalled answer. */
  public void answered(RepeatKey key, ByteString body, Lsn seen, long nowNanos) {
    dropOld(nowNanos);
    if (kept.containsKey(key)) {
      drop(key);
    }
    kept.put(key, new Kept(key, body, seen, nowNanos));
    if (!key.digest().isEmpty()) {
      lastByChecksum.put(key.withoutDigest(), key);
    }
    bytes += bytesOf(key, body);
    Deque<RepeatKey> ofClient = byClient.computeIfAbsent(key.client(), each -> new ArrayDeque<>());
    ofClient.addLast(key);
    resized(key.client(), ofClient.size() - 1, ofClient.size());
    if (ofClient.size() > MOST_OF_A_CLIENT) {
      drop(ofClient.getFirst());
    }
    while (bytes > MOST_BYTES && kept.size() > 1) {
      ByteString most = bySize.lastEntry().getValue().iterator().next();
      drop(byClient.get(most).getFirst());
    }
  }

  private static long bytesOf(RepeatKey key, ByteString body) {
    return FRAME_BYTES + key.client().size() + key.digest().size() + body.size();
  }

  private void resized(ByteString client, int before, int after) {
    if (before > 0) {
      LinkedHashSet<ByteString> asMany = bySize.get(before);
      asMany.remove(client);
      if (asMany.isEmpty()) {
        bySize.remove(before);
      }
    }
    if (after > 0) {
      bySize.computeIfAbsent(after, each -> new LinkedHashSet<>()).add(client);
    }
  }

  /** The answer that the first such request got; empty if none is known any more. */
  public Optional<SlotAnswer> find(RepeatKey key, long nowNanos) {
    dropOld(nowNanos);
    return Optional.ofNullable(kept.get(known(key)))
        .map(found -> SlotAnswer.unrecorded(found.body(), found.seen()));
  }

  /** The key that the answer is kept under, if it is. */
  private RepeatKey known(RepeatKey key) {
    RepeatKey older = key.withoutDigest();
    if (kept.containsKey(key)) {
      return key;
    }
    return key.digest().isEmpty() ? lastByChecksum.get(older) : older;
  }

  /** A manager starts: the time of all of them begins anew. */
  public void startOver(long nowNanos) {
    kept.replaceAll(
        (key, answer) -> new Kept(answer.key(), answer.body(), answer.seen(), nowNanos));
  }

  /** Forgets those whose time is over. */
  public void dropOld(long nowNanos) {
    while (!kept.isEmpty()
        && nowNanos - kept.values().iterator().next().answeredNanos() >= KEPT_NANOS) {
      drop(kept.keySet().iterator().next());
    }
  }

  private void drop(RepeatKey key) {
    Kept dropped = kept.remove(key);
    bytes -= bytesOf(dropped.key(), dropped.body());
    lastByChecksum.remove(dropped.key().withoutDigest(), dropped.key());
    Deque<RepeatKey> ofClient = byClient.get(key.client());
    boolean unused = ofClient.remove(key);
    resized(key.client(), ofClient.size() + 1, ofClient.size());
    if (ofClient.isEmpty()) {
      byClient.remove(key.client());
    }
  }

  public int size() {
    return kept.size();
  }

  /** All of them as effects, oldest first: part of a snapshot of live state. */
  public List<LiveEffect> snapshot() {
    List<LiveEffect> effects = new ArrayList<>(kept.size());
    kept.forEach(
        (key, answer) ->
            effects.add(new LiveEffect.Reply(NO_SESSION, 0, 0, answer.body(), Optional.of(key))));
    return effects;
  }
}
