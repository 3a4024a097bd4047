package org.weft.client.number;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.weft.client.callback.Callbacks;
import org.weft.client.ids.AllowedWrite;
import org.weft.client.ids.Answers;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.CreateWish;
import org.weft.client.ids.FilesById;
import org.weft.client.ids.NewNode;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeChange;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.RequestBy;
import org.weft.client.ids.TimeWish;
import org.weft.client.ids.WriteStability;
import org.weft.client.volume.NumberCalls;
import org.weft.client.volume.VolumeRouter;
import org.weft.protocol.acl.RightBits;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.MakeMode;
import org.weft.protocol.wire.MakeNodeRequest;
import org.weft.protocol.wire.NodeReply;
import org.weft.protocol.wire.VolumeRow;

/** Names and attributes by the managers, bytes by {@link NumberedData}. */
public final class NumberedFiles implements FilesById {
  private static final String ROOT = "/";

  private static final RequestBy SUPERUSER =
      RequestBy.caller(new OnBehalfOf("gateway", List.of("gateway"), true));

  private final VolumeRouter router;
  private final Function<Long, Optional<VolumeRow>> volumes;
  private final Function<String, List<String>> namesOf;
  private final NumberedData data;
  private final NumberedReading reading;
  private final Callbacks callbacks;

  /**
   * @param namesOf the names of a path; refuses what is none with IllegalArgumentException
   */
  public NumberedFiles(
      VolumeRouter router,
      Function<Long, Optional<VolumeRow>> volumes,
      Function<String, List<String>> namesOf,
      NumberedData data,
      Callbacks callbacks) {
    this.router = router;
    this.volumes = volumes;
    this.namesOf = namesOf;
    this.data = data;
    this.reading = new NumberedReading(router, data);
    this.callbacks = callbacks;
  }

  /** Asks the volume of a node. */
  private <T> CompletableFuture<T> in(
      NodeId node, Function<NumberCalls, CompletableFuture<T>> call) {
    return router.in(node.volume().value(), calls -> call.apply(calls.numbered()));
  }

  private <T> CompletableFuture<T> deliver(CompletableFuture<T> result) {
    return callbacks.deliverInAnyCase(result);
  }

  private NodeChange shown(NodeChange change) {
    return new NodeChange(change.before(), change.after().map(data::shown));
  }

  private NodeChange change(NodeId of, org.weft.protocol.wire.NodeChange message) {
    return shown(NodeCodec.of(of).change(message));
  }

  private NodeAttributes node(NodeId of, NodeReply reply) {
    return reading.node(of, reply);
  }

  @Override
  public CompletableFuture<NodeAttributes> attributes(RequestBy by, NodeId node) {
    return deliver(
        reading
            .known(by, node)
            .map(known -> CompletableFuture.completedFuture(known.node()))
            .orElseGet(() -> looked(by, node).thenApply(reply -> node(node, reply))));
  }

  private CompletableFuture<NodeReply> looked(RequestBy by, NodeId node) {
    return in(node, calls -> calls.node(by, node.object()));
  }

  @Override
  public CompletableFuture<NodeAttributes> resolve(String path) {
    return deliver(resolved(namesOf.apply(path)));
  }

  private CompletableFuture<NodeAttributes> resolved(List<String> names) {
    return router
        .at(ROOT, calls -> CompletableFuture.completedFuture(calls.volumeId()))
        .thenCompose(
            volume ->
                looked(SUPERUSER, NodeId.rootOf(new PartitionId(volume)))
                    .thenApply(reply -> node(NodeId.rootOf(new PartitionId(volume)), reply)))
        .thenCompose(root -> resolved(root, names, 0));
  }

  private CompletableFuture<NodeAttributes> resolved(
      NodeAttributes at, List<String> names, int from) {
    return from == names.size()
        ? CompletableFuture.completedFuture(at)
        : found(SUPERUSER, at.id(), names.get(from))
            .thenCompose(found -> resolved(found.node(), names, from + 1));
  }

  @Override
  public CompletableFuture<NodeChange> setAttributes(
      RequestBy by, NodeId node, AttributesWish wish, OptionalLong guardCtimeNanos) {
    return deliver(set(by, node, wish, guardCtimeNanos));
  }

  private CompletableFuture<NodeChange> set(
      RequestBy by, NodeId node, AttributesWish wish, OptionalLong guardNanos) {
    // What was written before is told before: its time would later take the place of this one.
    CompletableFuture<Void> told =
        wish.mtime() instanceof TimeWish.Keep ? done(null) : data.tell(node);
    CompletableFuture<NodeChange> changed =
        told.thenCompose(
                nothing ->
                    in(
                        node,
                        calls -> calls.set(by, node.object(), NodeCodec.wish(wish), guardNanos)))
            .thenApply(reply -> change(node, reply.getNode()));
    return wish.sizeBytes().isEmpty()
        ? changed
        : changed.thenCompose(
            first ->
                resized(node, first.after().orElseThrow(), wish)
                    .thenApply(after -> NodeChange.now(after)));
  }

