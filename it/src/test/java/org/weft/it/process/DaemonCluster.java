package org.weft.it.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.cli.quickstart.QuickstartState;
import org.weft.client.ClientOptions;
import org.weft.client.WeftClient;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;

/**
 * A quickstart with a process for each daemon, whose daemons are killed, frozen and started again
 * one by one. Closing it leaves no process behind, however it went. Not thread-safe.
 */
public final class DaemonCluster implements AutoCloseable {
  private static final int PORTS_OF_MEMBER = 3;

  /** Before those of the first ones. */
  private static final int FIRST_MANAGER_PORT = 9;

  private static final int FIRST_GATEWAY_PORT = 49;
  private static final int FIRST_OSD_PORT = 99;

  private final Path scratch;
  private final Path data;
  private final int port;
  private final int osds;
  private final int managers;
  private final int members;
  private final int gateways;
  private final WeftProcess quickstart;
  private final QuickstartState state;

  private DaemonCluster(
      Path scratch,
      Path data,
      int port,
      int osds,
      int managers,
      int members,
      int gateways,
      WeftProcess quickstart)
      throws IOException {
    this.scratch = scratch;
    this.data = data;
    this.port = port;
    this.osds = osds;
    this.managers = managers;
    this.members = members;
    this.gateways = gateways;
    this.quickstart = quickstart;
    this.state = QuickstartState.read(data).orElseThrow();
  }

  /** Starts one under {@code scratch/data}, and waits until it is ready. */
  public static DaemonCluster start(Path scratch, int osds) throws Exception {
    return start(scratch, osds, 1);
  }

  /** With so many managers: of two or more each is the backup of another. */
  public static DaemonCluster start(Path scratch, int osds, int managers) throws Exception {
    return start(scratch, osds, managers, 1);
  }

  /** With 1 or 3 members of SysMgr. */
  public static DaemonCluster start(Path scratch, int osds, int managers, int members)
      throws Exception {
    return start(scratch, osds, managers, members, 0);
  }

  /** With so many NFS gateways, at most 9. */
  public static DaemonCluster start(Path scratch, int osds, int managers, int members, int gateways)
      throws Exception {
    int port = FreePorts.base(osds);
    Path data = scratch.resolve("data");
    WeftProcess quickstart =
        WeftProcess.startSmall(
            scratch,
            "quickstart",
            "--processes",
            "--nfs",
            "" + gateways,
            "--data",
            data.toString(),
            "--port-base",
            "" + port,
            "--osds",
            "" + osds,
            "--managers",
            "" + managers,
            "--nodes",
            "" + members,
            "--capacity",
            "2g");
    try {
      quickstart.awaitLine(line -> line.contains("is ready"));
      return new DaemonCluster(scratch, data, port, osds, managers, members, gateways, quickstart);
    } catch (AssertionError | Exception e) {
      // Its daemons go with it when it ends in order.
      quickstart.stop();
      throw e;
    }
  }

  /** Where SysMgr listens. */
  public int port() {
    return port;
  }

  public int osds() {
    return osds;
  }

  /** One of its OSDs; they count from 1. */
  public DaemonProcess osd(int number) {
    return DaemonProcess.osd(state, number);
  }

  public DaemonProcess manager() {
    return manager(1);
  }

  /** One of its managers; they count from 1. */
  public DaemonProcess manager(int number) {
    return DaemonProcess.manager(state, number);
  }

  public DaemonProcess sysmgr() {
    return sysmgr(1);
  }

  /** One of SysMgr's members; they count from 1. */
  public DaemonProcess sysmgr(int member) {
    return DaemonProcess.sysmgr(state, member);
  }

  /** One of its NFS gateways; they count from 1. */
  public DaemonProcess gateway(int number) {
    return DaemonProcess.gateway(state, number);
  }

  /** How many NFS gateways there are. */
  public int gateways() {
    return gateways;
  }

  /** Where an NFS gateway listens. */
  public int gatewayPort(int number) {
    return port + FIRST_GATEWAY_PORT + number;
  }

