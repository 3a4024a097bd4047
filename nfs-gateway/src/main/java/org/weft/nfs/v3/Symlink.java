package org.weft.nfs.v3;

import com.google.protobuf.ByteString;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.client.ids.NewNode;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** SYMLINK, RFC 1813 section 3.3.10. */
final class Symlink extends Making<Symlink.Arguments> {
  /** nfspath3: longer ones are of no use to any client. */
  static final int MAX_TARGET_BYTES = 4_096;

  /** SYMLINK3args. */
  record Arguments(DirOp where, Sattr3 attributes, byte[] target) {}

  Symlink(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    // Twice as long, so that a target that is too long gets NAMETOOLONG.
    return new Arguments(DirOp.read(in), Sattr3.read(in), in.opaque(2 * MAX_TARGET_BYTES));
  }

  @Override
  Optional<Sattr3> attributes(Arguments arguments) {
    return Optional.of(arguments.attributes());
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    byte[] target = arguments.target();
    if (target.length == 0) {
      throw new FileException(FileError.INVALID, "a symbolic link leads somewhere");
    }
    if (target.length > MAX_TARGET_BYTES) {
      throw new FileException(
          FileError.NAME_TOO_LONG,
          "a target has at most " + MAX_TARGET_BYTES + " bytes, this one has " + target.length);
    }
    return make(
        call,
        arguments.where(),
        new NewNode.Symlink(
            arguments.attributes().change(identities()), ByteString.copyFrom(target)));
  }
}
