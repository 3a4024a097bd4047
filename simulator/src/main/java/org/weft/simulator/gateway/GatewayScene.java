package org.weft.simulator.gateway;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.RpcFailedException;
import org.weft.simulator.check.ReliedLocks;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.workload.Histories;
import org.weft.simulator.workload.LockTurns;
import org.weft.simulator.world.World;

/**
 * Gateways of NFS, addresses that move between them, and hosts that lock ranges of one file through
 * these addresses (P 6.5f). Gateways die, freeze and come back; an address moves to another gateway
 * with or without that. Hosts are told soon or late. They reclaim, start again, and sometimes
 * reclaim what they have never had.
 */
public final class GatewayScene extends SceneOfGateways<LockGateway> {
  static final int CELLS = 6;

  /** Others lock bytes before these. */
  private static final int FIRST_BYTE = 1_000;

  private static final int CELL_BYTES = 10;
  private static final int GATEWAYS = 3;
  private static final int HOSTS_OF_ADDRESS = 2;
  private static final int MIN_KEEP_SECONDS = 10;
  private static final int MAX_KEEP_SECONDS = 25;
  private static final long LENGTH_SECONDS = 110;
  private static final String KEY = "all gateways";

  /** What a call was answered. */
  record Answered(NlmStatus status, boolean repeated) {}

  /** An address that hosts have mounted. */
  private static final class Place {
    private LockGateway serving;
    private long freeNanos;

    /** Connections to it broke so often. */
    private int moves;
  }

  private final ReliedLocks relied;
  private final long keepMillis;
  private final Map<InetAddress, Place> places = new LinkedHashMap<>();
  private final List<LockHost> hosts = new ArrayList<>();
  private NetObject handle;
  private boolean finding;
  private boolean started;

  public GatewayScene(World world, Histories histories) {
    super(world, histories, "gateways");
    this.keepMillis =
        TimeUnit.SECONDS.toMillis(
            MIN_KEEP_SECONDS + random().nextInt(MAX_KEEP_SECONDS - MIN_KEEP_SECONDS));
    this.relied = new ReliedLocks(CELLS, TimeUnit.MILLISECONDS.toNanos(keepMillis));
    for (int number = 0; number < GATEWAYS; number++) {
      ClientNode node = world().newGateway();
      node.keepLocks((int) keepMillis, KEY);
      gateways().add(new LockGateway(this, node));
    }
    for (int number = 1; number <= 2; number++) {
      InetAddress server = address(10, 2, 0, number);
      places.put(server, new Place());
      for (int host = 1; host <= HOSTS_OF_ADDRESS; host++) {
        hosts.add(
            new LockHost(this, address(10, 1, number, host), server, "host-" + number + host));
      }
    }
  }

  static long offsetBytes(int cell) {
    return FIRST_BYTE + (long) cell * CELL_BYTES;
  }

  static long lengthBytes(int from, int to) {
    return (long) (to - from) * CELL_BYTES;
  }

  ReliedLocks relied() {
    return relied;
  }

  @Override
  public long keepMillis() {
    return keepMillis;
  }

  NetObject handle() {
    return handle;
  }

  void found(String rule, String text) {
    histories().found(rule, text);
  }

  /**
   * Asks whether the session goes on in which an owner has just locked, at the gateway that still
   * has the host's address. A session that goes on at another gateway does not count.
   */
  BooleanSupplier lives(LockHost host, int process) {
    Place place = places.get(host.server());
    LockGateway gateway = place.serving;
    if (gateway == null) {
      return () -> false;
    }
    int moves = place.moves;
    BooleanSupplier session = gateway.session(host.name(), process);
    return () -> place.moves == moves && session.getAsBoolean();
  }

  boolean isServedBy(InetAddress server, LockGateway gateway) {
    return places.get(server).serving == gateway;
  }

  // The life of the scene.

  @Override
  public void start() {
    gateways().forEach(LockGateway::start);
    look();
    later(seconds(8, 20), this::harm);
  }

  /** Addresses find gateways; the file is found once it is there. */
  private void look() {
    if (hasLeft()) {
      return;
    }
    relied.look(nanos());
    places.forEach(this::assign);
    if (handle == null && histories().locks().isMade() && !finding) {
      serving().stream().findFirst().ifPresent(this::find);
    }
    if (handle != null && !started) {
      started = true;
      endAfter(LENGTH_SECONDS);
      hosts.forEach(LockHost::start);
    }
    lookAtTheTime();
    later(millis(300, 700), this::look);
  }

  private void find(LockGateway by) {
    finding = true;
    int life = by.node().life();
    later(seconds(10, 10), () -> finding = false);
    var unused =
        by.find(world().homePath() + LockTurns.PATH)
            .thenAccept(
                file -> {
                  if (by.node().life() == life && by.isServing()) {
                    handle = by.handle(file);
                  }
                });
  }

  private void assign(InetAddress server, Place place) {
    if (place.serving != null && !place.serving.node().isRunning()) {
      free(server, place, isOver() ? 0 : seconds(0, 20));
    }
    if (place.serving == null && nanos() >= place.freeNanos) {
      List<LockGateway> able = serving();
      if (!able.isEmpty()) {
        give(server, place, able.get(random().nextInt(able.size())));
      }
    }
  }

  private void free(InetAddress server, Place place, long nanos) {
    place.serving = null;
    place.moves++;
    place.freeNanos = nanos() + nanos;
    note("address " + server.getHostAddress(), "has no gateway");
  }