  /** The length comes last: a file of that length already is touched all the same (POSIX). */
  private CompletableFuture<NodeAttributes> resized(
      NodeId id, NodeAttributes node, AttributesWish wish) {
    long sizeBytes = wish.sizeBytes().getAsLong();
    if (node.sizeBytes() == sizeBytes) {
      AttributesWish touch = AttributesWish.NOTHING.withMtime(TimeWish.NOW);
      return wish.mtime() instanceof TimeWish.Keep
          ? set(SUPERUSER, id, touch, OptionalLong.empty())
              .thenApply(change -> change.after().orElseThrow())
          : CompletableFuture.completedFuture(node);
    }
    return data.setLength(id, sizeBytes)
        .thenCompose(
            nothing ->
                wish.mtime() instanceof TimeWish.At at
                    ? set(SUPERUSER, id, AttributesWish.NOTHING.withMtime(at), OptionalLong.empty())
                        .thenApply(change -> change.after().orElseThrow())
                    : looked(SUPERUSER, id).thenApply(reply -> node(id, reply)));
  }

  @Override
  public Answers.LookedAt lookedAt(NodeId asked, Throwable failure) {
    Answers.LookedAt told = NodeCodec.of(asked).lookedAt(WeftException.of(failure).detail());
    return new Answers.LookedAt(shown(told.node()), told.directory(), told.target());
  }

  @Override
  public CompletableFuture<Answers.Found> lookUp(RequestBy by, NodeId directory, String name) {
    return deliver(found(by, directory, name));
  }

  private CompletableFuture<Answers.Found> found(RequestBy by, NodeId directory, String name) {
    return in(directory, calls -> calls.lookUp(by, directory.object(), name))
        .thenCompose(
            reply -> {
              NodeAttributes above =
                  NodeCodec.of(directory).attributes(reply.getDirectory().getAfter());
              if (reply.getVolumeId() == 0) {
                return CompletableFuture.completedFuture(
                    new Answers.Found(node(directory, reply), above));
              }
              NodeId root = NodeId.rootOf(new PartitionId(reply.getVolumeId()));
              return looked(by, root)
                  .thenApply(there -> new Answers.Found(node(root, there), above));
            });
  }

  @Override
  public CompletableFuture<Answers.Found> parent(RequestBy by, NodeId directory) {
    return deliver(
        in(directory, calls -> calls.parent(by, directory.object()))
            .thenCompose(reply -> parent(directory, reply)));
  }

  private CompletableFuture<Answers.Found> parent(NodeId directory, NodeReply reply) {
    NodeAttributes below = NodeCodec.of(directory).attributes(reply.getDirectory().getAfter());
    String mount = volumes.apply(directory.volume().value()).map(VolumeRow::getPath).orElse(ROOT);
    if (!directory.isRoot() || mount.equals(ROOT)) {
      return CompletableFuture.completedFuture(new Answers.Found(node(directory, reply), below));
    }
    String above = mount.substring(0, Math.max(1, mount.lastIndexOf('/')));
    return resolved(namesOf.apply(above))
        .thenApply(parent -> new Answers.Found(parent, below))
        .exceptionallyCompose(NumberedFiles::ofAnotherVolume);
  }

  /** What that one looked at has numbers of its own. */
  private static <T> CompletableFuture<T> ofAnotherVolume(Throwable failure) {
    return CompletableFuture.failedFuture(WeftException.of(failure).with(ByteString.EMPTY));
  }

  @Override
  public CompletableFuture<Answers.Rights> rights(RequestBy by, NodeId node) {
    return deliver(
        reading
            .known(by, node)
            .map(known -> CompletableFuture.completedFuture(rights(known.rights(), known.node())))
            .orElseGet(
                () ->
                    looked(by, node)
                        .thenApply(reply -> rights(reply.getRights(), node(node, reply)))));
  }

  private static Answers.Rights rights(int bits, NodeAttributes node) {
    return new Answers.Rights(
        (bits & RightBits.READ) != 0,
        (bits & RightBits.WRITE) != 0,
        (bits & RightBits.EXECUTE) != 0,
        node);
  }

