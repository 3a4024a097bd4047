package org.weft.cli.cluster;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ExecutionException;
import org.weft.client.ClientOptions;
import org.weft.client.WeftClient;
import org.weft.protocol.rpc.RpcException;
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
      WeftClient client = WeftClient.connect(options, lease.environment()).get();
      return new ClusterConnection(lease, client);
    } catch (ExecutionException e) {
      lease.close();
      RpcException failure = RpcException.of(e);
      throw new RpcException(failure.code(), failure.getMessage(), failure);
    } catch (InterruptedException e) {
      lease.close();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while connecting");
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
