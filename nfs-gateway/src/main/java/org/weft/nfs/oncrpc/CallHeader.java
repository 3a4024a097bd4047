package org.weft.nfs.oncrpc;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.zip.CRC32C;

/**
 * The head of a call (RFC 5531 section 9), in 32-bit words:
 *
 * <pre>
 *  xid | CALL = 0 | RPC version = 2 | program | version | procedure
 *  credential: flavor, length, body | verifier: flavor, length, body | arguments
 * </pre>
 */
final class CallHeader {
  /** Two names and two handles stand in the arguments' first bytes. */
  private static final int CHECKED_BYTES = 2_048;

  /** What a record turned out to be. */
  sealed interface Read permits Call, Refused {}

  /** A call; the reader stands at its arguments. */
  record Call(RpcCall call) implements Read {}

  /** A call that is answered without being carried out. */
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
    int checksum = checksum(record);
    int program = in.int32();
    int version = in.int32();
    int procedure = in.int32();
    RpcCredential credential;
    int flavor = in.int32();
    try {
      byte[] body = in.opaque(RpcCredential.MOST_BODY_BYTES);
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
    try {
      // With AUTH_SYS it is AUTH_NONE's; other servers do not look either.
      in.int32();
      in.opaque(RpcCredential.MOST_BODY_BYTES);
    } catch (MalformedXdrException e) {
      return new Refused(xid, new RpcRefusal.AuthError(AuthStatus.BAD_VERIFIER));
    }
    return new Call(
        new RpcCall(xid, program, version, procedure, credential, client, server, checksum));
  }

  private static Refused badCredential(int xid) {
    return new Refused(xid, new RpcRefusal.AuthError(AuthStatus.BAD_CREDENTIAL));
  }

  /** Over program, version, procedure and what follows, and the length of the whole record. */
  private static int checksum(ArrivedRecord record) {
    ByteBuf bytes = record.bytes();
    int checked = Math.min(CHECKED_BYTES, bytes.readableBytes());
    CRC32C crc = new CRC32C();
    crc.update(bytes.nioBuffer(bytes.readerIndex(), checked));
    return (int) crc.getValue() ^ record.lengthBytes();
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
