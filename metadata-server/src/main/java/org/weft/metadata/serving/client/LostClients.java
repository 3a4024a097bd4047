package org.weft.metadata.serving.client;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.seam.Ticker;

/**
 * Reports clients that seem to be dead to the volume. All connections of the session have ended,
 * and none came back for a while. A client whose connection was lost opens another within a quarter
 * of a second. Its files are taken from it only if another client waits for them (P 6.5). They are
 * fenced and resolved, which is safe even if the client lives.
 *
 * <p>Run after each tick of the volume, on its thread.
 */
public final class LostClients implements Runnable {
  /** How long a client has to come back. */
  static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A thread that slept longer than this may have missed clients that came back. */
  private static final long LONG_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final PartitionId volume;
  private final VolumeMachine machine;
  private final ControlConnections connections;
  private final Ticker ticker;
  private final Map<SessionId, Long> sinceNanos = new HashMap<>();
  private long lastNanos;

  /**
   * @param connections by which connections sessions have spoken
   */
  public LostClients(
      PartitionId volume, VolumeMachine machine, ControlConnections connections, Ticker ticker) {
    this.volume = volume;
    this.machine = machine;
    this.connections = connections;
    this.ticker = ticker;
    this.lastNanos = ticker.nowNanos();
  }

  @Override
  public void run() {
    long nowNanos = ticker.nowNanos();
    Set<SessionId> disconnected = connections.disconnected(volume);
    if (nowNanos - lastNanos > LONG_SLEEP_NANOS) {
      sinceNanos.clear();
    }
    lastNanos = nowNanos;
    sinceNanos.keySet().retainAll(disconnected);
    TreeSet<SessionId> gone = new TreeSet<>();
    for (SessionId session : disconnected) {
      if (nowNanos - sinceNanos.computeIfAbsent(session, each -> nowNanos) >= GRACE_NANOS) {
        gone.add(session);
      }
    }
    machine.clientsGone(gone);
  }
}
