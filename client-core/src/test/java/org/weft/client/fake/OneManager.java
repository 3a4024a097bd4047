package org.weft.client.fake;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.client.cluster.ManagerDirectory;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.ClusterTable;

/** One manager serves all volumes, at {@link FakeClusterWorld#MANAGER}, and never moves. */
public final class OneManager implements ManagerDirectory {
  @Override
  public List<Endpoint> managerAddressesOf(long volumeId) {
    return List.of(FakeClusterWorld.MANAGER);
  }

  @Override
  public CompletableFuture<ClusterTable> refresh() {
    return CompletableFuture.completedFuture(ClusterTable.getDefaultInstance());
  }

  @Override
  public void heard(long version) {}
}
