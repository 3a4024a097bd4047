package org.weft.osd.membership;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.capability.CopySeal;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.wire.ConfigurationCopy;

/**
 * Keeps this OSD's copy of SysMgr's configuration. It takes only a copy that is signed, of its own
 * cluster, and newer than the one before. Confined to the membership's executor but for {@link
 * #bytes}.
 */
public final class KeptCopy {
  private static final Logger LOG = LoggerFactory.getLogger(KeptCopy.class);

  private final ConfigurationShelf shelf;
  private final byte[] joinSecret;
  private long version;

  public KeptCopy(ConfigurationShelf shelf, byte[] joinSecret) {
    this.shelf = shelf;
    this.joinSecret = joinSecret.clone();
    this.version = heldVersion();
  }

  private long heldVersion() {
    try {
      byte[] held = shelf.held();
      if (held.length == 0) {
        return 0;
      }
      ConfigurationCopy copy = ConfigurationCopy.parseFrom(held);
      return CopySeal.isGenuine(copy, joinSecret) ? copy.getVersion() : 0;
    } catch (IOException e) {
      LOG.warn("the copy of the configuration cannot be read; SysMgr sends another", e);
      return 0;
    }
  }

  /** Of the configuration; 0: there is no copy. */
  long version() {
    return version;
  }

  /** SysMgr sent this one. */
  void offered(ByteString bytes, Optional<ClusterId> cluster) {
    if (bytes.isEmpty()) {
      return;
    }
    try {
      ConfigurationCopy copy = ConfigurationCopy.parseFrom(bytes);
      boolean own = cluster.map(ClusterId::value).orElse("").equals(copy.getClusterId());
      if (!own || !CopySeal.isGenuine(copy, joinSecret)) {
        LOG.warn("a copy of the configuration that is not of this cluster is not kept");
      } else if (Long.compareUnsigned(copy.getVersion(), version) > 0) {
        shelf.keep(bytes.toByteArray());
        version = copy.getVersion();
      }
    } catch (InvalidProtocolBufferException e) {
      LOG.warn("a copy of the configuration that cannot be read is not kept", e);
    } catch (IOException e) {
      LOG.warn("the copy of the configuration cannot be written; it is asked for again", e);
    }
  }

  /** As SysMgr sent it; empty if there is none. Any thread. */
  ByteString bytes() throws IOException {
    return ByteString.copyFrom(shelf.held());
  }
}
