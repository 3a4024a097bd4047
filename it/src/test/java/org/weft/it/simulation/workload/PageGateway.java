package org.weft.it.simulation.workload;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.weft.client.ids.NodeId;
import org.weft.it.simulation.world.ClientNode;
import org.weft.nfs.weft.WeftFileService;

/** A gateway's process: the production's file service on a client of the world. */
final class PageGateway {
  /** Less than all hosts write together, so that some of it is committed for room. */
  private static final long UNSTABLE_BYTES = 96 << 10;

  private final PageScene scene;
  private final ClientNode node;
  private WeftFileService service;

  PageGateway(PageScene scene, ClientNode node) {
    this.scene = scene;
    this.node = node;
  }

  ClientNode node() {
    return node;
  }

  void start() {
    node.start();
    int life = node.life();
    var unused =
        node.connected()
            .whenComplete(
                (opened, failure) -> {
                  if (node.life() != life) {
                    return;
                  }
                  if (failure == null) {
                    service =
                        new WeftFileService(
                            () -> Optional.of(opened.filesById()),
                            UNSTABLE_BYTES,
                            node.environment());
                  } else {
                    scene.later(scene.seconds(1, 2), this::startAgain);
                  }
                });
  }

  private void startAgain() {
    if (!node.isRunning()) {
      start();
    }
  }

  boolean isServing() {
    return service != null && node.isRunning() && !node.isPaused();
  }

  /** Answers that were on their way never come. */
  void kill() {
    service = null;
    node.kill();
  }

  void stop() {
    service = null;
    node.stop();
  }

  CompletableFuture<NodeId> find(String path) {
    return node.filesById().resolve(path).thenApply(found -> found.id());
  }

  /** Carries a call out; never completes if the process dies before. */
  <T> CompletableFuture<T> call(Function<WeftFileService, CompletionStage<T>> call) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    WeftFileService serving = service;
    node.tasks()
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
