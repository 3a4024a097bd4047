package org.weft.nfs.daemon;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.nfs.oncrpc.DatagramListener;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.nfs.oncrpc.RpcProgram;
import org.weft.protocol.seam.Environment;

/**
 * What a gateway serves by datagrams: at each address of its own, so that replies leave from where
 * the calls came to. It looks for new addresses from time to time. Confined to one executor.
 */
final class DatagramServices {
  private static final Logger LOG = LoggerFactory.getLogger(DatagramServices.class);
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** A program at a port. */
  record Service(RpcProgram program, int port) {}

  private final OncRpcTransport transport;
  private final Supplier<Set<InetAddress>> addresses;
  private final Environment environment;
  private final Executor home;
  private final List<Service> services = new ArrayList<>();
  private final Map<InetSocketAddress, DatagramListener> listeners = new HashMap<>();
  private final Set<InetSocketAddress> failed = new HashSet<>();
  private boolean closed;

  DatagramServices(
      OncRpcTransport transport,
      Supplier<Set<InetAddress>> addresses,
      Environment environment,
      Executor home) {
    this.transport = transport;
    this.addresses = addresses;
    this.environment = environment;
    this.home = home;
  }

  /** Completes when each was bound, or could not be: that is logged, and tried again. */
  CompletableFuture<Void> start(List<Service> wanted) {
    CompletableFuture<Void> bound = new CompletableFuture<>();
    home.execute(
        () -> {
          services.addAll(wanted);
          var unused = look().thenRun(() -> bound.complete(null));
        });
    return bound;
  }

  private CompletableFuture<Void> look() {
    if (closed) {
      return CompletableFuture.completedFuture(null);
    }
    Set<InetAddress> here = addresses.get();
    for (InetSocketAddress at : Set.copyOf(listeners.keySet())) {
      if (!here.contains(at.getAddress())) {
        var unused = listeners.remove(at).stop();
      }
    }
    List<CompletableFuture<Void>> binding = new ArrayList<>();
    for (InetAddress address : here) {
      for (Service service : services) {
        InetSocketAddress at = new InetSocketAddress(address, service.port());
        if (!listeners.containsKey(at)) {
          binding.add(bind(at, service.program()));
        }
      }
    }
    return CompletableFuture.allOf(binding.toArray(CompletableFuture[]::new))
        .thenRunAsync(
            () ->
                environment
                    .scheduler()
                    .schedule(
                        LOOK_NANOS,
                        home,
                        () -> {
                          var unused = look();
                        }),
            home);
  }

  private CompletableFuture<Void> bind(InetSocketAddress at, RpcProgram program) {
    return transport
        .listenDatagrams(at, List.of(program))
        .toCompletableFuture()
        .handleAsync(
            (listener, failure) -> {
              if (failure != null) {
                if (failed.add(at)) {
                  LOG.warn("{} is not served over UDP: {}", program.name(), failure.getMessage());
                }
              } else if (closed) {
                var unused = listener.stop();
              } else {
                failed.remove(at);
                listeners.put(at, listener);
              }
              return null;
            },
            home);
  }

  /** Completes when all are closed. */
  CompletionStage<Void> stop() {
    CompletableFuture<Void> stopped = new CompletableFuture<>();
    home.execute(
        () -> {
          closed = true;
          var unused =
              CompletableFuture.allOf(
                      listeners.values().stream()
                          .map(each -> each.stop().toCompletableFuture())
                          .toArray(CompletableFuture[]::new))
                  .thenRun(() -> stopped.complete(null));
        });
    return stopped;
  }
}
