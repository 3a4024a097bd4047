package org.weft.nfs.v3;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.client.ids.NewNode;
import org.weft.nfs.files.FileException;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** MKDIR, RFC 1813 section 3.3.9. */
final class MkDir extends Making<MkDir.Arguments> {
  /** MKDIR3args. */
  record Arguments(DirOp where, Sattr3 attributes) {}

  MkDir(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    return new Arguments(DirOp.read(in), Sattr3.read(in));
  }

  @Override
  Optional<Sattr3> attributes(Arguments arguments) {
    return Optional.of(arguments.attributes());
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    return make(
        call,
        arguments.where(),
        new NewNode.Directory(arguments.attributes().change(identities())));
  }
}
