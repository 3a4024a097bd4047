package org.weft.cli.cluster;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ExecutionException;
import org.weft.client.ClientOptions;
import org.weft.client.WeftClient;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.system.SystemEnvironment;

/** A client with the real environment under it; closing it ends both. */
public final class ClusterConnection implements AutoCloseable {
  private final SystemEnvironment system;
  private final WeftClient client;

  private ClusterConnection(SystemEnvironment system, WeftClient client) {
    this.system = system;
    this.client = client;
  }

  /** Waits until the cluster was found and a session is open. */
  static ClusterConnection open(ClientOptions options) throws IOException {
    SystemEnvironment system = SystemEnvironment.create();
    try {
      WeftClient client = WeftClient.connect(options, system.environment()).get();
      return new ClusterConnection(system, client);
    } catch (ExecutionException e) {
      system.close();
      RpcException failure = RpcException.of(e);
      throw new RpcException(failure.code(), failure.getMessage(), failure);
    } catch (InterruptedException e) {
      system.close();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while connecting");
    }
  }

  public WeftClient client() {
    return client;
  }

  public Environment environment() {
    return system.environment();
  }

  @Override
  public void close() {
    client.close();
    system.close();
  }
}
