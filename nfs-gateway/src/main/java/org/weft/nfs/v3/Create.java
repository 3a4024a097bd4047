package org.weft.nfs.v3;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.client.ids.CreateWish;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileException;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.XdrReader;

/** CREATE, RFC 1813 section 3.3.8. */
final class Create extends Making<Create.Arguments> {
  private static final int UNCHECKED = 0;
  private static final int GUARDED = 1;
  private static final int EXCLUSIVE = 2;

  /** createhow3. */
  sealed interface How permits Unchecked, Guarded, Exclusive {}

  record Unchecked(Sattr3 attributes) implements How {}

  record Guarded(Sattr3 attributes) implements How {}

  record Exclusive(long verifier) implements How {}

  /** CREATE3args. */
  record Arguments(DirOp where, How how) {}

  Create(Nfs3Services nfs) {
    super(nfs);
  }

  @Override
  Arguments arguments(XdrReader in) throws MalformedXdrException {
    DirOp where = DirOp.read(in);
    How how =
        switch (in.choice(EXCLUSIVE)) {
          case UNCHECKED -> new Unchecked(Sattr3.read(in));
          case GUARDED -> new Guarded(Sattr3.read(in));
          default -> new Exclusive(in.int64());
        };
    return new Arguments(where, how);
  }

  @Override
  Optional<Sattr3> attributes(Arguments arguments) {
    if (arguments.how() instanceof Unchecked unchecked) {
      return Optional.of(unchecked.attributes());
    }
    return arguments.how() instanceof Guarded guarded
        ? Optional.of(guarded.attributes())
        : Optional.empty();
  }

  @Override
  CompletionStage<? extends OncReply> answer(RpcCall call, Arguments arguments)
      throws FileException {
    Gatekeeper.Entry entry = enter(arguments.where(), call);
    return made(
        entry,
        nfs.files()
            .create(entry.by(), entry.file(), newName(arguments.where()), mode(arguments.how())));
  }

  private CreateWish mode(How how) throws FileException {
    if (how instanceof Unchecked unchecked) {
      return new CreateWish.Unchecked(unchecked.attributes().change(identities()));
    }
    if (how instanceof Guarded guarded) {
      return new CreateWish.Guarded(guarded.attributes().change(identities()));
    }
    if (how instanceof Exclusive exclusive) {
      return new CreateWish.Exclusive(exclusive.verifier());
    }
    throw new AssertionError("an unknown way to create: " + how);
  }
}
