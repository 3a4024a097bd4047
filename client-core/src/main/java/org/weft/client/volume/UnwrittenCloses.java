package org.weft.client.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.CloseUnwrittenRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.UnwrittenFile;

/**
 * Grants of new files that nothing was sent for, given back many at a time (P 6.6). So a client
 * that makes files does not wait until the manager, or its journal, has taken each close by itself.
 * What the session asks for next finds them closed all the same, unless it makes yet another file.
 * A request that takes their place under another path than they were made under is told to wait,
 * for a moment. Confined to the session's home.
 */
final class UnwrittenCloses {
  private static final int MAX_FILES = 64;

  /** Shorter than a client that finds a file being written waits before it asks again. */
  private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private record Waiting(SessionGrant grant, CompletableFuture<Void> told) {}

  private final VolumeSession session;
  private List<Waiting> waiting = new ArrayList<>();
  private Scheduler.Timer timer = () -> {};

  UnwrittenCloses(VolumeSession session) {
    this.session = session;
  }

  /**
   * Gives one back soon.
   *
   * @param told completes when the manager knows; fails if it is to be told otherwise
   */
  void add(SessionGrant grant, CompletableFuture<Void> told) {
    if (!waiting.isEmpty() && waiting.get(0).grant().sessionId() != grant.sessionId()) {
      send();
    }
    waiting.add(new Waiting(grant, told));
    if (waiting.size() == MAX_FILES) {
      send();
    } else if (waiting.size() == 1) {
      timer = session.schedule(GATHER_NANOS, this::send);
    }
  }

  /** Gives back what waits, unless the request makes another file under a path of its own. */
  void sendBefore(VolumeRequest<?> request) {
    if (request.opcode() != Opcode.CREATE_FILE || isWaiting(request.subject())) {
      send();
    }
  }

  private boolean isWaiting(String path) {
    for (Waiting file : waiting) {
      if (file.grant().path().equals(path)) {
        return true;
      }
    }
    return false;
  }

  /** Gives back what waits. */
  void send() {
    if (waiting.isEmpty()) {
      return;
    }
    timer.cancel();
    List<Waiting> files = waiting;
    waiting = new ArrayList<>();
    CompletableFuture<SessionReply<Empty>> answer = new CompletableFuture<>();
    var unused =
        answer.whenComplete(
            (done, failure) -> {
              for (Waiting file : files) {
                if (failure == null) {
                  file.told().complete(null);
                } else {
                  file.told().completeExceptionally(failure);
                }
              }
            });
    session.start(request(files), answer);
  }

  private static VolumeRequest<Empty> request(List<Waiting> files) {
    CloseUnwrittenRequest.Builder body = CloseUnwrittenRequest.newBuilder();
    for (Waiting file : files) {
      body.addFiles(
          UnwrittenFile.newBuilder()
              .setObjectId(file.grant().objectId())
              .setGrant(file.grant().number()));
    }
    SessionGrant first = files.get(0).grant();
    String subject =
        files.size() == 1
            ? first.path()
            : first.path() + " and " + (files.size() - 1) + " other new files";
    return VolumeRequest.repeatable(
            Opcode.CLOSE_UNWRITTEN,
            subject,
            context -> body.setContext(context).build(),
            Empty.parser())
        .inSession(first.sessionId());
  }
}
