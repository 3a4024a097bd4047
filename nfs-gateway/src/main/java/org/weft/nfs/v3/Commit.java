package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** COMMIT, RFC 1813 section 3.3.21. */
final class Commit extends Procedure<Commit.Arguments> {
  /**
   * COMMIT3args.
   *
   * @param offset unsigned
   * @param count unsigned; 0 for all from the offset on
   */
  record Arguments(byte[] file, long offset, int count) {}

  Commit(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    return new Arguments(DirOp.handle(in), in.int64(), in.int32());
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    var entry = nfs.gate().enter(arguments.file(), call).forChange();
    if (arguments.offset() < 0) {
      throw new FileException(
          FileError.INVALID, "a file has no byte " + Long.toUnsignedString(arguments.offset()));
    }
    long count = Integer.toUnsignedLong(arguments.count());
    return nfs.files()
        .commit(entry.by(), entry.file(), arguments.offset(), count)
        .thenApply(
            committed ->
                Nfs3Result.ok(wcc(committed.node()), out -> out.int64(committed.verifier())));
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Nfs3Result.of(status, wcc(touched.node()));
  }
}