  public int managers() {
    return managers;
  }

  /** How many members SysMgr has. */
  public int members() {
    return members;
  }

  /** Where an OSD listens. */
  public int osdPort(int number) {
    return port + FIRST_OSD_PORT + number;
  }

  /** Where a manager listens. */
  public int managerPort(int number) {
    return port + FIRST_MANAGER_PORT + number;
  }

  /** What one daemon has on its disk. */
  public Path dataOf(DaemonProcess daemon) {
    return data.resolve(daemon.name());
  }

  /** Commands of an operator. */
  public WeftCli cli() {
    return new WeftCli(port);
  }

  /** What SysMgr says of the volumes. */
  public StatusWatch status() {
    return new StatusWatch(
        IntStream.range(0, members)
            .map(member -> port + 1 + PORTS_OF_MEMBER * member)
            .boxed()
            .toList());
  }

  /** SIGKILL; returns when it has ended. */
  public static void kill(DaemonProcess daemon) throws Exception {
    ProcessHandle process = daemon.process().orElseThrow();
    process.destroyForcibly();
    process.onExit().get();
  }

  /** SIGKILL to all, one right after the other; returns when they have ended. */
  public static void kill(List<DaemonProcess> daemons) throws Exception {
    List<ProcessHandle> processes = new ArrayList<>();
    for (DaemonProcess daemon : daemons) {
      processes.add(daemon.process().orElseThrow());
    }
    processes.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle process : processes) {
      process.onExit().get();
    }
  }

  public static void killAndRestart(DaemonProcess daemon) throws Exception {
    kill(daemon);
    daemon.start();
  }

  /** A client of it. */
  public static WeftClient connect(
      int port, String name, SystemEnvironment system, OwnedExecutor callbacks) throws Exception {
    return connect(port, name, system, callbacks, ClientOptions.DEFAULT_WRITE_WINDOW_BYTES);
  }

  /**
   * A client of it.
   *
   * @param writeWindowBytes that it has under way of one file
   */
  public static WeftClient connect(
      int port,
      String name,
      SystemEnvironment system,
      OwnedExecutor callbacks,
      int writeWindowBytes)
      throws Exception {
    ClientOptions options =
        ClientOptions.builder(
                List.of(new Endpoint("127.0.0.1", port)),
                System.getProperty("user.name"),
                callbacks)
            .clientName(name)
            .writeWindowBytes(writeWindowBytes)
            .build();
    return WeftClient.connect(options, system.environment()).get();
  }

  /** Stops everything in order; fails if that does not work. */
  public void stop() throws Exception {
    int exitCode = quickstart.stop();
    if (exitCode != 0) {
      throw new AssertionError("exit code " + exitCode + ": " + quickstart.output());
    }
  }

  /** {@code weft osd check} of every store; only after {@link #stop}. What it found wrong. */
  public List<String> unsoundStores() throws Exception {
    List<String> unsound = new ArrayList<>();
    for (int number = 1; number <= osds; number++) {
      Path store = data.resolve("osd-" + number);
      try (WeftProcess check = WeftProcess.startSmall(scratch, "osd", "check", store.toString())) {
        if (check.awaitEnd() != 0) {
          unsound.add(store.getFileName() + ": " + check.output());
        }
      }
    }
    return unsound;
  }

  private List<DaemonProcess> daemons() {
    List<DaemonProcess> all = new ArrayList<>();
    for (int number = 1; number <= managers; number++) {
      all.add(manager(number));
    }
    for (int number = 1; number <= osds; number++) {
      all.add(osd(number));
    }
    for (int number = 1; number <= gateways; number++) {
      all.add(gateway(number));
    }
    for (int member = 1; member <= members; member++) {
      all.add(sysmgr(member));
    }
    return all;
  }

  /** Kills whatever still runs. */
  @Override
  public void close() throws IOException, InterruptedException {
    quickstart.close();
    for (DaemonProcess daemon : daemons()) {
      daemon.process().ifPresent(ProcessHandle::destroyForcibly);
    }
  }
}
