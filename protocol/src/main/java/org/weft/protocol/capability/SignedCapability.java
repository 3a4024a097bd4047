package org.weft.protocol.capability;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;

/**
 * A capability as its holder has it: the encoded bytes to send along, and the secret to sign with.
 */
public record SignedCapability(ByteString encoded, byte[] secret) {
  /** Made by a holder of the partition's working key. */
  public static SignedCapability sign(Capability capability, byte[] workingKey) {
    byte[] encoded = capability.encode();
    return new SignedCapability(
        UnsafeByteOperations.unsafeWrap(encoded), Hmac.sha256(workingKey, encoded));
  }
}
