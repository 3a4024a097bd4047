package org.weft.client.volume;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.weft.client.cache.GrantedNode;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.RequestBy;
import org.weft.client.volume.VolumeRequest.Repetition;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AttributesWish;
import org.weft.protocol.wire.LinkNodeRequest;
import org.weft.protocol.wire.ListNodesReply;
import org.weft.protocol.wire.ListNodesRequest;
import org.weft.protocol.wire.LookUpNodeRequest;
import org.weft.protocol.wire.MakeNodeRequest;
import org.weft.protocol.wire.MoveNameRequest;
import org.weft.protocol.wire.NodeReply;
import org.weft.protocol.wire.OpenNodeRequest;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.RemoveNameRequest;
import org.weft.protocol.wire.RequestContext;
import org.weft.protocol.wire.RequestOrigin;
import org.weft.protocol.wire.SetNodeRequest;

/**
 * Requests of a trusted session about nodes by their numbers (P 6.5c), on behalf of others.
 * Thread-safe; futures complete on the session's home executor and fail with a WeftException.
 */
public final class NumberCalls {
  /** Openings serve many users, whose rights are looked at with each call. */
  private static final org.weft.protocol.wire.OnBehalfOf ALL =
      org.weft.protocol.wire.OnBehalfOf.newBuilder()
          .setUser("gateway")
          .addGroups("gateway")
          .setSuperuser(true)
          .build();

  /** What is to be granted with a node. */
  private enum Wish {
    NOTHING,
    READ_GRANT,
    RIGHTS
  }

  private final VolumeSession session;

  NumberCalls(VolumeSession session) {
    this.session = session;
  }

  /** The node itself. */
  public CompletableFuture<NodeReply> node(RequestBy by, ObjectId node) {
    return lookUp(by, node, "", false);
  }

  /** The node itself; a file is granted for reading, if it can be and the session wants that. */
  public CompletableFuture<NodeReply> nodeToRead(RequestBy by, ObjectId node) {
    return heard(by, lookingUp(by, node, "", false, Wish.READ_GRANT));
  }

  /** The node itself; of a file that is being written its rights are granted, if they can be. */
  public CompletableFuture<NodeReply> nodeToWrite(RequestBy by, ObjectId node) {
    return heard(by, lookingUp(by, node, "", false, Wish.RIGHTS));
  }

  private CompletableFuture<NodeReply> heard(RequestBy by, VolumeRequest<NodeReply> request) {
    return session
        .call(
            request.withHeard(
                answer ->
                    session
                        .reads(answer.sessionId())
                        .ifPresent(reads -> reads.heard(answer.body(), by.caller()))))
        .thenApply(SessionReply::body);
  }

  /** A file as it is granted to the session for reading; empty if the manager is to be asked. */
  public Optional<GrantedNode> known(RequestBy by, ObjectId node) {
    return session.reads().flatMap(reads -> reads.known(node.value(), by.caller()));
  }

  /**
   * What a caller may do with a file, as that is granted to the session, also while clients write
   * the file. Empty if the manager is to be asked.
   */
  public Optional<GrantedNode> knownRights(RequestBy by, ObjectId node) {
    return session.reads().flatMap(reads -> reads.knownRights(node.value(), by.caller()));
  }

  /** What a name of a directory leads to. */
  public CompletableFuture<NodeReply> lookUp(RequestBy by, ObjectId directory, String name) {
    return lookUp(by, directory, name, false);
  }

  /** The directory above, in the volume. */
  public CompletableFuture<NodeReply> parent(RequestBy by, ObjectId directory) {
    return lookUp(by, directory, "", true);
  }

  private CompletableFuture<NodeReply> lookUp(
      RequestBy by, ObjectId node, String name, boolean parent) {
    return body(lookingUp(by, node, name, parent, Wish.NOTHING));
  }

  private VolumeRequest<NodeReply> lookingUp(
      RequestBy by, ObjectId node, String name, boolean parent, Wish wish) {
    boolean mayCache = session.reads().isPresent();
    return VolumeRequest.repeatable(
        Opcode.LOOK_UP_NODE,
        subject(node, name),
        context ->
            LookUpNodeRequest.newBuilder()
                .setContext(of(by, context))
                .setNodeId(node.value())
                .setName(name)
                .setParent(parent)
                .setMayCache(mayCache && wish == Wish.READ_GRANT)
                .setMayCacheRights(mayCache && wish == Wish.RIGHTS)
                .build(),
        NodeReply.parser());
  }

  /** Sets attributes; a length in the wish is only checked. */
  public CompletableFuture<NodeReply> set(
      RequestBy by, ObjectId node, AttributesWish wish, OptionalLong guardNanos) {
    VolumeRequest<NodeReply> request =
        VolumeRequest.once(
                Opcode.SET_NODE,
                subject(node, ""),
                context -> {
                  SetNodeRequest.Builder body =
                      SetNodeRequest.newBuilder()
                          .setContext(changing(by, context))
                          .setNodeId(node.value())
                          .setWish(wish);
                  guardNanos.ifPresent(body::setGuardCtimeNanos);
                  return body.build();
                },
                NodeReply.parser())
            .changingNodes(node.value());
    return wish.hasSize() ? sizing(by, request) : change(by, request);
  }

  /**
   * Makes a node.
   *
   * @param what all but the context
   */
  public CompletableFuture<NodeReply> make(RequestBy by, MakeNodeRequest what) {
    VolumeRequest<NodeReply> request =
        VolumeRequest.once(
            Opcode.MAKE_NODE,
            subject(new ObjectId(what.getDirectoryId()), what.getName()),
            context -> what.toBuilder().setContext(changing(by, context)).build(),
            NodeReply.parser());
    return what.getWish().hasSize() ? sizing(by, request) : change(by, request);
  }

