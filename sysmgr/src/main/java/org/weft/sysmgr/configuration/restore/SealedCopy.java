package org.weft.sysmgr.configuration.restore;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import org.weft.protocol.capability.CopySeal;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.wire.ConfigurationCopy;
import org.weft.sysmgr.configuration.cluster.Cluster;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.stored.PackedConfiguration;

/**
 * A copy of the configuration as OSDs keep it.
 *
 * @param madeMillis wall time at which a leader made it
 */
public record SealedCopy(Configuration configuration, long madeMillis) {
  private static final int FORMAT_VERSION = 1;

  /** The bytes of a copy; the cluster must have been made. */
  public static ByteString seal(Configuration configuration, long nowMillis) {
    Cluster cluster = configuration.cluster().orElseThrow();
    ConfigurationCopy.Builder copy =
        ConfigurationCopy.newBuilder()
            .setFormatVersion(FORMAT_VERSION)
            .setClusterId(cluster.id().value())
            .setVersion(configuration.version())
            .setMadeMillis(nowMillis)
            .setSnapshot(PackedConfiguration.pack(configuration));
    byte[] mac = CopySeal.of(copy.build(), JoinSecret.of(cluster.joinToken().bytes()));
    return copy.setMac(ByteString.copyFrom(mac)).build().toByteString();
  }

  /**
   * Reads a copy and checks its signature with the join token that it holds itself: bytes that were
   * damaged are found. Whether that token is the cluster's own the caller knows.
   *
   * @throws IOException that says what is wrong with it
   */
  public static SealedCopy read(byte[] bytes) throws IOException {
    try {
      ConfigurationCopy copy = ConfigurationCopy.parseFrom(bytes);
      if (copy.getFormatVersion() != FORMAT_VERSION) {
        throw new IOException(
            "the copy has format "
                + copy.getFormatVersion()
                + ", this release reads "
                + FORMAT_VERSION);
      }
      Configuration configuration = PackedConfiguration.unpack(copy.getSnapshot());
      byte[] token =
          configuration
              .cluster()
              .orElseThrow(() -> new IOException("the copy is that of no cluster"))
              .joinToken()
              .bytes();
      if (!CopySeal.isGenuine(copy, JoinSecret.of(token))
          || configuration.version() != copy.getVersion()) {
        throw new IOException("the copy is damaged: its signature does not match");
      }
      return new SealedCopy(configuration, copy.getMadeMillis());
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      throw new IOException("the copy is damaged: " + e.getMessage(), e);
    }
  }
}
