package org.weft.nfs.v3;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.weft.client.ids.AttributesWish;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** SETATTR, RFC 1813 section 3.3.2. */
final class SetAttr extends Procedure<SetAttr.Arguments> {
  /**
   * SETATTR3args.
   *
   * @param guardNanos the ctime that the object must have
   */
  record Arguments(byte[] object, Sattr3 attributes, OptionalLong guardNanos) {}

  SetAttr(Nfs3Services nfs) {
    super(nfs, Repeats.ANSWERED_AS_THE_FIRST);
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    byte[] object = DirOp.handle(in);
    Sattr3 attributes = Sattr3.read(in);
    OptionalLong guard = in.bool() ? OptionalLong.of(Nfs3Time.read(in)) : OptionalLong.empty();
    return new Arguments(object, attributes, guard);
  }

  @Override
  Optional<Sattr3> attributes(Arguments arguments) {
    return Optional.of(arguments.attributes());
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    var entry = nfs.gate().enterToChange(arguments.object(), call);
    AttributesWish change = arguments.attributes().change(nfs.gate().identities());
    return nfs.files()
        .setAttributes(entry.by(), entry.file(), change, arguments.guardNanos())
        .thenApply(node -> Nfs3Result.ok(wcc(node)));
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Nfs3Result.of(status, wcc(touched.node()));
  }
}
