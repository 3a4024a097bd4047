package org.weft.protocol.transport;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Scheduler;

/** Finds the address of a host away from the event loops, since asking for it may block. */
final class HostResolver implements AutoCloseable {
  private static final int THREADS = 2;
  private static final int QUEUE_LIMIT = 1_024;

  private final Scheduler.OwnedExecutor pool;

  HostResolver(Scheduler scheduler) {
    pool = scheduler.newPool("weft-resolver", THREADS, QUEUE_LIMIT);
  }

  CompletableFuture<InetSocketAddress> resolve(Endpoint endpoint) {
    CompletableFuture<InetSocketAddress> resolved = new CompletableFuture<>();
    if (NetUtil.isValidIpV4Address(endpoint.host())
        || NetUtil.isValidIpV6Address(endpoint.host())) {
      lookUp(endpoint, resolved);
      return resolved;
    }
    try {
      pool.execute(() -> lookUp(endpoint, resolved));
    } catch (RejectedExecutionException e) {
      resolved.completeExceptionally(
          new WeftException(ErrorCode.OVERLOADED, endpoint + ": " + e.getMessage(), e));
    }
    return resolved;
  }

  private static void lookUp(Endpoint endpoint, CompletableFuture<InetSocketAddress> resolved) {
    try {
      resolved.complete(
          new InetSocketAddress(InetAddress.getByName(endpoint.host()), endpoint.port()));
    } catch (UnknownHostException e) {
      resolved.completeExceptionally(
          new WeftException(
              ErrorCode.UNAVAILABLE, endpoint + ": the host name is not known here", e));
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
