package org.weft.client.osd;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.CompleteRequest;
import org.weft.protocol.wire.GetAttributesRequest;
import org.weft.protocol.wire.RaiseVersionRequest;
import org.weft.protocol.wire.RemoveRequest;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.WriteBlocksRequest;

/**
 * One command of a BATCH.
 *
 * @param body the command's request, with its capability in it
 * @param secret of that capability
 */
public record BatchCall(Opcode opcode, MessageLite body, ByteString payload, byte[] secret) {
  /** Stores attribute pages where the stored LSN is smaller. */
  public static BatchCall setAttributes(
      SignedCapability capability, SetAttributesRequest.Builder request) {
    return of(
        Opcode.SET_ATTRIBUTES, request.setCapability(capability.encoded()).build(), capability);
  }

  /** Asks for attribute pages of an object. */
  public static BatchCall getAttributes(
      SignedCapability capability, GetAttributesRequest.Builder request) {
    return of(
        Opcode.GET_ATTRIBUTES, request.setCapability(capability.encoded()).build(), capability);
  }

  /** Stores whole blocks where the stored LSN is smaller. */
  public static BatchCall writeBlocks(
      SignedCapability capability, WriteBlocksRequest.Builder request, ByteString blocks) {
    return new BatchCall(
        Opcode.WRITE_BLOCKS,
        request.setCapability(capability.encoded()).build(),
        blocks,
        capability.secret());
  }

  /** Shuts out smaller grants; always durable. */
  public static BatchCall raiseVersion(
      SignedCapability capability, RaiseVersionRequest.Builder request) {
    return of(
        Opcode.RAISE_VERSION, request.setCapability(capability.encoded()).build(), capability);
  }

  /** Says up to where the writes of a grant are complete. */
  public static BatchCall complete(SignedCapability capability, CompleteRequest.Builder request) {
    return of(Opcode.COMPLETE, request.setCapability(capability.encoded()).build(), capability);
  }

  /** Removes an object. */
  public static BatchCall remove(SignedCapability capability, RemoveRequest.Builder request) {
    return of(Opcode.REMOVE, request.setCapability(capability.encoded()).build(), capability);
  }

  private static BatchCall of(Opcode opcode, MessageLite body, SignedCapability capability) {
    return new BatchCall(opcode, body, ByteString.EMPTY, capability.secret());
  }
}
