package org.weft.simulator.gateway;

import org.weft.client.WeftClient;
import org.weft.simulator.node.ClientNode;

/** The process of a gateway of NFS: it connects, serves, and is killed, stopped or frozen. */
abstract class GatewayProcess {
  private final SceneOfGateways<?> scene;
  private final ClientNode node;

  GatewayProcess(SceneOfGateways<?> scene, ClientNode node) {
    this.scene = scene;
    this.node = node;
  }

  /** It has connected: calls are taken from now on. */
  abstract void serve(WeftClient opened);

  /** Its memory is gone. */
  abstract void forget();

  /** It has memory of its own. */
  abstract boolean hasBegun();

  final ClientNode node() {
    return node;
  }

  final void start() {
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
                    serve(opened);
                  } else {
                    scene.later(scene.seconds(1, 2), this::startIfEnded);
                  }
                });
  }

  final void startIfEnded() {
    if (!node.isRunning()) {
      start();
    }
  }

  final boolean isServing() {
    return hasBegun() && node.isRunning() && !node.isPaused();
  }

  /** Answers that were on their way never come. */
  final void kill() {
    forget();
    node.kill();
  }

  final void stop() {
    forget();
    node.stop();
  }

  /** Ends a pause that began in that life. */
  final void goOn(int life) {
    if (node.life() == life) {
      goOn();
    }
  }

  final void goOn() {
    if (node.isPaused()) {
      node.resume();
    }
  }
}
