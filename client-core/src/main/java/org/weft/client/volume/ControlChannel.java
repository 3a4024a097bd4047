package org.weft.client.volume;

import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.cluster.ManagerDirectory;
import org.weft.client.cluster.PeerLink;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.RecallPush;
import org.weft.protocol.wire.RenewSessionRequest;

/**
 * The connection on which a session hears what its manager asks back, never behind data (P 6.5). It
 * is open while some file is shared; renewing the session on it tells the manager that it is there,
 * again and again, so that a connection that was lost, or a manager that moved, is found soon. What
 * is pushed meanwhile is lost; the manager says it again.
 *
 * <p>{@link #watch} is thread-safe; everything else is confined to the session's home executor.
 */
final class ControlChannel {
  private static final Logger LOG = LoggerFactory.getLogger(ControlChannel.class);
  private static final String CALLER = "client-control";
  private static final int TIMEOUT_MILLIS = 2_000;
  private static final long RENEW_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final VolumeSession owner;
  private final Executor home;
  private final PeerLink link;
  private final Map<Long, List<RecallListener>> listeners = new TreeMap<>();
  private Scheduler.Timer timer = () -> {};
  private boolean running;
  private boolean closed;

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
  Runnable watch(long objectId, RecallListener listener) {
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

  private void forget(long objectId, RecallListener listener) {
    List<RecallListener> ofObject = listeners.get(objectId);
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
    if (listeners.isEmpty()) {
      running = false;
      link.rotate();
      return;
    }
    Optional<LiveSession> live = owner.live();
    if (live.isEmpty()) {
      // Whoever shares a file in a session that has ended is told so by its next call.
      again(RETRY_NANOS);
      return;
    }
    renew(live.get());
  }

  private void renew(LiveSession session) {
    RenewSessionRequest body =
        RenewSessionRequest.newBuilder()
            .setVolumeId(owner.volumeId())
            .setSessionId(session.id())
            .build();
    var unused =
        link.call(RpcRequest.unsigned(Opcode.RENEW_SESSION, body, TIMEOUT_MILLIS))
            .whenComplete(
                (reply, failure) -> {
                  if (failure == null) {
                    reply.payload().release();
                    again(RENEW_NANOS);
                  } else {
                    failed(session, RpcException.of(failure));
                  }
                });
  }

  private void failed(LiveSession session, RpcException failure) {
    if (failure.code() == ErrorCode.SESSION_EXPIRED) {
      owner.expired(session);
    } else if (failure.code() == ErrorCode.DEADLINE_EXCEEDED) {
      // Nothing came back: the connection may lead nowhere.
      link.rotate();
    }
    owner.notServed(failure);
    again(RETRY_NANOS);
  }

  private void again(long delayNanos) {
    if (!closed) {
      timer = owner.schedule(delayNanos, this::renew);
    }
  }

  /** On the connection's event loop. */
  private void pushed(int opcode, ByteBuffer body) {
    if (opcode != Opcode.RECALL.number()) {
      return;
    }
    RecallPush recall;
    ByteRange range;
    try {
      recall = RecallPush.parseFrom(body);
      range = ByteRange.fromMessage(recall.getFrom(), recall.getTo());
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      LOG.warn("the manager of volume {} pushed no proper message: {}", owner.volumeId(), e);
      return;
    }
    onHome(() -> recalled(recall, range));
  }

  private void recalled(RecallPush recall, ByteRange range) {
    if (owner.isLive(recall.getSessionId())) {
      List.copyOf(listeners.getOrDefault(recall.getObjectId(), List.of()))
          .forEach(listener -> listener.recalled(recall.getGrant(), range));
    }
  }

  void close() {
    closed = true;
    timer.cancel();
    link.close();
  }
}
