package org.weft.nfs.v3;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.Stability;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.rpc.Payload;

/** WRITE, RFC 1813 section 3.3.7. */
final class Write extends Procedure<Write.Arguments> {
  /**
   * WRITE3args.
   *
   * @param offset unsigned
   * @param data as long as the count says
   */
  record Arguments(byte[] file, long offset, Stability stable, Payload data) {}

  /** stable_how: UNSTABLE, DATA_SYNC and FILE_SYNC. */
  private static final Stability[] STABLE_HOW = {
    Stability.UNSTABLE, Stability.DATA, Stability.FILE
  };

  Write(Nfs3Services nfs) {
    super(nfs, Repeats.JOIN_THE_FIRST);
  }

  private static int number(Stability stability) {
    return switch (stability) {
      case UNSTABLE -> 0;
      case DATA -> 1;
      case FILE -> 2;
    };
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    byte[] file = DirOp.handle(in);
    long offset = in.int64();
    long count = in.uint32();
    Stability stable = STABLE_HOW[in.choice(STABLE_HOW.length - 1)];
    Payload data = in.payload(nfs.files().limits().mostWriteBytes());
    if (data.lengthBytes() != count) {
      data.release();
      throw new MalformedXdrException(
          "a WRITE of " + count + " bytes comes with " + data.lengthBytes());
    }
    return new Arguments(file, offset, stable, data);
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    Payload data = arguments.data();
    boolean given = false;
    try {
      var entry = nfs.gate().enter(arguments.file(), call).forChange();
      if (arguments.offset() < 0
          || arguments.offset() > nfs.files().limits().mostFileBytes() - data.lengthBytes()) {
        throw new FileException(
            FileError.TOO_LARGE, "a file has no byte " + Long.toUnsignedString(arguments.offset()));
      }
      given = true;
      return nfs.files()
          .write(entry.by(), entry.file(), arguments.offset(), data, arguments.stable())
          .thenApply(written -> Nfs3Result.ok(wcc(written.node()), out -> write(written, out)));
    } finally {
      if (!given) {
        data.release();
      }
    }
  }

  private static void write(FileReply.Written written, XdrWriter out) {
    out.int32(written.countBytes()).int32(number(written.stability())).int64(written.verifier());
  }

  @Override
  void drop(Arguments arguments) {
    arguments.data().release();
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Nfs3Result.of(status, wcc(touched.node()));
  }
}
