package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** A procedure that is given the handle of a node alone, and changes nothing. */
abstract class NodeProcedure extends Procedure<byte[]> {
  NodeProcedure(Nfs3Services nfs) {
    super(nfs);
  }

  abstract CompletionStage<Nfs3Result> answer(Gatekeeper.Entry node);

  @Override
  final byte[] arguments(XdrReader in) throws MalformedXdrException {
    return DirOp.handle(in);
  }

  @Override
  final CompletionStage<? extends OncReply> answer(RpcCall call, byte[] handle)
      throws FileException {
    return answer(nfs.gate().enter(handle, call));
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Nfs3Result.of(status, postOp(touched.node()));
  }
}
