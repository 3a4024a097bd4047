package org.weft.nfs.v3;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.client.ids.NewNode;
import org.weft.client.ids.NodeType;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** MKNOD, RFC 1813 section 3.3.11. */
final class MkNod extends Making<MkNod.Arguments> {
  private static final int BLOCK = 3;
  private static final int CHARACTER = 4;
  private static final int SOCKET = 6;
  private static final int FIFO = 7;

  /** mknoddata3. */
  sealed interface What permits Special, Other {}

  record Special(NodeType type, Sattr3 attributes, int major, int minor) implements What {}

  /** A type that is made by another procedure, or by none. */
  record Other(int type) implements What {}

  /** MKNOD3args. */
  record Arguments(DirOp where, What what) {}

  MkNod(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    DirOp where = DirOp.read(in);
    int type = in.int32();
    What what =
        switch (type) {
          case BLOCK -> device(NodeType.BLOCK_DEVICE, in);
          case CHARACTER -> device(NodeType.CHARACTER_DEVICE, in);
          case SOCKET -> new Special(NodeType.SOCKET, Sattr3.read(in), 0, 0);
          case FIFO -> new Special(NodeType.FIFO, Sattr3.read(in), 0, 0);
          default -> new Other(type);
        };
    return new Arguments(where, what);
  }

  private static Special device(NodeType type, XdrReader in) throws MalformedXdrException {
    return new Special(type, Sattr3.read(in), in.int32(), in.int32());
  }

  @Override
  Optional<Sattr3> attributes(Arguments arguments) {
    return arguments.what() instanceof Special special
        ? Optional.of(special.attributes())
        : Optional.empty();
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    if (arguments.what() instanceof Special special) {
      return make(
          call,
          arguments.where(),
          new NewNode.Special(
              special.attributes().change(identities()),
              special.type(),
              special.major(),
              special.minor()));
    }
    throw new FileException(
        FileError.BAD_TYPE, "MKNOD makes devices, sockets and FIFOs: " + arguments.what());
  }
}
