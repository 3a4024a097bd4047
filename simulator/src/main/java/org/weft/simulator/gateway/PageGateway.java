package org.weft.simulator.gateway;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.weft.client.WeftClient;
import org.weft.client.ids.NodeId;
import org.weft.client.internal.ClientParts;
import org.weft.nfs.weft.WeftFileService;
import org.weft.simulator.node.ClientNode;

/** A gateway's process: the production's file service on a client of the world. */
final class PageGateway extends GatewayProcess {
  /** Less than all hosts write together, so that some of it is committed for room. */
  private static final long UNSTABLE_BYTES = 96 << 10;

  private WeftFileService service;

  PageGateway(PageScene scene, ClientNode node) {
    super(scene, node);
  }

  @Override
  void serve(WeftClient opened) {
    service =
        new WeftFileService(
            () -> Optional.of(ClientParts.of(opened).filesById()),
            UNSTABLE_BYTES,
            node().environment());
  }

  @Override
  void forget() {
    service = null;
  }

  @Override
  boolean hasBegun() {
    return service != null;
  }

  CompletableFuture<NodeId> find(String path) {
    return node().filesById().resolve(path).thenApply(found -> found.id());
  }

  /** Carries a call out; never completes if the process dies before. */
  <T> CompletableFuture<T> call(Function<WeftFileService, CompletionStage<T>> call) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    WeftFileService serving = service;
    node()
        .tasks()
        .execute(
            () -> {
              var unused =
                  call.apply(serving)
                      .whenComplete(
                          (result, failure) -> {
                            if (failure == null) {
                              answer.complete(result);
                            } else {
                              answer.completeExceptionally(failure);
                            }
                          });
            });
    return answer;
  }
}
