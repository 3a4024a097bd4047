package org.weft.nfs.v3;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.weft.nfs.files.AccessRight;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Touched;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** ACCESS, RFC 1813 section 3.3.4. */
final class Access extends Procedure<Access.Arguments> {
  /**
   * ACCESS3args.
   *
   * @param wanted bits, of which unknown ones are not granted
   */
  record Arguments(byte[] object, int wanted) {}

  private static final Set<AccessRight> CHANGES =
      EnumSet.of(AccessRight.MODIFY, AccessRight.EXTEND, AccessRight.DELETE);

  Access(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    return new Arguments(DirOp.handle(in), in.int32());
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    var entry = nfs.gate().enter(arguments.object(), call);
    Set<AccessRight> wanted = EnumSet.noneOf(AccessRight.class);
    for (AccessRight right : AccessRight.values()) {
      if ((arguments.wanted() & bit(right)) != 0) {
        wanted.add(right);
      }
    }
    if (entry.export().readOnly()) {
      wanted.removeAll(CHANGES);
    }
    return nfs.files()
        .access(entry.by(), entry.file(), wanted)
        .thenApply(
            granted ->
                Nfs3Result.ok(
                    postOp(granted.node()), out -> out.int32(bits(granted.rights(), wanted))));
  }

  private static int bits(Set<AccessRight> granted, Set<AccessRight> wanted) {
    return granted.stream()
        .filter(wanted::contains)
        .mapToInt(Access::bit)
        .reduce(0, (one, two) -> one | two);
  }

  private static int bit(AccessRight right) {
    return switch (right) {
      case READ -> 0x01;
      case LOOK_UP -> 0x02;
      case MODIFY -> 0x04;
      case EXTEND -> 0x08;
      case DELETE -> 0x10;
      case EXECUTE -> 0x20;
    };
  }

  @Override
  OncReply failed(Nfs3Status status, Touched touched) {
    return Nfs3Result.of(status, postOp(touched.node()));
  }
}