  @Override
  public CompletableFuture<Answers.BytesRead> read(
      RequestBy by, NodeId file, long offsetBytes, int countBytes) {
    if (offsetBytes < 0 || countBytes < 0) {
      throw new IllegalArgumentException(
          file + ": " + countBytes + " bytes at " + offsetBytes + " cannot be read");
    }
    return deliver(reading.read(by, file, offsetBytes, countBytes));
  }

  @Override
  public CompletableFuture<AllowedWrite> writable(
      RequestBy by, NodeId file, int countBytes, WriteStability stability) {
    boolean stable = stability == WriteStability.STABLE;
    return deliver(
        reading
            .writable(by, file, stable)
            .thenCompose(node -> countBytes == 0 ? done(node) : withoutRights(by, node))
            .thenApply(node -> (offset, bytes) -> deliver(write(node, offset, bytes, stability))));
  }

  private CompletableFuture<Answers.BytesWritten> write(
      NodeAttributes node, long offsetBytes, Payload bytes, WriteStability stability) {
    NodeId file = node.id();
    int count = bytes.lengthBytes();
    boolean stable = stability == WriteStability.STABLE;
    return data.write(file, offsetBytes, bytes, stable)
        .thenCompose(told -> stable ? synced(file, told) : done(NodeChange.now(data.shown(node))))
        .thenApply(change -> new Answers.BytesWritten(count, stability, change));
  }

  /**
   * The file without setuid and setgid (P 6.5c.8.34): a manager takes them away where it lets a
   * caller set the length, and sets none itself. Durable before a byte is taken.
   */
  private CompletableFuture<NodeAttributes> withoutRights(RequestBy by, NodeAttributes node) {
    if (by.caller().superuser() || !node.runsWithRightsOfItsOwn()) {
      return done(node);
    }
    AttributesWish write = AttributesWish.ofSize(node.sizeBytes());
    RequestBy caller = RequestBy.caller(by.caller());
    return in(
            node.id(),
            calls ->
                calls.set(caller, node.id().object(), NodeCodec.wish(write), OptionalLong.empty()))
        .thenApply(reply -> node(node.id(), reply));
  }

  private static <T> CompletableFuture<T> done(T value) {
    return CompletableFuture.completedFuture(value);
  }

  /** Of a file that was told of, the manager's answer to that has the attributes. */
  private CompletableFuture<NodeChange> synced(NodeId file, Optional<FileAttributes> told) {
    return told.map(
            attributes ->
                CompletableFuture.completedFuture(
                    NodeChange.now(data.shown(NodeCodec.of(file).attributes(attributes)))))
        .orElseGet(
            () -> looked(SUPERUSER, file).thenApply(reply -> NodeChange.now(node(file, reply))));
  }

  @Override
  public CompletableFuture<NodeChange> commit(RequestBy by, NodeId file) {
    return deliver(
        reading
            .writable(by, file, true)
            .thenCompose(node -> data.commit(file))
            .thenCompose(told -> synced(file, told)));
  }

  @Override
  public long losses() {
    return data.losses();
  }

  @Override
  public long lostSessions() {
    return router.lostSessions();
  }

  @Override
  public CompletableFuture<Answers.Made> create(
      RequestBy by, NodeId directory, String name, CreateWish how) {
    AttributesWish wish = AttributesWish.NOTHING;
    MakeNodeRequest.Builder request = MakeNodeRequest.newBuilder().setKind(FileKind.FILE);
    if (how instanceof CreateWish.Unchecked unchecked) {
      wish = unchecked.attributes();
      request.setMode(MakeMode.UNCHECKED);
    } else if (how instanceof CreateWish.Guarded guarded) {
      wish = guarded.attributes();
    } else if (how instanceof CreateWish.Exclusive exclusive) {
      request.setMode(MakeMode.EXCLUSIVE).setVerifier(exclusive.verifier());
    }
    AttributesWish wanted = wish;
    return deliver(
        made(by, directory, name, request, wanted)
            .thenCompose(made -> withLength(made, wanted.sizeBytes())));
  }

  private CompletableFuture<Answers.Made> withLength(Answers.Made made, OptionalLong sizeBytes) {
    boolean asMade = sizeBytes.isEmpty() || made.made() && sizeBytes.getAsLong() == 0;
    return asMade
        ? CompletableFuture.completedFuture(made)
        : resized(made.node().id(), made.node(), AttributesWish.ofSize(sizeBytes.getAsLong()))
            .thenApply(node -> new Answers.Made(node, made.directory(), made.made()));
  }

