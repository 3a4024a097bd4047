package org.weft.cli.cluster;

import java.io.IOException;
import org.weft.client.Blocking;
import org.weft.client.ClientOptions;
import org.weft.client.WeftClient;
import org.weft.protocol.seam.Environment;

/** A client with a share of the real environment; closing it ends both. */
public final class ClusterConnection implements AutoCloseable {
  private final SharedEnvironment.Lease lease;
  private final WeftClient client;

  private ClusterConnection(SharedEnvironment.Lease lease, WeftClient client) {
    this.lease = lease;
    this.client = client;
  }

  /** Waits until the cluster was found and a session is open. */
  static ClusterConnection open(ClientOptions options, SharedEnvironment environment)
      throws IOException {
    SharedEnvironment.Lease lease = environment.take();
    try {
      return new ClusterConnection(
          lease, Blocking.await(WeftClient.connect(options, lease.environment())));
    } catch (IOException | RuntimeException e) {
      lease.close();
      throw e;
    }
  }

  public WeftClient client() {
    return client;
  }

  public Environment environment() {
    return lease.environment();
  }

  @Override
  public void close() {
    client.close();
    lease.close();
  }
}
