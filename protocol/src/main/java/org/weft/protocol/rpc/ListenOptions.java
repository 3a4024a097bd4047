package org.weft.protocol.rpc;

import java.util.Optional;
import java.util.function.Supplier;
import org.weft.protocol.id.ClusterId;

/**
 * How a server presents and protects itself.
 *
 * @param clusterId asked at each handshake: the server's cluster, empty until it has joined one
 * @param server asked at each handshake: its name, "osd-3"
 * @param incarnation of an OSD; 0 elsewhere
 * @param maxBodyBytes larger bodies are refused before anything is allocated
 * @param maxPayloadBytes larger payloads are refused before anything is allocated
 * @param maxInFlightBytes per connection: past it nothing more is read until replies have left
 * @param maxRequests under way per connection: past it nothing more is read until replies have left
 */
public record ListenOptions(
    Supplier<Optional<ClusterId>> clusterId,
    Supplier<String> server,
    long incarnation,
    int maxBodyBytes,
    int maxPayloadBytes,
    long maxInFlightBytes,
    int maxRequests) {
  /** Requests under way per connection, unless a server says otherwise. */
  public static final int MAX_REQUESTS = 4_096;

  /** Largest body of any frame. */
  public static final int MAX_BODY_BYTES = 4 << 20;

  /** Largest payload of any frame. */
  public static final int MAX_PAYLOAD_BYTES = 8 << 20;

  /** A server whose name is known from the beginning. */
  public ListenOptions(
      Supplier<Optional<ClusterId>> clusterId,
      String server,
      long incarnation,
      int maxBodyBytes,
      int maxPayloadBytes,
      long maxInFlightBytes) {
    this(
        clusterId,
        () -> server,
        incarnation,
        maxBodyBytes,
        maxPayloadBytes,
        maxInFlightBytes,
        MAX_REQUESTS);
  }

  public static ListenOptions of(
      Supplier<Optional<ClusterId>> clusterId, String server, long incarnation) {
    return of(clusterId, () -> server, incarnation);
  }

  /** A server that may be given its name while it listens. */
  public static ListenOptions of(
      Supplier<Optional<ClusterId>> clusterId, Supplier<String> server, long incarnation) {
    return new ListenOptions(
        clusterId, server, incarnation, MAX_BODY_BYTES, MAX_PAYLOAD_BYTES, 64 << 20, MAX_REQUESTS);
  }

  /** The same with another bound on the requests of a connection. */
  public ListenOptions withMaxRequests(int most) {
    return new ListenOptions(
        clusterId, server, incarnation, maxBodyBytes, maxPayloadBytes, maxInFlightBytes, most);
  }
}
