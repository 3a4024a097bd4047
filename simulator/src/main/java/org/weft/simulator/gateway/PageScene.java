package org.weft.simulator.gateway;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.RequestMark;
import org.weft.nfs.weft.WeftFileService;
import org.weft.simulator.workload.Histories;
import org.weft.simulator.workload.Safety;
import org.weft.simulator.world.World;

/**
 * Hosts that write files through gateways of NFS, as a kernel does. They keep what was answered
 * UNSTABLE until a COMMIT has the same verifier. They send it again when the verifier is another
 * one (RFC 1813 3.3.7 and 3.3.21). Gateways die, freeze and come back. A host goes to another
 * gateway only when its own is dead, as a cluster that moves addresses makes sure. All other harm
 * of the world comes beside that.
 */
public final class PageScene extends SceneOfGateways<PageGateway> {
  private static final int GATEWAYS = 3;
  private static final int HOSTS = 4;
  private static final long LENGTH_SECONDS = 100;

  /** After the end of all harm; then whatever still waits waits for ever. */
  private static final long EXCUSED_SECONDS = 120;

  private static final OnBehalfOf ROOT = new OnBehalfOf("root", List.of("root"), true);

  private final Safety safety;
  private final List<PageHost> hosts = new ArrayList<>();
  private final Map<String, Integer> counts = new TreeMap<>();
  private NodeId directory;
  private boolean finding;

  /** Where a host has its files mounted. */
  static final class Place {
    private PageGateway serving;
    private long freeNanos;

    /** Its connections broke so often. */
    private int moves;

    int moves() {
      return moves;
    }
  }

  /** A call of a host, sent again under its number until it is answered. */
  private record Asked<T>(
      PageHost host,
      Function<Request, Function<WeftFileService, CompletionStage<T>>> call,
      CompletableFuture<T> answer) {}

  public PageScene(World world, Histories histories, Safety safety) {
    super(world, histories, "pages");
    this.safety = safety;
    for (int number = 0; number < GATEWAYS; number++) {
      gateways().add(new PageGateway(this, world().newGateway()));
    }
    for (int number = 1; number <= HOSTS; number++) {
      hosts.add(new PageHost(this, number, address(10, 3, 0, number)));
    }
  }

  void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  /** Something that must not be, unless more was lost than files can bear. */
  void found(String rule, String text) {
    if (!isExcused()) {
      histories().found(rule, text);
    }
  }

  /** More was lost than files can bear. */
  boolean isExcused() {
    return safety.isBeyond() || safety.isDoubted();
  }

  /** Where the files of all hosts are. */
  NodeId directory() {
    return directory;
  }

  // The life of the scene.

  @Override
  public void start() {
    gateways().forEach(PageGateway::start);
    look();
    later(seconds(4, 12), this::harm);
  }

  private void look() {
    if (hasLeft()) {
      return;
    }
    hosts.forEach(host -> assign(host, host.place()));
    if (directory == null && !finding) {
      serving().stream().findFirst().ifPresent(this::find);
    }
    lookAtTheTime();
    later(millis(300, 700), this::look);
  }

  private void find(PageGateway by) {
    finding = true;
    later(seconds(5, 5), () -> finding = false);
    String home = world().homePath();
    var unused =
        by.find(home.isEmpty() ? "/" : home)
            .thenAccept(
                found -> {
                  if (directory == null) {
                    directory = found;
                    endAfter(LENGTH_SECONDS);
                    hosts.forEach(PageHost::start);
                  }
                });
  }

  private void assign(PageHost host, Place place) {
    long now = nanos();
    if (place.serving != null && !place.serving.node().isRunning()) {
      place.serving = null;
      place.moves++;
      place.freeNanos = now + (isOver() ? 0 : seconds(0, 8));
    }
    if (place.serving == null && now >= place.freeNanos) {
      List<PageGateway> able = serving();
      if (!able.isEmpty()) {
        place.serving = able.get(random().nextInt(able.size()));
        place.moves++;
        note(host.name(), "is served by " + place.serving.node().name());
      }
    }
  }

