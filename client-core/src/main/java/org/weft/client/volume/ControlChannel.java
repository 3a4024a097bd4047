package org.weft.client.volume;

import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.cluster.ManagerDirectory;
import org.weft.client.cluster.PeerLink;
import org.weft.client.cluster.ReplyReader;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.GrantWantedPush;
import org.weft.protocol.wire.LengthWantedPush;
import org.weft.protocol.wire.LockFreedPush;
import org.weft.protocol.wire.ReadRecallPush;
import org.weft.protocol.wire.RecallPush;
import org.weft.protocol.wire.RenewSessionReply;
import org.weft.protocol.wire.RenewSessionRequest;

/**
 * The connection on which a session hears what its manager asks of it, never behind data (P 6.5).
 * It is open when a file has been open for writing for a while, or its length is published again
 * and again. It is open while a lock is waited for. It is always open if the session caches what it
 * was granted for reading. The session is renewed on it, signed. That tells the manager again and
 * again that the connection is there and belongs to the session. So a connection that was lost, or
 * a manager that moved, is found soon. What is pushed meanwhile is lost; the manager says it again.
 *
 * <p>{@link #watch} and {@link #hears} are thread-safe; everything else is confined to the
 * session's home executor.
 */
final class ControlChannel {
  private static final Logger LOG = LoggerFactory.getLogger(ControlChannel.class);
  private static final String CALLER = "client-control";
  private static final long NONE = 0;
  private static final int TIMEOUT_MILLIS = 2_000;

  /** Of a session that caches: a lost renewal must not cost its read lease, which is 3 s. */
  private static final int CACHING_TIMEOUT_MILLIS = 1_000;

  private static final long RENEW_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Without a word of the manager for so long no writer counts on being asked. */
  private static final long OUT_OF_REACH_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final VolumeSession owner;
  private final Executor home;
  private final PeerLink link;
  private final Map<Long, List<ControlListener>> listeners = new TreeMap<>();
  private Scheduler.Timer timer = () -> {};
  private long heardNanos;
  private boolean running;
  private boolean keptOpen;
  private boolean telling;
  private boolean closed;

  /** Of this session the manager knows the connection. */
  private volatile long heardSessionId = NONE;

  ControlChannel(
      VolumeSession owner, ClusterId clusterId, ManagerDirectory directory, Executor home) {
    this.owner = owner;
    this.home = home;
    ConnectOptions connect =
        new ConnectOptions(Optional.of(clusterId), CALLER, TIMEOUT_MILLIS, true, this::pushed);
    this.link =
        new PeerLink(
            owner.environment().transport(),
            () -> directory.managerAddressesOf(owner.volumeId()),
            () -> connect,
            home);
  }

  /**
   * From now on the listener hears what is asked back of that object, on the home executor; it must
   * not block.
   *
   * @return ends it
   */
  Runnable watch(long objectId, ControlListener listener) {
    onHome(
        () -> {
          listeners.computeIfAbsent(objectId, id -> new ArrayList<>()).add(listener);
          if (!running && !closed) {
            running = true;
            renew();
          }
        });
    return () -> onHome(() -> forget(objectId, listener));
  }

  /** From now on it is open as long as there is a session. On the home executor. */
  void keepOpen() {
    keptOpen = true;
    if (!running && !closed) {
      running = true;
      renew();
    }
  }

  private void forget(long objectId, ControlListener listener) {
    List<ControlListener> ofObject = listeners.get(objectId);
    if (ofObject != null && ofObject.remove(listener) && ofObject.isEmpty()) {
      listeners.remove(objectId);
    }
  }

  private void onHome(Runnable task) {
    try {
      home.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("the client is closed: nothing is asked back of it any more");
    }
  }

  private void renew() {
    if (closed) {
      return;
    }
    if (listeners.isEmpty() && !keptOpen) {
      running = false;
      heardSessionId = NONE;
      link.rotate();
      return;
    }
    Optional<LiveSession> live = owner.live();
    if (live.isEmpty()) {
      // A shared file in a session that has ended learns of that by its next call.
      again(RETRY_NANOS);
      return;
    }
    renew(live.get());
  }

  private void renew(LiveSession session) {
    var unused =
        exchange(session)
            .whenComplete(
                (reply, failure) -> {
                  if (failure == null) {
                    heardSessionId = session.id();
                    heardNanos = owner.nowNanos();
                    again(RENEW_NANOS);
                  } else {
                    failed(session, WeftException.of(failure));
                  }
                });
  }

