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
 * The answers to the latest changes by clients of gateways (P 6.5c). A client whose gateway died
 * repeats its request through another one, in another session, where no reply slot knows it. The
 * answer stands in the record of the change itself, and in snapshots.
 *
 * <p>They are counted by client and session, which is a gateway's. Requests through a living
 * gateway thus remove no answer to requests through a dead one, and those are what the client
 * repeats. When there are too many of a client in a session the oldest of these goes. When all take
 * too many bytes, the oldest of the client and session with most goes. So a busy client removes
 * nothing of a quiet one. A snapshot with all of them fits into a journal's segment several times.
 *
 * <p>A request is known by its digest. Where the record or the request is of an earlier release and
 * has none, checksums are compared: users behind one address can shape those.
 *
 * <p>Their time starts again when a manager starts. Pure, confined to the volume's thread.
 */
public final class FirstAnswers {
  /** As many as one client may have under way at a gateway, several times over. */
  static final int MAX_OF_A_CLIENT = 512;

  /** As they stand in a snapshot, keys and frames included. */
  static final long MAX_BYTES = 3 << 20;

  /** Size of one answer in a snapshot, beside its body and its client's address, rounded up. */
  static final long FRAME_BYTES = 64;

  /** Longer than a client waits until it asks again. */
  static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(15);

  /**
   * In snapshots, in the place of the session that asked: no session has it, so that no reply slot
   * is touched. The session that asked stands in the place of the sequence; 0 in snapshots of
   * earlier releases.
   */
  private static final SessionId NO_SESSION = new SessionId(0);

  /** A client at a gateway, as far as a session is one's. */
  private record Source(ByteString client, SessionId session) {}

  /**
   * @param key as it was stated then; an equal one may have another checksum
   */
  private record Kept(
      RepeatKey key, SessionId session, ByteString body, Lsn seen, long answeredNanos) {
    Source source() {
      return new Source(key.client(), session);
    }
  }

  /** In the order in which they were answered. */
  private final LinkedHashMap<RepeatKey, Kept> kept = new LinkedHashMap<>();

  /**
   * By what earlier releases know a request, the last answer to one that they cannot tell apart.
   */
  private final Map<RepeatKey, RepeatKey> lastByChecksum = new HashMap<>();

  /** The keys of each source in the same order. */
  private final Map<Source, Deque<RepeatKey>> bySource = new HashMap<>();

  /** Sources by how many keys they have; of as many, the one that has had them longest first. */
  private final TreeMap<Integer, LinkedHashSet<Source>> bySize = new TreeMap<>();

  private long bytes;

  /**
   * Applies a journalled answer.
   *
   * @param reply with a key by which its repeat is known
   */
  public void answered(LiveEffect.Reply reply, Lsn seen, long nowNanos) {
    RepeatKey key = reply.repeat().orElseThrow();
    dropOld(nowNanos);
    if (kept.containsKey(key)) {
      drop(key);
    }
    Kept answer = new Kept(key, sessionOf(reply), reply.bytes(), seen, nowNanos);
    kept.put(key, answer);
    if (!key.digest().isEmpty()) {
      lastByChecksum.put(key.withoutDigest(), key);
    }
    bytes += bytesOf(key, reply.bytes());
    Source source = answer.source();
    Deque<RepeatKey> ofSource = bySource.computeIfAbsent(source, each -> new ArrayDeque<>());
    ofSource.addLast(key);
    resized(source, ofSource.size() - 1, ofSource.size());
    if (ofSource.size() > MAX_OF_A_CLIENT) {
      drop(ofSource.getFirst());
    }
    while (bytes > MAX_BYTES && kept.size() > 1) {
      Source most = bySize.lastEntry().getValue().iterator().next();
      drop(bySource.get(most).getFirst());
    }
  }

  private static SessionId sessionOf(LiveEffect.Reply reply) {
    return reply.session().equals(NO_SESSION) ? new SessionId(reply.sequence()) : reply.session();
  }

  private static long bytesOf(RepeatKey key, ByteString body) {
    return FRAME_BYTES + key.client().size() + key.digest().size() + body.size();
  }

  private void resized(Source source, int before, int after) {
    if (before > 0) {
      LinkedHashSet<Source> asMany = bySize.get(before);
      asMany.remove(source);
      if (asMany.isEmpty()) {
        bySize.remove(before);
      }
    }
    if (after > 0) {
      bySize.computeIfAbsent(after, each -> new LinkedHashSet<>()).add(source);
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
        (key, answer) ->
            new Kept(answer.key(), answer.session(), answer.body(), answer.seen(), nowNanos));
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
    Deque<RepeatKey> ofSource = bySource.get(dropped.source());
    boolean unused = ofSource.remove(key);
    resized(dropped.source(), ofSource.size() + 1, ofSource.size());
    if (ofSource.isEmpty()) {
      bySource.remove(dropped.source());
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
            effects.add(
                new LiveEffect.Reply(
                    NO_SESSION, 0, answer.session().value(), answer.body(), Optional.of(key))));
    return effects;
  }
}
