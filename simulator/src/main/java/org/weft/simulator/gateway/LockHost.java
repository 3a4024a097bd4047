package org.weft.simulator.gateway;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmStatus;

/** A host that has mounted a gateway's address: its kernel, and the processes that lock. */
final class LockHost {
  private static final int PROCESSES = 2;

  private final GatewayScene scene;
  private final InetAddress address;
  private final InetAddress server;
  private final String name;
  private final List<HostProcess> processes = new ArrayList<>();
  private int boots;
  private boolean freeing;

  LockHost(GatewayScene scene, InetAddress address, InetAddress server, String name) {
    this.scene = scene;
    this.address = address;
    this.server = server;
    this.name = name;
    boot();
  }

  private void boot() {
    boots++;
    processes.clear();
    for (int number = 0; number < PROCESSES; number++) {
      processes.add(new HostProcess(scene, this, PROCESSES * boots + number));
    }
  }

  InetAddress address() {
    return address;
  }

  InetAddress server() {
    return server;
  }

  String name() {
    return name;
  }

  /** As its status monitor counts: odd while it runs. */
  int state() {
    return 2 * boots + 1;
  }

  void start() {
    processes.forEach(HostProcess::start);
  }

  /** Its gateway has started, by a notice. */
  void notified() {
    processes.forEach(HostProcess::notified);
  }

  NlmStatus granted(NlmMessage.Test message) {
    return processes.stream()
        .filter(each -> each.number() == message.lock().process())
        .findFirst()
        .map(each -> each.granted(message))
        .orElse(NlmStatus.DENIED);
  }

  /** Its power fails for a moment: it has none of its locks, and says so before it locks again. */
  void reboot() {
    scene.note(name, "starts again");
    processes.forEach(HostProcess::died);
    boot();
    freeing = true;
    free();
  }

  private void free() {
    int boot = boots;
    NlmMessage message = new NlmMessage.FreeAll(name, state());
    var unused =
        scene
            .ask(this, NlmProcedure.FREE_ALL, message, () -> boots == boot)
            .thenAccept(
                answered -> {
                  if (boots == boot) {
                    freeing = false;
                    start();
                  }
                });
  }

  boolean isFinished() {
    return !freeing && processes.stream().allMatch(HostProcess::isFinished);
  }

  List<String> waiting() {
    return processes.stream()
        .filter(each -> !each.isFinished())
        .map(HostProcess::toString)
        .toList();
  }

  static NetObject cookie(int number) {
    return new NetObject(new byte[] {(byte) (number >>> 16), (byte) (number >>> 8), (byte) number});
  }
}
