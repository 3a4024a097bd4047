package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/** COMMIT, RFC 1813 section 3.3.21. */
final class Commit extends Procedure<Commit.Arguments> {
  /**
   * COMMIT3args.
   *
   * @param offset unsigned
   * @param count unsigned; 0 for all from the offset on
   */
  record Arguments(byte[] file, long offset, int count) {}

  /** COMMIT3resok. */
  record Done(Wcc file, long verifier) implements OncReply {
    @Override
    public void write(XdrWriter out) {
      out.int32(Nfs3Status.OK.number());
      file.write(out);
      out.int64(verifier);
    }
  }

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
        .thenApply(committed -> new Done(wcc(committed.node()), committed.verifier()));
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Failed.of(status, wcc(touched.node()));
  }
}
