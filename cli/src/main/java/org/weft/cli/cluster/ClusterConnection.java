package org.weft.cli.cluster;

import java.io.IOException;
import java.util.function.Function;
import org.weft.client.Blocking;
import org.weft.client.ClientOptions;
import org.weft.client.WeftClient;
import org.weft.protocol.seam.Environment;

/** A client with a share of the real environment; closing it ends both. */
public final class ClusterConnection implements AutoCloseable {
  private final SharedEnvironment.Lease lease;
  private final WaitNotices notices;
  private final WeftClient client;

  private ClusterConnection(SharedEnvironment.Lease lease, WaitNotices notices, WeftClient client) {
    this.lease = lease;
    this.notices = notices;
    this.client = client;
  }

  /**
   * Waits until the cluster was found and a session is open.
   *
   * @param watch what says what the connection waits for
   */
  static ClusterConnection open(
      ClientOptions options,
      SharedEnvironment environment,
      Function<Environment, WaitNotices> watch)
      throws IOException {
    SharedEnvironment.Lease lease = environment.take();
    try {
      WaitNotices notices = watch.apply(lease.environment());
      try {
        return new ClusterConnection(
            lease, notices, Blocking.await(WeftClient.connect(options, notices.environment())));
      } catch (IOException | RuntimeException e) {
        notices.close();
        throw e;
      }
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
    notices.close();
    lease.close();
  }
}
