package org.weft.soak;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.protocol.rpc.Endpoint;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.FileTree;
import org.weft.soak.process.RunningCluster;
import org.weft.soak.process.WeftCli;
import org.weft.sysmgr.storage.JoinTokenFile;
import org.weft.testkit.process.Await;

/**
 * A member of SysMgr that was killed and has lost its disk, and what an operator does then
 * (docs/operations.md). The operator removes the member. Another member joins at its address and
 * gets another number. Commands are repeated until they are done, as an operator does. Not
 * thread-safe.
 */
final class LostMember {
  /** An addition of a number that no process has is given up after a minute. */
  private static final long SECONDS = 240;

  private static final String NOT_THERE = "none is there";

  private final WeftCli cli;
  private final DaemonProcess process;
  private final DaemonProcess joining;
  private final Path data;
  private final Path token;
  private final String address;

  private LostMember(RunningCluster cluster, int member, Path token) {
    List<Endpoint> others =
        IntStream.rangeClosed(1, cluster.members())
            .filter(each -> each != member)
            .mapToObj(cluster::sysmgrAt)
            .toList();
    this.cli = new WeftCli(others);
    this.process = cluster.sysmgr(member);
    this.token = token;
    this.data = cluster.dataOf(process);
    this.address = cluster.sysmgrAt(member).toString();
    this.joining =
        process.with(
            "--join",
            others.stream().map(Endpoint::toString).collect(Collectors.joining(",")),
            "--join-token-file",
            token.toString());
  }

  /** Kills that member, which then has no disk any more. Where there are others. */
  static LostMember kill(RunningCluster cluster, int member) throws Exception {
    Path data = cluster.dataOf(cluster.sysmgr(member));
    Path token = data.resolveSibling(JoinTokenFile.NAME);
    Files.deleteIfExists(token);
    // The copy that the operator made when the cluster was made.
    Files.copy(data.resolve(JoinTokenFile.NAME), token);
    LostMember lost = new LostMember(cluster, member, token);
    DaemonCluster.kill(lost.process);
    FileTree.delete(data);
    return lost;
  }

  /** It is no member any more when this returns. */
  void remove() throws Exception {
    until("is still a member", () -> row().equals(NOT_THERE), () -> change("remove"));
  }

  /** Another process waits in its place to be added. */
  void startAnother() throws Exception {
    joining.start();
    awaitWaiting();
  }

  private void awaitWaiting() throws Exception {
    until("does not wait to be added", () -> row().contains("waits for"), () -> {});
  }

  /** SIGKILL while it waits. */
  void killAndRestart() throws Exception {
    DaemonCluster.kill(process);
    joining.start();
    awaitWaiting();
  }

  /** It is a member, has the log, and knows the cluster when this returns. */
  void add() throws Exception {
    until(
        "has not become a member",
        () -> row().contains("follows") || row().contains("leader"),
        () -> change("add"));
    until("got no token", () -> Files.exists(data.resolve(JoinTokenFile.NAME)), () -> {});
  }

  private void change(String how) {
    var unused =
        cli.tryRun("sysmgr", "member", how, address, "--join-token-file", token.toString());
  }

  /** What the members say of that address; empty: nothing, or no member answers. */
  private String row() {
    WeftCli.Result list = cli.tryRun("sysmgr", "member", "list");
    return list.exitCode() != 0
        ? ""
        : list.output()
            .lines()
            .filter(line -> line.contains(address))
            .findFirst()
            .orElse(NOT_THERE);
  }

  private interface Look {
    boolean holds() throws Exception;
  }

  private void until(String otherwise, Look done, Runnable step) throws Exception {
    Await.until(
        SECONDS,
        () -> "SysMgr at " + address + " " + otherwise + ": " + row(),
        () -> {
          if (done.holds()) {
            return true;
          }
          step.run();
          return done.holds();
        });
  }
}
