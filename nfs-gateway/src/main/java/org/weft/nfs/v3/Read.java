package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.rpc.Payload;

/** READ, RFC 1813 section 3.3.6. */
final class Read extends Procedure<Read.Arguments> {
  /**
   * READ3args.
   *
   * @param offset unsigned
   * @param count unsigned
   */
  record Arguments(byte[] file, long offset, int count) {}

  /** READ3resok. */
  record Done(PostOp file, Payload data, boolean eof) implements OncReply {
    @Override
    public void write(XdrWriter out) {
      out.int32(Nfs3Status.OK.number());
      file.write(out);
      out.int32(data.lengthBytes()).bool(eof).payload(data);
    }

    @Override
    public void drop() {
      data.release();
    }
  }

  Read(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    return new Arguments(DirOp.handle(in), in.int64(), in.int32());
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    var entry = nfs.gate().enter(arguments.file(), call);
    // No file reaches beyond the signed numbers; there is nothing to read.
    long offset = arguments.offset() < 0 ? Long.MAX_VALUE : arguments.offset();
    return nfs.files()
        .read(entry.by(), entry.file(), offset, countBytes(arguments))
        .thenApply(read -> new Done(postOp(read.node()), read.bytes(), read.atEnd()));
  }

  /** A server may answer with less than was asked for. */
  private int countBytes(Arguments arguments) {
    long most = nfs.files().limits().mostReadBytes();
    return (int) Math.min(most, Integer.toUnsignedLong(arguments.count()));
  }

  @Override
  int mostReplyBytes(Arguments arguments) {
    return countBytes(arguments) + USUAL_REPLY_BYTES;
  }

  @Override
  Arguments within(Arguments arguments, int replyBytes) {
    return new Arguments(arguments.file(), arguments.offset(), replyBytes - USUAL_REPLY_BYTES);
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Nfs3Result.of(status, postOp(touched.node()));
  }
}