  private void give(InetAddress server, Place place, LockGateway to) {
    place.serving = to;
    int moves = ++place.moves;
    note("address " + server.getHostAddress(), "is served by " + to.node().name());
    for (LockHost host : hosts) {
      if (host.server().equals(server)) {
        // Few learn it so late that their locks have lapsed.
        long nanos = random().nextInt(8) == 0 ? seconds(5, 60) : millis(50, 6_000);
        later(
            nanos,
            () -> {
              if (place.moves == moves) {
                note(host.name(), "is told that its gateway has started");
                host.notified();
              }
            });
      }
    }
  }

  private void harm() {
    if (isOver()) {
      return;
    }
    LockGateway gateway = gateways().get(random().nextInt(gateways().size()));
    switch (random().nextInt(8)) {
      case 0, 1, 2 -> {
        if (gateway.node().isRunning()) {
          gateway.kill();
          later(seconds(1, 20), () -> restart(gateway));
        }
      }
      case 3, 4 -> move();
      case 5 -> {
        if (gateway.isServing()) {
          int life = gateway.node().life();
          gateway.node().pause();
          later(seconds(3, 50), () -> gateway.goOn(life));
        }
      }
      default -> hosts.get(random().nextInt(hosts.size())).reboot();
    }
    later(seconds(4, 16), this::harm);
  }

  /** An address goes to another gateway, while the one that had it goes on. */
  private void move() {
    List<InetAddress> all = List.copyOf(places.keySet());
    InetAddress server = all.get(random().nextInt(all.size()));
    Place place = places.get(server);
    List<LockGateway> others = serving().stream().filter(each -> each != place.serving).toList();
    LockGateway from = place.serving;
    if (from == null || others.isEmpty()) {
      return;
    }
    LockGateway to = others.get(random().nextInt(others.size()));
    give(server, place, to);
    later(
        millis(100, 3_000),
        () -> {
          if (place.serving != from) {
            from.lost(server);
          }
        });
  }

  // Calls.

  /**
   * Asks the gateway that serves the host's address, again where the connection broke, until it is
   * answered.
   *
   * @param wanted false once the answer does not matter any more
   */
  CompletableFuture<Answered> ask(
      LockHost host, NlmProcedure procedure, NlmMessage message, BooleanSupplier wanted) {
    CompletableFuture<Answered> answer = new CompletableFuture<>();
    attempt(host, procedure, message, wanted, answer, false);
    return answer;
  }

  private void attempt(
      LockHost host,
      NlmProcedure procedure,
      NlmMessage message,
      BooleanSupplier wanted,
      CompletableFuture<Answered> answer,
      boolean repeated) {
    if (answer.isDone() || !wanted.getAsBoolean()) {
      return;
    }
    Place place = places.get(host.server());
    LockGateway gateway = place.serving;
    if (gateway == null || !gateway.isServing()) {
      later(seconds(1, 1), () -> attempt(host, procedure, message, wanted, answer, repeated));
      return;
    }
    int moves = place.moves;
    Runnable arrives =
        () -> {
          var unused =
              gateway
                  .call(procedure, message, host.address(), host.server())
                  .thenAccept(
                      status ->
                          later(
                              millis(0, 3),
                              () -> {
                                if (place.moves == moves) {
                                  answer.complete(new Answered(status, repeated));
                                }
                              }));
        };
    later(
        random().nextInt(16) == 0 ? millis(1, 400) : millis(0, 3),
        () -> deliver(gateway, () -> place.moves == moves && wanted.getAsBoolean(), arrives));
    watch(place, moves, () -> attempt(host, procedure, message, wanted, answer, true), answer);
  }

  /** A gateway that stands still just then reads the call when it goes on. */
  private void deliver(LockGateway gateway, BooleanSupplier wanted, Runnable arrives) {
    if (!wanted.getAsBoolean()) {
      return;
    }
    if (gateway.isServing()) {
      arrives.run();
    } else {
      later(seconds(1, 1), () -> deliver(gateway, wanted, arrives));
    }
  }

  /** Asks again when the connection is another one. */
  private void watch(Place place, int moves, Runnable again, CompletableFuture<Answered> answer) {
    later(
        seconds(1, 1),
        () -> {
          if (answer.isDone()) {
            return;
          }
          if (place.moves != moves) {
            again.run();
          } else {
            watch(place, moves, again, answer);
          }
        });
  }

  /** A gateway calls GRANTED: it may not arrive, and the reply may not. */
  CompletionStage<Optional<NlmStatus>> tell(
      LockGateway by, InetAddress client, NlmMessage.Test message) {
    CompletableFuture<Optional<NlmStatus>> told = new CompletableFuture<>();
    int luck = random().nextInt(6);
    boolean lost = luck == 0;
    later(
        lost ? seconds(5, 5) : millis(0, 4),
        () -> {
          if (lost) {
            told.completeExceptionally(new RpcFailedException("no host answers"));
            return;
          }
          hosts.stream()
              .filter(each -> each.address().equals(client))
              .filter(each -> isServedBy(each.server(), by))
              .findFirst()
              .ifPresentOrElse(
                  host -> {
                    Optional<NlmStatus> status = Optional.of(host.granted(message));
                    if (luck == 1) {
                      later(seconds(5, 5), () -> told.complete(Optional.empty()));
                    } else {
                      told.complete(status);
                    }
                  },
                  () -> told.completeExceptionally(new RpcFailedException("no such host")));
        });
    return told;
  }

  // Its end.

  @Override
  public boolean isFinished() {
    return isOver() && (!started || hosts.stream().allMatch(LockHost::isFinished));
  }

  @Override
  public List<String> waiting() {
    return hosts.stream().flatMap(host -> host.waiting().stream()).toList();
  }

  @Override
  public void leave() {
    note("gateways", relied.toString());
    if (relied.granted() == 0) {
      histories().found("no lock was granted", "in the whole scene; it has begun: " + started);
    }
    relied.check(nanos()).forEach(each -> histories().found(each.rule(), each.text()));
    super.leave();
  }
}
