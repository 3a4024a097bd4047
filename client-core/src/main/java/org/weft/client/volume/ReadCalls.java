package org.weft.client.volume;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.weft.client.cache.ReadCache;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.GetAttributesOfRequest;
import org.weft.protocol.wire.NodeRef;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.OpenRequest;
import org.weft.protocol.wire.ReaddirReply;
import org.weft.protocol.wire.ReaddirRequest;

/**
 * Requests that change nothing: attributes, openings for reading, listings. Answered from what the
 * session was granted, where that suffices, without a message (P 6.5). Thread-safe; futures
 * complete as those of {@link VolumeCalls}, or are complete when they are given.
 */
public final class ReadCalls {
  private final VolumeSession session;

  ReadCalls(VolumeSession session) {
    this.session = session;
  }

  /**
   * What is known of a path; NOT_FOUND if nothing is there.
   *
   * @param noFollow of a symbolic link itself
   */
  CompletableFuture<AttributesReply> attributes(String path, boolean noFollow, boolean withHandle) {
    Optional<ReadCache.Found> found = known(path, noFollow);
    if (found.isPresent() && !found.get().exists()) {
      return notFound(path, "no such file or directory: /" + found.get().missing());
    }
    if (found.isPresent() && !(withHandle && found.get().handle().isEmpty())) {
      return CompletableFuture.completedFuture(
          AttributesReply.newBuilder()
              .setAttributes(found.get().attributes())
              .setHandle(found.get().handle())
              .build());
    }
    boolean mayCache = mayCache(session.reads());
    return session
        .call(
            attributesOf(
                    path,
                    () -> session.mount().node(path),
                    GetAttributesOfRequest.newBuilder()
                        .setNoFollow(noFollow)
                        .setWithHandle(withHandle || mayCache)
                        .setMayCache(mayCache))
                .withHeard(keeping(ReadCache::heard)))
        .thenCompose(
            answer ->
                answer.body().getNotFound().isEmpty()
                    ? CompletableFuture.completedFuture(answer.body())
                    : notFound(path, answer.body().getNotFound()));
  }

  /** Asks for attributes and what the question names besides; nothing of the reply is kept. */
  CompletableFuture<AttributesReply> ask(String path, GetAttributesOfRequest.Builder question) {
    return session
        .call(attributesOf(path, () -> session.mount().node(path), question))
        .thenApply(SessionReply::body);
  }

  /**
   * @param node as it is to be named when the request is sent
   */
  private static VolumeRequest<AttributesReply> attributesOf(
      String subject, Supplier<NodeRef> node, GetAttributesOfRequest.Builder question) {
    return VolumeRequest.repeatable(
        Opcode.GET_ATTRIBUTES_OF,
        subject,
        context -> question.clone().setContext(context).setNode(node.get()).build(),
        AttributesReply.parser());
  }

  /**
   * What is known of a path without asking; empty if the manager has to be asked.
   *
   * @param noFollow of a symbolic link itself
   */
  public Optional<ReadCache.Found> known(String path, boolean noFollow) {
    Optional<ReadCache> reads = session.reads();
    return reads.isEmpty()
        ? Optional.empty()
        : reads.get().find(session.mount().within(path), !noFollow);
  }

  private <T> CompletableFuture<T> notFound(String path, String why) {
    return CompletableFuture.failedFuture(
        Refusal.about(
            path, session.mount().inCluster(new WeftException(ErrorCode.NOT_FOUND, why))));
  }

  /** Before anything can be relied on, the manager need not take note of it. */
  private static boolean mayCache(Optional<ReadCache> reads) {
    return reads.isPresent() && reads.get().isUseful();
  }

  /** What an answer grants is taken in before its caller has it, unless its session has ended. */
  private <T> Consumer<SessionReply<T>> keeping(BiConsumer<ReadCache, T> how) {
    return answer ->
        session.reads(answer.sessionId()).ifPresent(reads -> how.accept(reads, answer.body()));
  }

