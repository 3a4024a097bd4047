package org.weft.nfs.oncrpc;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.CRC32C;

/**
 * Marks calls, so that their repeats are known at every gateway. The digest is of SHA-256, cut to
 * 16 bytes, over what follows, in this order:
 *
 * <pre>
 *  program | version | procedure | flavor of the credential
 *  AUTH_SYS: length and body without the stamp, which some clients draw anew for a repeat
 *  arguments as far as the procedure reads them, of a payload only the first 2,048 bytes
 * </pre>
 *
 * <p>No program finds other arguments, or a call of another user, with the same digest. The digest
 * leaves out the stamp, and the bytes of a payload behind the first 2,048. Two writes of one user,
 * of one number, to one place, that differ only there are one call, while the first is under way.
 * Confined to the thread of one connection.
 */
final class CallMarker {
  /** Two names and two handles stand in the arguments' first bytes. */
  private static final int CHECKED_BYTES = 2_048;

  static final int PAYLOAD_BYTES = 2_048;

  private final MessageDigest sha = sha256();
  private final CRC32C crc = new CRC32C();

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * The mark of a call whose arguments were read.
   *
   * @param arguments stands where the procedure stopped
   */
  CallMark mark(CallHeader.Call call, XdrReader arguments) {
    ByteBuf bytes = arguments.bytes();
    int end = arguments.hashedUpTo(PAYLOAD_BYTES);
    int beforeStamp = CallHeader.STAMP_OFFSET;
    boolean hasStamp = call.call().credential() instanceof RpcCredential.Sys;
    feed(bytes, call.programIndex(), beforeStamp);
    if (hasStamp) {
      int from = call.programIndex() + beforeStamp + Integer.BYTES;
      feed(bytes, from, call.credentialEndIndex() - from);
    }
    feed(bytes, call.argumentsIndex(), end - call.argumentsIndex());
    ByteBuffer digest = ByteBuffer.wrap(sha.digest());
    return new CallMark(checksum(call, bytes), digest.getLong(), digest.getLong());
  }

  private void feed(ByteBuf bytes, int index, int length) {
    sha.update(bytes.nioBuffer(index, length));
  }

  /** Over program, version, procedure and what follows, and the length of the whole record. */
  private int checksum(CallHeader.Call call, ByteBuf bytes) {
    int length = bytes.writerIndex() - call.programIndex();
    crc.reset();
    crc.update(bytes.nioBuffer(call.programIndex(), Math.min(CHECKED_BYTES, length)));
    return (int) crc.getValue() ^ call.recordBytes();
  }
}