  private void harm() {
    if (isOver()) {
      return;
    }
    PageGateway gateway = gateways().get(random().nextInt(gateways().size()));
    if (gateway.isServing()) {
      if (random().nextInt(3) != 0) {
        count("gateways killed");
        gateway.kill();
        later(seconds(1, 15), () -> restart(gateway));
      } else {
        count("gateways frozen");
        int life = gateway.node().life();
        gateway.node().pause();
        later(random().nextBoolean() ? seconds(1, 8) : seconds(8, 40), () -> gateway.goOn(life));
      }
    }
    later(seconds(2, 12), this::harm);
  }

  // Calls.

  /** Asks the gateway that serves the host, until it is answered. */
  <T> CompletableFuture<T> ask(
      PageHost host, Function<Request, Function<WeftFileService, CompletionStage<T>>> call) {
    Asked<T> asked = new Asked<>(host, call, new CompletableFuture<>());
    attempt(asked, host.nextNumber());
    return asked.answer;
  }

  /** Asks any gateway but the host's own, if another one serves; once. */
  <T> Optional<CompletableFuture<T>> askAnother(
      PageHost host, Function<Request, Function<WeftFileService, CompletionStage<T>>> call) {
    return serving().stream()
        .filter(each -> each != host.place().serving)
        .findFirst()
        .map(other -> other.call(call.apply(request(host, host.nextNumber()))));
  }

  private static Request request(PageHost host, int number) {
    return new Request(
        ROOT, new Request.Origin(host.address(), number, new RequestMark(number, number, 1)));
  }

  private <T> void attempt(Asked<T> asked, int number) {
    PageHost host = asked.host;
    if (asked.answer.isDone() || host.isAbandoned()) {
      return;
    }
    Place place = host.place();
    PageGateway gateway = place.serving;
    if (gateway == null || !gateway.isServing()) {
      later(millis(500, 500), () -> attempt(asked, number));
      return;
    }
    int moves = place.moves;
    var unused =
        gateway
            .call(asked.call.apply(request(host, number)))
            .whenComplete(
                (result, failure) ->
                    later(millis(0, 3), () -> answered(asked, moves, result, failure)));
    watch(asked, number, moves);
  }

  private <T> void answered(Asked<T> asked, int moves, T result, Throwable failure) {
    if (asked.answer.isDone() || asked.host.place().moves != moves) {
      // Another attempt was answered; or the connection is gone, and the call on its way elsewhere.
      return;
    }
    if (failure == null) {
      asked.answer.complete(result);
      return;
    }
    FileException refusal = FileException.of(failure);
    if (refusal.error() == FileError.TRY_LATER || refusal.error() == FileError.NO_SPACE) {
      later(millis(300, 300), () -> attempt(asked, asked.host.nextNumber()));
    } else {
      found("a program is told an error", asked.host.name() + ": " + refusal);
      asked.answer.completeExceptionally(refusal);
    }
  }

  /** Asks again under the same number when the connection is another one. */
  private <T> void watch(Asked<T> asked, int number, int moves) {
    later(
        seconds(1, 1),
        () -> {
          if (asked.answer.isDone()) {
            return;
          }
          if (asked.host.place().moves != moves) {
            count("calls sent again");
            attempt(asked, number);
          } else {
            watch(asked, number, moves);
          }
        });
  }

  // Its end.

  @Override
  public void end() {
    super.end();
    later(
        TimeUnit.SECONDS.toNanos(EXCUSED_SECONDS), () -> hosts.forEach(PageHost::abandonIfExcused));
  }

  @Override
  public boolean isFinished() {
    return isOver() && (directory == null || hosts.stream().allMatch(PageHost::isFinished));
  }

  @Override
  public List<String> waiting() {
    return hosts.stream()
        .filter(host -> !host.isFinished())
        .map(host -> host.name() + " waits for " + host.state())
        .toList();
  }

  @Override
  public void leave() {
    note("hosts with pages", counts.toString());
    if (counts.getOrDefault("files committed", 0) == 0) {
      found("nothing was committed", "in the whole scene: " + counts);
    }
    super.leave();
  }
}