  /** One renewal, with what this session relies on no more. */
  private CompletableFuture<RenewSessionReply> exchange(LiveSession session) {
    RenewSessionRequest.Builder renewal =
        RenewSessionRequest.newBuilder().setVolumeId(owner.volumeId()).setSessionId(session.id());
    boolean caching = session.reads().isPresent();
    if (caching) {
      session.files().addClosingsTo(renewal);
      session.reads().get().addTo(renewal);
    }
    RenewSessionRequest body = renewal.build();
    long sentNanos = owner.nowNanos();
    int timeoutMillis = caching ? CACHING_TIMEOUT_MILLIS : TIMEOUT_MILLIS;
    return link.call(session.request(Opcode.RENEW_SESSION, body, timeoutMillis))
        .thenApply(ReplyReader.parser(RenewSessionReply.parser()))
        .thenApply(
            reply -> {
              session.renewed(body, sentNanos, reply);
              session.files().closingsAnswered(body);
              if (session.files().isNews(reply.getEpoch())) {
                // A manager that started waits for what this session has to say.
                owner.renewSoon();
              }
              if (reply.getRecalledObjectCount() > 0 || reply.getRecalledAll()) {
                tellDropped(session);
              }
              return reply;
            });
  }

  /** Read grants are recalled: they are dropped, and the manager hears of it at once. */
  private void recalled(ReadRecallPush recall) {
    Optional<LiveSession> live =
        owner.live().filter(session -> session.id() == recall.getSessionId());
    if (live.isPresent() && live.get().reads().isPresent()) {
      live.get().reads().get().recalled(recall.getObjectIdList(), recall.getNumber());
      tellDropped(live.get());
    }
  }

  /** One word at a time, as long as there is something to tell; the manager asks again. */
  private void tellDropped(LiveSession session) {
    if (telling || closed || session.ended() || !session.reads().get().isUrgent()) {
      return;
    }
    telling = true;
    var unused =
        exchange(session)
            .whenComplete(
                (reply, failure) -> {
                  telling = false;
                  if (failure == null) {
                    tellDropped(session);
                  }
                });
  }

  private void failed(LiveSession session, WeftException failure) {
    if (heardSessionId != NONE && owner.nowNanos() - heardNanos >= OUT_OF_REACH_NANOS) {
      heardSessionId = NONE;
      listeners.values().forEach(all -> List.copyOf(all).forEach(ControlListener::outOfReach));
    }
    if (failure.code() == ErrorCode.SESSION_EXPIRED) {
      owner.expired(session);
    } else if (failure.code() == ErrorCode.DEADLINE_EXCEEDED) {
      // Nothing came back: the connection may lead nowhere.
      link.replace();
    }
    owner.notServed(failure);
    again(RETRY_NANOS);
  }

  private void again(long delayNanos) {
    if (!closed) {
      timer = owner.schedule(delayNanos, this::renew);
    }
  }

  /** What is pushed to the session now reaches it, as far as is known. */
  boolean hears(long sessionId) {
    return sessionId != NONE && heardSessionId == sessionId;
  }

  /** On the connection's event loop. */
  private void pushed(int opcode, ByteBuffer body) {
    try {
      if (opcode == Opcode.READ_RECALL.number()) {
        ReadRecallPush recall = ReadRecallPush.parseFrom(body);
        onHome(() -> recalled(recall));
      } else if (opcode == Opcode.RECALL.number()) {
        RecallPush recall = RecallPush.parseFrom(body);
        ByteRange range = ByteRange.fromMessage(recall.getFrom(), recall.getTo());
        tell(
            recall.getSessionId(),
            recall.getObjectId(),
            listener -> listener.recalled(recall.getGrant(), range));
      } else if (opcode == Opcode.LENGTH_WANTED.number()) {
        LengthWantedPush wanted = LengthWantedPush.parseFrom(body);
        Lsn question = new Lsn(wanted.getQuestion());
        tell(
            wanted.getSessionId(),
            wanted.getObjectId(),
            listener -> listener.lengthWanted(question));
      } else if (opcode == Opcode.GRANT_WANTED.number()) {
        GrantWantedPush wanted = GrantWantedPush.parseFrom(body);
        tell(
            wanted.getSessionId(),
            wanted.getObjectId(),
            listener -> listener.grantWanted(wanted.getGrant(), wanted.getForRepair()));
      } else if (opcode == Opcode.LOCK_FREED.number()) {
        LockFreedPush freed = LockFreedPush.parseFrom(body);
        tell(
            freed.getSessionId(),
            freed.getObjectId(),
            listener -> listener.lockFreed(freed.getWaitNumber()));
      }
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      LOG.warn("the manager of volume {} pushed no proper message: {}", owner.volumeId(), e);
    }
  }

  private void tell(long sessionId, long objectId, Consumer<ControlListener> what) {
    onHome(
        () -> {
          if (owner.isLive(sessionId)) {
            List.copyOf(listeners.getOrDefault(objectId, List.of())).forEach(what);
          }
        });
  }

  void close() {
    closed = true;
    heardSessionId = NONE;
    timer.cancel();
    link.close();
  }
}
