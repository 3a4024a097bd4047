package org.weft.client.cluster;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.ClusterTable;

/** Where the managers of volumes are to be found. Thread-safe. */
public interface ManagerDirectory {
  /** Addresses of the manager that owns the volume; empty while none does. */
  List<Endpoint> managerAddressesOf(long volumeId);

  /** Looks for news, now. */
  CompletableFuture<ClusterTable> refresh();

  /** Another process knows of this version of the cluster's table. */
  void heard(long version);
}
