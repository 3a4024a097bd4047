package org.weft.sysmgr.configuration.stored;

import com.google.protobuf.ByteString;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.StoredAddress;
import org.weft.protocol.wire.StoredLiveness;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.node.Liveness;

/** The small values that commands and snapshots share, as they are stored. */
final class StoredValueCodec {
  private StoredValueCodec() {}

  static StoredAddress address(Endpoint endpoint) {
    return StoredAddress.newBuilder().setHost(endpoint.host()).setPort(endpoint.port()).build();
  }

  static List<StoredAddress> addresses(List<Endpoint> endpoints) {
    return endpoints.stream().map(StoredValueCodec::address).toList();
  }

  static List<Endpoint> endpoints(List<StoredAddress> stored) {
    return stored.stream().map(each -> new Endpoint(each.getHost(), each.getPort())).toList();
  }

  static List<Long> ids(Collection<PartitionId> volumes) {
    return volumes.stream().map(PartitionId::value).toList();
  }

  static SortedSet<PartitionId> volumes(List<Long> stored) {
    return new TreeSet<>(stored.stream().map(PartitionId::new).toList());
  }

  static StoredLiveness liveness(Liveness liveness) {
    return switch (liveness) {
      case UP -> StoredLiveness.STORED_UP;
      case SUSPECT -> StoredLiveness.STORED_SUSPECT;
      case DOWN -> StoredLiveness.STORED_DOWN;
      case QUARANTINED -> StoredLiveness.STORED_QUARANTINED;
    };
  }

  static Liveness liveness(StoredLiveness stored) {
    return switch (stored) {
      case STORED_UP -> Liveness.UP;
      case STORED_SUSPECT -> Liveness.SUSPECT;
      case STORED_DOWN -> Liveness.DOWN;
      case STORED_QUARANTINED -> Liveness.QUARANTINED;
      case STORED_LIVENESS_UNSPECIFIED, UNRECOGNIZED ->
          throw new IllegalArgumentException("unknown liveness " + stored);
    };
  }

  static ByteString bytes(Secret secret) {
    return ByteString.copyFrom(secret.bytes());
  }

  static Secret secret(ByteString stored) {
    return Secret.of(stored.toByteArray());
  }
}
