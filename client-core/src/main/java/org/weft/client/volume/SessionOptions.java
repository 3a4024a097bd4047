package org.weft.client.volume;

import java.util.List;
import java.util.Optional;

/**
 * How a session is opened and how patient its requests are.
 *
 * @param volumeId the volume
 * @param user the user that the client says it acts for (simple authentication)
 * @param groups the user's groups
 * @param clientName "host/pid/program", shown to other clients that wait for this one
 * @param slots requests that may be under way at once; the manager may give fewer
 * @param requestLimit requests that may be unanswered at once, most of them waiting for a slot; one
 *     more is refused with OVERLOADED
 * @param attemptTimeoutMillis for one attempt at a request
 * @param requestTimeoutMillis for a request with all its attempts
 * @param keepLocks whether its byte-range locks are kept after its end; empty: they go with it
 * @param cachedEntries nodes, names and listed entries that it relies on without asking (P 6.5); 0:
 *     it asks each time
 * @param joinSecret made from the cluster's join token: the session is trusted, and asks on behalf
 *     of others for files by their numbers
 */
public record SessionOptions(
    long volumeId,
    String user,
    List<String> groups,
    String clientName,
    int slots,
    int requestLimit,
    int attemptTimeoutMillis,
    int requestTimeoutMillis,
    Optional<KeepLocks> keepLocks,
    int cachedEntries,
    Optional<byte[]> joinSecret) {
  public static final int DEFAULT_SLOTS = 32;

  /** Of a session that stands for many users. */
  public static final int TRUSTED_SLOTS = 1_024;

  public static final int DEFAULT_REQUEST_LIMIT = 10_000;
  public static final int DEFAULT_ATTEMPT_TIMEOUT_MILLIS = 10_000;
  public static final int DEFAULT_REQUEST_TIMEOUT_MILLIS = 60_000;

  public SessionOptions {
    groups = List.copyOf(groups);
    if (user.isBlank()) {
      throw new IllegalArgumentException("a session needs a user name");
    }
    if (cachedEntries < 0) {
      throw new IllegalArgumentException(
          "a session keeps 0 or more entries in its cache, got " + cachedEntries);
    }
    if (slots < 1 || requestLimit < 1 || attemptTimeoutMillis < 1 || requestTimeoutMillis < 1) {
      throw new IllegalArgumentException(
          "a session needs at least one slot and positive timeouts, got "
              + slots
              + " slots, "
              + requestLimit
              + " waiting, "
              + attemptTimeoutMillis
              + " and "
              + requestTimeoutMillis
              + " ms");
    }
  }

  /** Of one whose byte-range locks go with it, and that caches nothing. */
  public SessionOptions(
      long volumeId,
      String user,
      List<String> groups,
      String clientName,
      int slots,
      int requestLimit,
      int attemptTimeoutMillis,
      int requestTimeoutMillis) {
    this(
        volumeId,
        user,
        groups,
        clientName,
        slots,
        requestLimit,
        attemptTimeoutMillis,
        requestTimeoutMillis,
        Optional.empty(),
        0,
        Optional.empty());
  }

  public static SessionOptions of(
      long volumeId, String user, List<String> groups, String clientName) {
    return new SessionOptions(
        volumeId,
        user,
        groups,
        clientName,
        DEFAULT_SLOTS,
        DEFAULT_REQUEST_LIMIT,
        DEFAULT_ATTEMPT_TIMEOUT_MILLIS,
        DEFAULT_REQUEST_TIMEOUT_MILLIS);
  }
}