  /** See {@link VolumeCalls#openForReading}. */
  CompletableFuture<SessionReply<OpenReply>> open(String path) {
    Optional<SessionReply<OpenReply>> known = knownOpening(path);
    return known.isPresent()
        ? CompletableFuture.completedFuture(known.get())
        : open(path, session.mount().node(path));
  }

  /** Opens a file for reading without asking; empty if the manager has to be asked. */
  public Optional<SessionReply<OpenReply>> knownOpening(String path) {
    Optional<LiveSession> live = session.inForce();
    if (live.isEmpty() || live.get().reads().isEmpty()) {
      return Optional.empty();
    }
    Optional<OpenReply> opened = live.get().reads().get().open(session.mount().within(path));
    return opened.map(reply -> new SessionReply<>(reply, live.get().id()));
  }

  /** Opens a file for reading, and asks the manager in any case. */
  CompletableFuture<SessionReply<OpenReply>> open(String path, NodeRef node) {
    boolean mayCache = mayCache(session.reads());
    Consumer<SessionReply<OpenReply>> keeping = keeping(ReadCache::heard);
    return session.call(
        VolumeRequest.repeatable(
                Opcode.OPEN_FILE,
                path,
                context ->
                    OpenRequest.newBuilder()
                        .setContext(context)
                        .setNode(node)
                        .setMayCache(mayCache)
                        .build(),
                OpenReply.parser())
            .withHeard(
                answer -> {
                  session.fileOpened(answer.sessionId(), answer.body());
                  keeping.accept(answer);
                })
            .withLate(
                late ->
                    session.fileClosed(
                        late.sessionId(), late.body().getAttributes().getObjectId())));
  }

  /**
   * Has the manager grant the reading of a file that a session has open, if it can. Nothing waits
   * for it, and what comes of it shows in what is granted; without effect in another session.
   */
  public void wish(long sessionId, OpenReply opened) {
    if (!session.isLive(sessionId) || opened.getHandle().isEmpty()) {
      return;
    }
    long objectId = opened.getAttributes().getObjectId();
    NodeRef node =
        NodeRef.newBuilder().setBaseObjectId(objectId).setBaseHandle(opened.getHandle()).build();
    var unused =
        session.call(
            attributesOf(
                    "object " + objectId,
                    () -> node,
                    GetAttributesOfRequest.newBuilder()
                        .setNoFollow(true)
                        .setWithHandle(true)
                        .setMayCache(true))
                .withHeard(keeping(ReadCache::heard)));
  }

  /** What a session was granted; empty if it wants no grants, or has ended. */
  public Optional<ReadCache> granted(long sessionId) {
    return session.inForce().filter(live -> live.id() == sessionId).flatMap(LiveSession::reads);
  }

  /** See {@link VolumeCalls#readdir}. */
  CompletableFuture<ReaddirReply> page(
      String path, int plainNames, long cookie, int maxEntries, boolean withAttributes) {
    Optional<ReadCache> reads = session.reads();
    if (reads.isPresent()) {
      Optional<ReaddirReply> page =
          reads.get().page(session.mount().within(path), cookie, maxEntries, withAttributes);
      if (page.isPresent()) {
        return CompletableFuture.completedFuture(page.get());
      }
    }
    boolean mayCache = mayCache(reads);
    return session
        .call(
            VolumeRequest.repeatable(
                    Opcode.READDIR,
                    path,
                    context ->
                        ReaddirRequest.newBuilder()
                            .setContext(context)
                            .setNode(
                                session.mount().node(path).toBuilder().setPlainNames(plainNames))
                            .setCookie(cookie)
                            .setMaxEntries(maxEntries)
                            .setWithAttributes(withAttributes)
                            .setMayCache(mayCache)
                            .build(),
                    ReaddirReply.parser())
                .withHeard(keeping((cache, reply) -> cache.heard(reply, cookie))))
        .thenApply(SessionReply::body);
  }
}
