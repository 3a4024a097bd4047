package org.weft.metadata.volume;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.Device;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.number.LinkNode;
import org.weft.metadata.volume.operation.number.ListNodes;
import org.weft.metadata.volume.operation.number.LookUpNode;
import org.weft.metadata.volume.operation.number.MakeNode;
import org.weft.metadata.volume.operation.number.MoveName;
import org.weft.metadata.volume.operation.number.NodeWish;
import org.weft.metadata.volume.operation.number.RemoveName;
import org.weft.metadata.volume.operation.number.SetNode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.ListNodesReply;
import org.weft.protocol.wire.NodeReply;

/** Requests for nodes by their numbers, as calls for one user. */
record NumberedClient(TestClient client, Credentials credentials) {
  static final Credentials ROOT = new Credentials("root", List.of("root"), true);

  static NodeWish mode(int bits) {
    return new NodeWish(
        OptionalInt.of(bits),
        Optional.empty(),
        Optional.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        false,
        false,
        OptionalLong.empty());
  }

  static NodeWish owner(String user) {
    return new NodeWish(
        OptionalInt.empty(),
        Optional.of(user),
        Optional.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        false,
        false,
        OptionalLong.empty());
  }

  NumberedClient as(Credentials other) {
    return new NumberedClient(client, other);
  }

  private NodeReply ask(Operation operation) throws WeftException {
    try {
      return NodeReply.parseFrom(client.execute(credentials, operation).reply().toByteString());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  FileAttributes look(long node) throws WeftException {
    return ask(new LookUpNode(new ObjectId(node), "", false)).getNode().getAfter();
  }

  /** With a read grant, where that can be given. */
  NodeReply lookToRead(long node) throws WeftException {
    return ask(new LookUpNode(new ObjectId(node), "", false, true, false));
  }

  /** With a grant of the rights, where that can be given. */
  NodeReply lookToWrite(long node) throws WeftException {
    return ask(new LookUpNode(new ObjectId(node), "", false, false, true));
  }

  NodeReply lookUp(long directory, String name) throws WeftException {
    return ask(new LookUpNode(new ObjectId(directory), name, false));
  }

  NodeReply parent(long directory) throws WeftException {
    return ask(new LookUpNode(new ObjectId(directory), "", true));
  }

  NodeReply make(
      long directory, String name, NodeKind kind, MakeNode.Mode mode, NodeWish wish, long verifier)
      throws WeftException {
    return ask(
        new MakeNode(
            new ObjectId(directory),
            name,
            kind,
            mode,
            wish,
            verifier,
            kind == NodeKind.SYMLINK ? ByteString.copyFromUtf8("to/" + name) : ByteString.EMPTY,
            Device.NONE));
  }

  NodeReply make(long directory, String name, NodeKind kind, NodeWish wish) throws WeftException {
    return make(directory, name, kind, MakeNode.Mode.GUARDED, wish, 0);
  }

  NodeReply remove(long directory, String name, boolean isDirectory) throws WeftException {
    return ask(new RemoveName(new ObjectId(directory), name, isDirectory));
  }

  NodeReply move(long from, String name, long to, String newName) throws WeftException {
    return ask(new MoveName(new ObjectId(from), name, new ObjectId(to), newName));
  }

  NodeReply link(long node, long directory, String name) throws WeftException {
    return ask(new LinkNode(new ObjectId(node), new ObjectId(directory), name));
  }

  NodeReply set(long node, NodeWish wish, OptionalLong guard) throws WeftException {
    return ask(new SetNode(new ObjectId(node), wish, guard));
  }

  List<DirectoryEntry> list(long directory, int page) throws WeftException {
    List<DirectoryEntry> all = new ArrayList<>();
    long cookie = 0;
    while (true) {
      ListNodesReply reply;
      try {
        reply =
            ListNodesReply.parseFrom(
                client
                    .execute(
                        credentials, new ListNodes(new ObjectId(directory), cookie, page, true))
                    .reply()
                    .toByteString());
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError(e);
      }
      all.addAll(reply.getEntriesList());
      if (reply.getEnd()) {
        return all;
      }
      cookie = all.get(all.size() - 1).getCookie();
    }
  }
}
