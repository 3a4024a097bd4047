package org.weft.metadata.objects;

import com.google.protobuf.ByteString;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;

/**
 * An attribute page as OSDs store it, encoded when it is first asked for. Confined to the volume's
 * thread.
 */
public final class EncodedPage {
  private final Attributes attributes;
  private ByteString bytes;

  /** Encodes nothing yet. */
  public EncodedPage(Attributes attributes) {
    this.attributes = attributes;
  }

  /** What an OSD is given; the same bytes each time. */
  public ByteString bytes() {
    if (bytes == null) {
      bytes = AttributesCodec.toMessage(attributes).toByteString();
    }
    return bytes;
  }
}
