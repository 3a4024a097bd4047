package org.weft.nfs.oncrpc;

/**
 * The head of a reply (RFC 5531 section 9), in 32-bit words:
 *
 * <pre>
 *  xid | REPLY = 1 | MSG_ACCEPTED = 0 | verifier: AUTH_NONE = 0, length 0 | accept_stat | result
 *  xid | REPLY = 1 | MSG_DENIED = 1 | RPC_MISMATCH = 0, 2, 2 or AUTH_ERROR = 1, auth_stat
 * </pre>
 */
final class ReplyHeader {
  static final int CALL = 0;
  static final int REPLY = 1;
  static final int RPC_VERSION = 2;

  private static final int ACCEPTED = 0;
  private static final int DENIED = 1;

  private static final int SUCCESS = 0;
  private static final int PROG_UNAVAIL = 1;
  private static final int PROG_MISMATCH = 2;
  private static final int PROC_UNAVAIL = 3;
  private static final int GARBAGE_ARGS = 4;
  private static final int SYSTEM_ERR = 5;

  private static final int RPC_MISMATCH = 0;
  private static final int AUTH_ERROR = 1;

  private ReplyHeader() {}

  /** A result follows. */
  static void writeSuccess(XdrWriter out, int xid) {
    writeAccepted(out, xid, SUCCESS);
  }

  static void write(XdrWriter out, int xid, RpcRefusal refusal) {
    if (refusal instanceof RpcRefusal.VersionMismatch) {
      out.int32(xid).int32(REPLY).int32(DENIED).int32(RPC_MISMATCH);
      out.int32(RPC_VERSION).int32(RPC_VERSION);
    } else if (refusal instanceof RpcRefusal.AuthError error) {
      out.int32(xid).int32(REPLY).int32(DENIED).int32(AUTH_ERROR).int32(error.why().number());
    } else if (refusal instanceof RpcRefusal.ProgramMismatch mismatch) {
      writeAccepted(out, xid, PROG_MISMATCH);
      out.int32(mismatch.lowest()).int32(mismatch.highest());
    } else if (refusal instanceof RpcRefusal.ProgramUnavailable) {
      writeAccepted(out, xid, PROG_UNAVAIL);
    } else if (refusal instanceof RpcRefusal.ProcedureUnavailable) {
      writeAccepted(out, xid, PROC_UNAVAIL);
    } else if (refusal instanceof RpcRefusal.GarbageArguments) {
      writeAccepted(out, xid, GARBAGE_ARGS);
    } else if (refusal instanceof RpcRefusal.SystemError) {
      writeAccepted(out, xid, SYSTEM_ERR);
    } else {
      throw new AssertionError("a refusal without a form: " + refusal);
    }
  }

  private static void writeAccepted(XdrWriter out, int xid, int status) {
    out.int32(xid).int32(REPLY).int32(ACCEPTED);
    out.int32(RpcCredential.NONE_FLAVOR).int32(0).int32(status);
  }

  /**
   * Reads what follows the transaction's number, up to the result.
   *
   * @throws RpcFailedException if the call was refused
   */
  static void readSuccess(XdrReader in) throws MalformedXdrException, RpcFailedException {
    if (in.int32() != REPLY) {
      throw new MalformedXdrException("a reply was wanted, this is another message");
    }
    if (in.choice(DENIED) == DENIED) {
      throw in.choice(AUTH_ERROR) == RPC_MISMATCH
          ? new RpcFailedException("the server speaks RPC " + in.uint32() + " to " + in.uint32())
          : new RpcFailedException("the server does not accept the credential: " + in.uint32());
    }
    in.int32();
    in.opaque(RpcCredential.MAX_BODY_BYTES);
    int status = in.choice(SYSTEM_ERR);
    switch (status) {
      case SUCCESS -> {}
      case PROG_UNAVAIL -> throw new RpcFailedException("the server has no such program");
      case PROG_MISMATCH ->
          throw new RpcFailedException(
              "the server has versions " + in.uint32() + " to " + in.uint32() + " of the program");
      case PROC_UNAVAIL -> throw new RpcFailedException("the program has no such procedure");
      case GARBAGE_ARGS -> throw new RpcFailedException("the server cannot read the arguments");
      default -> throw new RpcFailedException("the server failed while it carried out the call");
    }
  }
}
