package org.weft.nfs.v3;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.FileException;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** READDIR, RFC 1813 section 3.3.16. */
final class ReadDir extends Listing<ReadDir.Arguments> {
  /**
   * READDIR3args.
   *
   * @param count unsigned; bytes that READDIR3resok may have
   */
  record Arguments(byte[] directory, long cookie, long verifier, int count) {}

  ReadDir(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    return new Arguments(DirOp.handle(in), in.int64(), in.int64(), in.int32());
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    var entry = nfs.gate().enter(arguments.directory(), call);
    Cookies.check(arguments.cookie(), arguments.verifier());
    return page(entry, arguments.cookie(), room(arguments.count()), Optional.empty())
        .thenApply(page -> result(page, DirEntry::write));
  }

  @Override
  int mostReplyBytes(Arguments arguments) {
    return room(arguments.count()) + USUAL_REPLY_BYTES;
  }

  @Override
  Arguments within(Arguments arguments, int replyBytes) {
    return new Arguments(
        arguments.directory(),
        arguments.cookie(),
        arguments.verifier(),
        replyBytes - USUAL_REPLY_BYTES);
  }
}
