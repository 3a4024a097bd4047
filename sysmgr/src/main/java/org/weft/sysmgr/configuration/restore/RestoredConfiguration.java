package org.weft.sysmgr.configuration.restore;

import com.google.protobuf.ByteString;
import java.io.IOException;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.stored.PackedConfiguration;

/** A configuration that was restored, as a file in a data directory. */
public final class RestoredConfiguration {
  private RestoredConfiguration() {}

  public static byte[] write(Configuration configuration) {
    return PackedConfiguration.pack(configuration).toByteArray();
  }

  /**
   * @throws IOException if the bytes are anything else
   */
  public static Configuration read(byte[] bytes) throws IOException {
    try {
      return PackedConfiguration.unpack(ByteString.copyFrom(bytes));
    } catch (IllegalArgumentException e) {
      throw new IOException("the restored configuration cannot be read: " + e.getMessage(), e);
    }
  }
}
