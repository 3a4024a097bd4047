package org.weft.client.number;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.weft.client.cache.GrantedNode;
import org.weft.client.ids.Answers;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.RequestBy;
import org.weft.client.volume.VolumeRouter;
import org.weft.protocol.acl.RightBits;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.NodeReply;

/**
 * Reads of files by their numbers. Rights and attributes are those of one moment of the call: as
 * the session's read grant has them, or as the manager's reply has them. That reply also grants the
 * file for the reads that follow (P 6.5c.8). Thread-safe; never blocks.
 */
final class NumberedReading {
  private final VolumeRouter router;
  private final NumberedData data;

  NumberedReading(VolumeRouter router, NumberedData data) {
    this.router = router;
    this.data = data;
  }

  /** A file as it is granted for reading; empty where its manager is to be asked. */
  Optional<FoundFile> known(RequestBy by, NodeId node) {
    return router
        .known(node.volume().value())
        .flatMap(calls -> calls.numbered().known(by, node.object()))
        .map(granted -> found(node, granted));
  }

  private FoundFile found(NodeId of, GrantedNode granted) {
    NodeAttributes node = data.shown(NodeCodec.of(of).attributes(granted.attributes()));
    return new FoundFile(node, granted.rights(), false, Optional.of(granted.grant()));
  }

  /** A node that a manager tells of, with a length that only this client knows. */
  NodeAttributes node(NodeId of, NodeReply reply) {
    return data.shown(NodeCodec.of(of).attributes(reply.getNode().getAfter()));
  }

  private CompletableFuture<FoundFile> asked(RequestBy by, NodeId node) {
    return router.in(
        node.volume().value(),
        calls ->
            calls.numbered().nodeToRead(by, node.object()).thenApply(reply -> found(node, reply)));
  }

  private FoundFile found(NodeId of, NodeReply reply) {
    return new FoundFile(
        node(of, reply), reply.getRights(), reply.getBeingWritten(), Optional.empty());
  }

  /**
   * A file that the caller may write.
   *
   * @param byGrant what is granted suffices (P 6.5c.8.22): length and times may be others by now
   */
  CompletableFuture<NodeAttributes> writable(RequestBy by, NodeId file, boolean byGrant) {
    // One that is written once, and then renamed or removed, would wait for the recall.
    boolean wished = byGrant && data.isSyncedOften(file);
    Optional<FoundFile> known =
        byGrant
            ? router
                .known(file.volume().value())
                .flatMap(calls -> calls.numbered().knownRights(by, file.object()))
                .map(granted -> found(file, granted))
            : Optional.empty();
    return known
        .map(CompletableFuture::completedFuture)
        .orElseGet(
            () ->
                router.in(
                    file.volume().value(),
                    calls ->
                        (wished
                                ? calls.numbered().nodeToWrite(by, file.object())
                                : calls.numbered().node(by, file.object()))
                            .thenApply(reply -> found(file, reply))))
        .thenApply(
            found -> {
              require(by, found.node(), found.rights(), RightBits.WRITE);
              return found.node();
            });
  }

  /** See {@link org.weft.client.ids.FilesById#read}. */
  CompletableFuture<Answers.BytesRead> read(
      RequestBy by, NodeId file, long offsetBytes, int countBytes) {
    return known(by, file)
        .map(CompletableFuture::completedFuture)
        .orElseGet(() -> asked(by, file))
        .thenCompose(
            found -> {
              require(by, found.node(), found.rights(), RightBits.READ | RightBits.EXECUTE);
              return read(found, offsetBytes, countBytes);
            });
  }

  private CompletableFuture<Answers.BytesRead> read(
      FoundFile found, long offsetBytes, int countBytes) {
    NodeAttributes node = found.node();
    long left = Math.max(0, node.sizeBytes() - offsetBytes);
    int count = (int) Math.min(left, countBytes);
    if (count == 0) {
      return CompletableFuture.completedFuture(
          new Answers.BytesRead(Payload.EMPTY, left == 0, node));
    }
    return data.read(found, offsetBytes, count)
        .thenApply(
            bytes ->
                new Answers.BytesRead(bytes, bytes.lengthBytes() < count || left == count, node));
  }

  /** Of a regular file: the owner may always, since it may have been open when its mode changed. */
  static void require(RequestBy by, NodeAttributes node, int rights, int anyOf) {
    if (node.type() != NodeType.FILE) {
      throw failed(
          node.type() == NodeType.DIRECTORY ? ErrorCode.IS_DIRECTORY : ErrorCode.UNSUPPORTED,
          node.id() + " is of type " + node.type() + " and has no bytes");
    }
    boolean owns = node.owner().equals(by.caller().user());
    if (!owns && (rights & anyOf) == 0) {
      throw failed(
          ErrorCode.PERMISSION_DENIED,
          "user "
              + by.caller().user()
              + " has no permission for the bytes of "
              + node.id()
              + " ("
              + node.owner()
              + ":"
              + node.group()
              + " "
              + Integer.toOctalString(node.mode())
              + ")");
    }
  }

  private static CompletionException failed(ErrorCode code, String message) {
    return new CompletionException(new WeftException(code, message));
  }
}