  public CompletableFuture<NodeReply> remove(
      RequestBy by, ObjectId directory, String name, boolean isDirectory) {
    return change(
        by,
        VolumeRequest.once(
            Opcode.REMOVE_NAME,
            subject(directory, name),
            context ->
                RemoveNameRequest.newBuilder()
                    .setContext(changing(by, context))
                    .setDirectoryId(directory.value())
                    .setName(name)
                    .setDirectory(isDirectory)
                    .build(),
            NodeReply.parser()));
  }

  public CompletableFuture<NodeReply> move(
      RequestBy by, ObjectId from, String oldName, ObjectId to, String newName) {
    return change(
        by,
        VolumeRequest.once(
            Opcode.MOVE_NAME,
            subject(from, oldName) + " -> " + subject(to, newName),
            context ->
                MoveNameRequest.newBuilder()
                    .setContext(changing(by, context))
                    .setDirectoryId(from.value())
                    .setName(oldName)
                    .setTargetDirectoryId(to.value())
                    .setTargetName(newName)
                    .build(),
            NodeReply.parser()));
  }

  public CompletableFuture<NodeReply> link(
      RequestBy by, ObjectId node, ObjectId directory, String name) {
    return change(
        by,
        VolumeRequest.once(
                Opcode.LINK_NODE,
                subject(directory, name),
                context ->
                    LinkNodeRequest.newBuilder()
                        .setContext(changing(by, context))
                        .setNodeId(node.value())
                        .setDirectoryId(directory.value())
                        .setName(name)
                        .build(),
                NodeReply.parser())
            .changingNodes(node.value()));
  }

  public CompletableFuture<ListNodesReply> list(
      RequestBy by, ObjectId directory, long cookie, int maxEntries, boolean withAttributes) {
    return body(
        VolumeRequest.repeatable(
            Opcode.LIST_NODES,
            subject(directory, ""),
            context ->
                ListNodesRequest.newBuilder()
                    .setContext(of(by, context))
                    .setDirectoryId(directory.value())
                    .setCookie(cookie)
                    .setMaxEntries(maxEntries)
                    .setWithAttributes(withAttributes)
                    .build(),
            ListNodesReply.parser()));
  }

  /** As {@link VolumeCalls#openForReading}, whatever the file's mode allows. */
  public CompletableFuture<SessionReply<OpenReply>> openForReading(ObjectId file) {
    return session.call(
        VolumeRequest.repeatable(
                Opcode.OPEN_NODE,
                subject(file, ""),
                context -> open(context, file).build(),
                OpenReply.parser())
            .withHeard(answer -> session.fileOpened(answer.sessionId(), answer.body()))
            .withLate(late -> session.fileClosed(late.sessionId(), file.value())));
  }

  /** As {@link VolumeCalls#openForWriting}, whatever the file's mode allows. */
  public CompletableFuture<SessionReply<OpenReply>> openForWriting(ObjectId file, boolean shared) {
    return session.call(
        VolumeRequest.once(
                Opcode.OPEN_NODE,
                subject(file, ""),
                context -> open(context, file).setWrite(true).setShared(shared).build(),
                OpenReply.parser())
            .changingNodes(file.value())
            .withLate(
                late -> {
                  SessionGrant grant =
                      new SessionGrant(
                          subject(file, ""),
                          late.sessionId(),
                          file.value(),
                          late.body().getGrant().getNumber());
                  var unused = new VolumeCalls(session).abandon(grant);
                }));
  }

  private static OpenNodeRequest.Builder open(RequestContext context, ObjectId file) {
    return OpenNodeRequest.newBuilder()
        .setContext(context.toBuilder().setOnBehalfOf(ALL))
        .setNodeId(file.value());
  }

  private String subject(ObjectId node, String name) {
    return new NodeId(new org.weft.protocol.id.PartitionId(session.volumeId()), node)
        + (name.isEmpty() ? "" : "/" + name);
  }

  private static RequestContext of(RequestBy by, RequestContext context) {
    return of(by.caller(), context);
  }

  /** With where it comes from, so that a repeat through another gateway is known. */
  private static RequestContext changing(RequestBy by, RequestContext context) {
    RequestContext named = of(by, context);
    return by.origin().isEmpty()
        ? named
        : named.toBuilder()
            .setOrigin(
                RequestOrigin.newBuilder()
                    .setClient(by.origin().get().client())
                    .setNumber(by.origin().get().number())
                    .setChecksum(by.origin().get().checksum())
                    .setDigest(by.origin().get().digest()))
            .build();
  }

  static RequestContext of(OnBehalfOf caller, RequestContext context) {
    RequestContext.Builder named = context.toBuilder();
    named
        .getOnBehalfOfBuilder()
        .setUser(caller.user())
        .addAllGroups(caller.groups())
        .setSuperuser(caller.superuser());
    return named.build();
  }

  private CompletableFuture<NodeReply> change(RequestBy by, VolumeRequest<NodeReply> request) {
    return body(
        by.origin().isPresent()
            ? request.repeated(new Repetition.ByItsOrigin(context -> changing(by, context)))
            : request);
  }

  /**
   * With a length, which is set when this is answered. The record of the change does not show
   * whether it was: another gateway may have set it, and the file may have been written since.
   */
  private CompletableFuture<NodeReply> sizing(RequestBy by, VolumeRequest<NodeReply> request) {
    return body(
        by.origin().isPresent() ? request.repeated(new Repetition.InItsSlotSoon()) : request);
  }

  private <T> CompletableFuture<T> body(VolumeRequest<T> request) {
    return session.call(request).thenApply(SessionReply::body);
  }
}
