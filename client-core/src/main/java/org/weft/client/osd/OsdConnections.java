package org.weft.client.osd;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;

/**
 * One data connection to each OSD, opened when it is first needed. After a failed attempt calls
 * fail at once until a pause is over, which doubles from 50 ms to 2 s. A call that came meanwhile
 * has the connection opened again in the background. Thread-safe; never blocks.
 */
public final class OsdConnections implements AutoCloseable {
  /** Hears of each new connection, on an event loop: must not block. */
  @FunctionalInterface
  public interface Listener {
    /**
     * The OSD answered.
     *
     * @param incarnation grows by one with each start of the OSD: a number not seen before means
     *     that it was restarted (P 5.8)
     */
    void connected(OsdId osd, long incarnation);
  }

  private final Environment environment;
  private final OsdDirectory directory;
  private final Supplier<Optional<ClusterId>> clusterId;
  private final String caller;
  private final int backgroundPercent;
  private final ConcurrentSkipListMap<OsdId, OsdSlot> slots = new ConcurrentSkipListMap<>();
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private volatile boolean closed;

  /**
   * Opens nothing yet.
   *
   * @param clusterId asked before each attempt: the cluster the OSDs must be of; empty takes any
   * @param caller name of the calling process, for the OSDs' logs: "client", "manager-1"
   */
  public OsdConnections(
      Environment environment,
      OsdDirectory directory,
      Supplier<Optional<ClusterId>> clusterId,
      String caller) {
    this(environment, directory, clusterId, caller, 0);
  }

  /**
   * The same for what makes way for clients. The share is said when a connection is opened, and
   * holds as long as that.
   *
   * @param backgroundPercent of the OSD's time that requests get while clients use it, 1 to 100; 0:
   *     they are a client's
   */
  public OsdConnections(
      Environment environment,
      OsdDirectory directory,
      Supplier<Optional<ClusterId>> clusterId,
      String caller,
      int backgroundPercent) {
    this.environment = environment;
    this.directory = directory;
    this.clusterId = clusterId;
    this.caller = caller;
    this.backgroundPercent = backgroundPercent;
  }

  /**
   * Sends a request. The payload belongs to the call from here on, whatever becomes of it. The
   * future completes on an event loop, so what hangs on it must not block; {@link OsdClient} is the
   * way to call from anywhere else. It fails with a {@link WeftException}: UNAVAILABLE if the OSD
   * cannot be reached, OVERLOADED if too many calls wait for the connection. CONNECTION_LOST if it
   * ended before the answer, and otherwise what the OSD says. Cancelling the future cancels the
   * call.
   */
  public CompletableFuture<RpcReply> call(OsdId osd, RpcRequest request) {
    return call(osd, OptionalLong.empty(), request);
  }

  /**
   * As the other one, to one incarnation of the OSD alone: UNAVAILABLE if it is another by now. A
   * connection ends with the start that it was opened to, so that the answer is of that start too.
   */
  public CompletableFuture<RpcReply> call(OsdId osd, OptionalLong start, RpcRequest request) {
    return slot(osd).call(start, request);
  }

  /** The incarnation that the OSD told when it was last reached; empty if it never was. */
  public OptionalLong incarnationOf(OsdId osd) {
    OsdSlot slot = slots.get(osd);
    return slot == null ? OptionalLong.empty() : slot.incarnation();
  }

  /**
   * True if an attempt to connect to the OSD has failed since it was reached last. Also if nothing
   * comes on its connection, not even a sign of life. False if nothing was asked of it.
   */
  public boolean isInDoubt(OsdId osd) {
    OsdSlot slot = slots.get(osd);
    return slot != null && slot.isInDoubt();
  }

  /** See {@link OsdDirectory#isNear}. */
  public boolean isNear(OsdId osd) {
    return directory.isNear(osd);
  }

  public void addListener(Listener listener) {
    listeners.add(listener);
  }

  /** Addresses or states of OSDs have changed: ends all pauses after failed attempts. */
  public void directoryChanged() {
    slots.values().forEach(OsdSlot::endPause);
  }

  private OsdSlot slot(OsdId osd) {
    OsdSlot slot =
        slots.computeIfAbsent(
            osd,
            id ->
                new OsdSlot(
                    id,
                    environment,
                    directory,
                    clusterId,
                    caller,
                    backgroundPercent,
                    this::notifyConnected));
    if (closed) {
      slot.close();
    }
    return slot;
  }

  private void notifyConnected(OsdId osd, long incarnation) {
    listeners.forEach(listener -> listener.connected(osd, incarnation));
  }

  /** Ends all connections; calls under way and later ones fail. */
  @Override
  public void close() {
    closed = true;
    slots.values().forEach(OsdSlot::close);
  }

  static WeftException closedException(OsdId osd) {
    return new WeftException(
        ErrorCode.CANCELLED, "OSD " + osd + " was called after the client had been closed");
  }
}
