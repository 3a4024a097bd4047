package org.weft.protocol.frame;

import com.google.protobuf.UnsafeByteOperations;
import java.util.List;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchRequest;

/**
 * Signs the items of a BATCH in the moment of sending, when its place in the connection is known.
 */
public final class BatchSigning {
  private BatchSigning() {}

  /** The same batch with a MAC in each item; secret i signs item i. */
  public static BatchRequest sign(
      BatchRequest batch, List<byte[]> itemSecrets, byte[] nonce, long requestId, long counter) {
    BatchRequest.Builder signed = batch.toBuilder();
    for (int index = 0; index < batch.getItemsCount(); index++) {
      BatchItem item = batch.getItems(index);
      byte[] mac =
          FrameMac.ofItem(
              itemSecrets.get(index),
              nonce,
              requestId,
              counter,
              index,
              item.getOpcode(),
              item.getBody().asReadOnlyByteBuffer());
      signed.setItems(index, item.toBuilder().setMac(UnsafeByteOperations.unsafeWrap(mac)));
    }
    return signed.build();
  }
}
