package org.weft.soak.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.protocol.rpc.Endpoint;
import org.weft.testkit.process.Await;

/**
 * A cluster whose every daemon runs on a host of its own of a {@link SwitchedNetwork}, installed as
 * docs/operations.md says. A host has the name of its daemon. Not thread-safe.
 */
public final class CutCluster implements RunningCluster {
  private static final int SYSMGR_PORT = 7300;
  private static final int REST_PORT = 7301;
  private static final int RATIS_PORT = 7302;
  private static final int FIRST_MANAGER_PORT = 7310;
  private static final int FIRST_OSD_PORT = 7400;
  private static final String CAPACITY = "2g";
  private static final long START_SECONDS = 120;

  private final SwitchedNetwork network;
  private final Path scratch;
  private final Path launcher;
  private final List<DaemonProcess> sysmgrs = new ArrayList<>();
  private final List<DaemonProcess> managers = new ArrayList<>();
  private final List<DaemonProcess> osds = new ArrayList<>();

  private CutCluster(SwitchedNetwork network, Path scratch) throws IOException {
    this.network = network;
    this.scratch = scratch;
    this.launcher = WeftProcess.smallLauncher(scratch);
  }

  /**
   * Starts one under {@code scratch/data}, and waits until all its daemons have joined.
   *
   * @param members of SysMgr
   */
  public static CutCluster start(
      SwitchedNetwork network, Path scratch, int osds, int managers, int members) throws Exception {
    CutCluster cluster = new CutCluster(network, scratch);
    try {
      cluster.addHosts(osds, managers, members);
      cluster.writeConf();
      for (DaemonProcess sysmgr : cluster.sysmgrs) {
        sysmgr.start();
      }
      Await.until(
          START_SECONDS, () -> "SysMgr made no join token", () -> Files.exists(cluster.token()));
      for (DaemonProcess joining :
          Stream.of(cluster.osds, cluster.managers).flatMap(List::stream).toList()) {
        joining.start();
        Await.until(
            START_SECONDS,
            () -> joining.name() + " has not joined",
            () -> !joining.lastOutput().isEmpty());
      }
      return cluster;
    } catch (AssertionError | Exception e) {
      cluster.close();
      throw e;
    }
  }

  private void addHosts(int osdCount, int managerCount, int members) throws Exception {
    for (int member = 1; member <= members; member++) {
      String name = "sysmgr-" + member;
      String host = network.add(name);
      sysmgrs.add(
          daemon(
              "sysmgr",
              name,
              new Endpoint(host, SYSMGR_PORT),
              "sysmgr.id=" + member,
              "sysmgr.rest=" + new Endpoint(host, REST_PORT),
              "sysmgr.ratis=" + new Endpoint(host, RATIS_PORT)));
    }
    for (int number = 1; number <= osdCount; number++) {
      String name = "osd-" + number;
      osds.add(daemon("osd", name, new Endpoint(network.add(name), osdPort(number))));
    }
    for (int number = 1; number <= managerCount; number++) {
      String name = "manager-" + number;
      managers.add(daemon("manager", name, new Endpoint(network.add(name), managerPort(number))));
    }
  }

  private DaemonProcess daemon(String kind, String name, Endpoint listen, String... settings) {
    List<String> command = new ArrayList<>(SwitchedNetwork.on(name));
    command.addAll(List.of(launcher.toString(), kind, "--config", conf().toString()));
    command.addAll(List.of("--listen", listen.toString(), "--data", data(name).toString()));
    command.addAll(List.of("--log-file", logs().resolve(name + ".log").toString()));
    command.addAll(List.of("--set", "host=" + name));
    for (String setting : settings) {
      command.addAll(List.of("--set", setting));
    }
    return DaemonProcess.of(name, data("run"), command, logs().resolve(name + ".log"));
  }

  private void writeConf() throws IOException {
    String members =
        IntStream.rangeClosed(1, sysmgrs.size())
            .mapToObj(
                member ->
                    member
                        + "="
                        + sysmgrAt(member, SYSMGR_PORT)
                        + "/"
                        + sysmgrAt(member, RATIS_PORT))
            .collect(Collectors.joining(","));
    Files.createDirectories(conf().getParent());
    Files.write(
        conf(),
        List.of(
            "cluster.name=cut",
            "cluster.sysmgr="
                + sysmgrs().stream().map(Endpoint::toString).collect(Collectors.joining(",")),
            "cluster.join-token-file=" + token(),
            "security.trusted-network=true",
            "sysmgr.members=" + members,
            "manager.min-osds=" + osds.size(),
            "manager.backup=" + (managers.size() > 1),
            "osd.sharing-disk=" + osds.size(),
            "osd.capacity=" + CAPACITY));
  }

  private Endpoint sysmgrAt(int member, int port) {
    return new Endpoint(network.address("sysmgr-" + member), port);
  }

  private Path data(String name) {
    return scratch.resolve("data").resolve(name);
  }

  private Path conf() {
    return data("weft.conf");
  }

  private Path logs() {
    return data("logs");
  }

  private Path token() {
    return data("sysmgr-1").resolve("join-token");
  }

  /** The network that its hosts are on. */
  public SwitchedNetwork network() {
    return network;
  }

  @Override
  public List<Endpoint> sysmgrs() {
    return at(SYSMGR_PORT);
  }

  @Override
  public Endpoint sysmgrAt(int member) {
    return sysmgrAt(member, SYSMGR_PORT);
  }

  @Override
  public List<Endpoint> rests() {
    return at(REST_PORT);
  }

  private List<Endpoint> at(int port) {
    return IntStream.rangeClosed(1, sysmgrs.size())
        .mapToObj(member -> sysmgrAt(member, port))
        .toList();
  }

  @Override
  public int osds() {
    return osds.size();
  }

  @Override
  public int managers() {
    return managers.size();
  }

  @Override
  public int members() {
    return sysmgrs.size();
  }

  @Override
  public DaemonProcess osd(int number) {
    return osds.get(number - 1);
  }

  @Override
  public DaemonProcess manager(int number) {
    return managers.get(number - 1);
  }

  @Override
  public DaemonProcess sysmgr(int member) {
    return sysmgrs.get(member - 1);
  }

  @Override
  public int osdPort(int number) {
    return FIRST_OSD_PORT + number;
  }

  @Override
  public int managerPort(int number) {
    return FIRST_MANAGER_PORT + number;
  }

  @Override
  public Path dataOf(DaemonProcess daemon) {
    return data(daemon.name());
  }

  /** Managers first, so that they can flush, and SysMgr last. */
  private List<DaemonProcess> inOrderOfEnd() {
    List<DaemonProcess> all = new ArrayList<>(managers);
    all.addAll(osds);
    List<DaemonProcess> last = new ArrayList<>(sysmgrs);
    Collections.reverse(last);
    all.addAll(last);
    return all;
  }

  @Override
  public void stop() throws Exception {
    network.mend();
    for (DaemonProcess daemon : inOrderOfEnd()) {
      daemon.stop();
    }
  }

  /** Kills whatever still runs. */
  @Override
  public void close() throws IOException {
    for (DaemonProcess daemon : inOrderOfEnd()) {
      daemon.process().ifPresent(ProcessHandle::destroyForcibly);
    }
  }
}
