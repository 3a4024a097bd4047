package org.weft.nfs.oncrpc;

import java.net.InetSocketAddress;

/**
 * The head of a call (RFC 5531 section 9), in 32-bit words:
 *
 * <pre>
 *  xid | CALL = 0 | RPC version = 2 | program | version | procedure
 *  credential: flavor, length, body | verifier: flavor, length, body | arguments
 * </pre>
 */
final class CallHeader {
  /** Behind program, version, procedure, flavor, and the length of the credential. */
  static final int STAMP_OFFSET = 5 * Integer.BYTES;

  /** What a record turned out to be. */
  sealed interface Read permits Call, Refused {}

  /**
   * A call; the reader stands at its arguments.
   *
   * @param call without a mark
   * @param programIndex position of its program in the record
   * @param credentialEndIndex behind the credential's body
   * @param argumentsIndex where the arguments begin
   * @param recordBytes of the whole record
   */
  record Call(
      RpcCall call, int programIndex, int credentialEndIndex, int argumentsIndex, int recordBytes)
      implements Read {}

  /** A call that is answered without being executed. */
  record Refused(int xid, RpcRefusal why) implements Read {}

  private CallHeader() {}

  /**
   * Reads a record from its start.
   *
   * @throws MalformedXdrException if it is no call: there is nothing to answer
   */
  static Read read(
      ArrivedRecord record, XdrReader in, InetSocketAddress client, InetSocketAddress server)
      throws MalformedXdrException {
    int xid = in.int32();
    if (in.int32() != ReplyHeader.CALL) {
      throw new MalformedXdrException("a call was wanted, this is another message");
    }
    if (in.int32() != ReplyHeader.RPC_VERSION) {
      return new Refused(xid, new RpcRefusal.VersionMismatch());
    }
    int programIndex = record.bytes().readerIndex();
    int program = in.int32();
    int version = in.int32();
    int procedure = in.int32();
    RpcCredential credential;
    int flavor = in.int32();
    try {
      byte[] body = in.opaque(RpcCredential.MAX_BODY_BYTES);
      switch (flavor) {
        case RpcCredential.NONE_FLAVOR -> credential = new RpcCredential.None();
        case RpcCredential.SYS_FLAVOR -> credential = RpcCredential.readSys(XdrReader.of(body));
        default -> {
          return badCredential(xid);
        }
      }
    } catch (MalformedXdrException e) {
      return badCredential(xid);
    }
    int credentialEndIndex = record.bytes().readerIndex();
    try {
      // With AUTH_SYS it is AUTH_NONE's; other servers do not look either.
      in.int32();
      in.opaque(RpcCredential.MAX_BODY_BYTES);
    } catch (MalformedXdrException e) {
      return new Refused(xid, new RpcRefusal.AuthError(AuthStatus.BAD_VERIFIER));
    }
    return new Call(
        new RpcCall(xid, program, version, procedure, credential, client, server, CallMark.NONE),
        programIndex,
        credentialEndIndex,
        record.bytes().readerIndex(),
        record.lengthBytes());
  }

  private static Refused badCredential(int xid) {
    return new Refused(xid, new RpcRefusal.AuthError(AuthStatus.BAD_CREDENTIAL));
  }

  /** Writes a call up to its arguments. */
  static void write(
      XdrWriter out, int xid, int program, int version, int procedure, RpcCredential credential) {
    out.int32(xid).int32(ReplyHeader.CALL).int32(ReplyHeader.RPC_VERSION);
    out.int32(program).int32(version).int32(procedure);
    credential.write(out);
    out.int32(RpcCredential.NONE_FLAVOR).int32(0);
  }
}
