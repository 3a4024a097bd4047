package org.weft.nfs.v3;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.FileException;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** READDIRPLUS, RFC 1813 section 3.3.17. */
final class ReadDirPlus extends Listing<ReadDirPlus.Arguments> {
  /**
   * READDIRPLUS3args.
   *
   * @param nameBytes unsigned; dircount, a bound of names, file ids and cookies
   * @param count unsigned; maxcount, bytes that READDIRPLUS3resok may have
   */
  record Arguments(byte[] directory, long cookie, long verifier, int nameBytes, int count) {}

  ReadDirPlus(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    return new Arguments(DirOp.handle(in), in.int64(), in.int64(), in.int32(), in.int32());
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    var entry = nfs.gate().enter(arguments.directory(), call);
    Cookies.check(arguments.cookie(), arguments.verifier());
    return page(
            entry,
            arguments.cookie(),
            room(arguments.count()),
            Optional.of(room(arguments.nameBytes())))
        .thenApply(page -> result(page, DirEntry::writePlus));
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
        arguments.nameBytes(),
        replyBytes - USUAL_REPLY_BYTES);
  }
}
