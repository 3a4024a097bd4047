package org.weft.metadata.objects;

import com.google.protobuf.ByteString;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;

/**
 * An attribute page as OSDs store it, encoded when it is first asked for. Confined to the volume's
 * thread.
 */
final class EncodedPage {
  private final Attributes attributes;
  private ByteString bytes;

  EncodedPage(Attributes attributes) {
    this.attributes = attributes;
  }

  ByteString bytes() {
    if (bytes == null) {
      bytes = AttributesCodec.toMessage(attributes).toByteString();
    }
    return bytes;
  }
}
