package org.weft.simulator.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.weft.client.WeftFileSystem;
import org.weft.simulator.node.ClientNode;

/** A client with its hands, one process after another. */
public final class ClientWorker {
  private final ClientWorkload workload;
  private final ClientNode node;
  private final RandomGenerator random;
  private final List<ClientThread> hands = new ArrayList<>();
  private boolean connected;
  private boolean stubborn;
  private Consumer<String> beforeCut;
  private Runnable afterAcknowledgement = () -> {};

  ClientWorker(ClientWorkload workload, ClientNode node, RandomGenerator random) {
    this.workload = workload;
    this.node = node;
    this.random = random;
  }

  ClientWorkload workload() {
    return workload;
  }

  public ClientNode node() {
    return node;
  }

  WeftFileSystem files() {
    return node.files();
  }

  /** Starts a process; its hands begin once it is connected. */
  public void start() {
    node.start();
    connected = false;
    stubborn = false;
    beforeCut = null;
    int life = node.life();
    var unused =
        node.connected()
            .whenComplete(
                (client, thrown) -> {
                  if (node.life() != life) {
                    return;
                  }
                  if (thrown == null) {
                    connected = true;
                    begin(life);
                  } else {
                    workload.histories().note(node.name(), () -> "gave up: " + thrown);
                    workload.startAgain(this);
                  }
                });
  }

  /** What its processes have in common, one after another. */
  String owner(int hand) {
    return node.name() + "." + hand;
  }

  private void begin(int life) {
    for (int number = 0; number < workload.geometry().hands(); number++) {
      ClientThread hand =
          new ClientThread(this, node.name() + "." + life + "/" + number, number, random);
      hands.add(hand);
      hand.next();
    }
  }

  /** {@code kill -9}. */
  public void kill() {
    connected = false;
    node.kill();
    hands.forEach(ClientThread::died);
    hands.clear();
  }

  /** Sets what happens when one of its threads next gets an acknowledgement. */
  public void afterAcknowledgement(Runnable next) {
    afterAcknowledgement = next;
  }

  /** Sets what happens just before one of its threads next cuts a file. */
  public void beforeCut(Consumer<String> next) {
    beforeCut = next;
  }

  /** One of its threads is to cut a file now; returns the work before that, if any. */
  Optional<Consumer<String>> takeBeforeCut() {
    Optional<Consumer<String>> taken = Optional.ofNullable(beforeCut);
    beforeCut = null;
    return taken;
  }

  /** One of its threads got an acknowledgement for a file. */
  void acknowledged() {
    Runnable next = afterAcknowledgement;
    afterAcknowledgement = () -> {};
    next.run();
  }

  /** Runs something in the process, unless it has died by then. */
  void later(long nanos, Runnable task) {
    var unused = workload.time().schedule(nanos, node.tasks(), guarded(task));
  }

  private Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        workload.broken(e);
      }
    };
  }

  /** A hand that writes does nothing else from now on, and no hand begins anything. */
  public void stubborn(boolean isStubborn) {
    stubborn = isStubborn;
  }

  boolean isStubborn() {
    return stubborn;
  }

  public boolean isConnected() {
    return connected;
  }

  /** There is no process, or it has nothing more to do. */
  boolean isFinished() {
    return !node.isRunning() || connected && hands.stream().allMatch(ClientThread::isFinished);
  }

  /** Ends in good order. */
  void leave() {
    connected = false;
    node.stop();
  }

  public List<ClientThread> hands() {
    return hands;
  }
}
