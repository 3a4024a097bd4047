package org.weft.protocol.capability;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.weft.protocol.id.ObjectName;

/** The manager's signature on the attributes that a create-on-write stores (P 6.6). */
public final class InitialAttributesSignature {
  private static final byte[] LABEL = "attr".getBytes(StandardCharsets.US_ASCII);

  private InitialAttributesSignature() {}

  public static byte[] sign(
      byte[] workingKey, ObjectName name, int page, long lsn, ByteBuffer value) {
    ByteBuffer head =
        ByteBuffer.allocate(LABEL.length + 28)
            .put(LABEL)
            .putLong(name.partition().value())
            .putLong(name.object().value())
            .putLong(lsn)
            .putInt(page)
            .flip();
    return Hmac.wire(workingKey, head, value);
  }
}