  private CompletableFuture<Answers.Made> made(
      RequestBy by,
      NodeId directory,
      String name,
      MakeNodeRequest.Builder what,
      AttributesWish wish) {
    MakeNodeRequest request =
        what.setDirectoryId(directory.object().value())
            .setName(name)
            .setWish(NodeCodec.wish(wish))
            .build();
    return in(directory, calls -> calls.make(by, request))
        .thenApply(
            reply ->
                new Answers.Made(
                    node(directory, reply),
                    change(directory, reply.getDirectory()),
                    reply.getMade()));
  }

  @Override
  public CompletableFuture<Answers.Made> make(
      RequestBy by, NodeId directory, String name, NewNode node) {
    MakeNodeRequest.Builder request = MakeNodeRequest.newBuilder();
    if (node instanceof NewNode.Directory) {
      request.setKind(FileKind.DIRECTORY);
    } else if (node instanceof NewNode.Symlink link) {
      request.setKind(FileKind.SYMLINK).setSymlinkTarget(link.target());
    } else if (node instanceof NewNode.Special special) {
      request
          .setKind(NodeCodec.kind(special.type()))
          .setRdevMajor(special.major())
          .setRdevMinor(special.minor());
    }
    return deliver(
        made(by, directory, name, request, node.attributes().withSize(OptionalLong.empty())));
  }

  @Override
  public CompletableFuture<Answers.Removed> remove(RequestBy by, NodeId directory, String name) {
    return deliver(removed(by, directory, name, false));
  }

  @Override
  public CompletableFuture<Answers.Removed> removeDirectory(
      RequestBy by, NodeId directory, String name) {
    return deliver(removed(by, directory, name, true));
  }

  private CompletableFuture<Answers.Removed> removed(
      RequestBy by, NodeId directory, String name, boolean isDirectory) {
    return in(directory, calls -> calls.remove(by, directory.object(), name, isDirectory))
        .thenApply(
            reply -> {
              NodeChange node =
                  reply.hasNode() ? change(directory, reply.getNode()) : NodeChange.UNKNOWN;
              gone(node);
              return new Answers.Removed(change(directory, reply.getDirectory()), node);
            });
  }

  /** A file that lost its last name is closed. */
  private void gone(NodeChange node) {
    node.after()
        .filter(after -> after.type() == NodeType.FILE && after.links() == 0)
        .ifPresent(after -> data.removed(after.id()));
  }

  @Override
  public CompletableFuture<Answers.Renamed> rename(
      RequestBy by, NodeId from, String oldName, NodeId to, String newName) {
    if (!from.volume().equals(to.volume())) {
      return deliver(
          CompletableFuture.failedFuture(
              new WeftException(
                  ErrorCode.CROSS_VOLUME,
                  from + "/" + oldName + " cannot be moved to " + to + ", in another volume")));
    }
    return deliver(
        in(from, calls -> calls.move(by, from.object(), oldName, to.object(), newName))
            .thenApply(reply -> renamed(from, to, reply)));
  }

  private Answers.Renamed renamed(NodeId from, NodeId to, NodeReply reply) {
    NodeChange old = change(from, reply.getDirectory());
    Optional<NodeChange> replaced =
        reply.hasReplaced() ? Optional.of(change(to, reply.getReplaced())) : Optional.empty();
    replaced.ifPresent(this::gone);
    return new Answers.Renamed(
        old,
        reply.hasTarget() ? change(to, reply.getTarget()) : old,
        change(to, reply.getNode()),
        replaced);
  }

  @Override
  public CompletableFuture<Answers.Linked> link(
      RequestBy by, NodeId node, NodeId directory, String name) {
    if (!node.volume().equals(directory.volume())) {
      return deliver(
          CompletableFuture.failedFuture(
              new WeftException(
                  ErrorCode.CROSS_VOLUME,
                  node + " cannot have a name in " + directory + ", in another volume")));
    }
    return deliver(
        in(node, calls -> calls.link(by, node.object(), directory.object(), name))
            .thenApply(
                reply ->
                    new Answers.Linked(
                        change(node, reply.getNode()), change(directory, reply.getDirectory()))));
  }

  @Override
  public CompletableFuture<Answers.Page> list(
      RequestBy by, NodeId directory, long behindCookie, int mostEntries, boolean withAttributes) {
    return deliver(
        in(
                directory,
                calls ->
                    calls.list(by, directory.object(), behindCookie, mostEntries, withAttributes))
            .thenApply(reply -> NodeCodec.of(directory).page(directory, reply)));
  }

  @Override
  public CompletableFuture<Answers.Space> space(RequestBy by, NodeId node) {
    return deliver(
        looked(by, node)
            .thenCompose(
                reply ->
                    router
                        .in(
                            node.volume().value(),
                            calls -> calls.quotas().spaceOf(node.object().value()))
                        .thenApply(space -> UsableSpace.of(space, node(node, reply)))));
  }
}
