package org.weft.soak.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.cli.quickstart.QuickstartState;
import org.weft.client.ClientOptions;
import org.weft.client.WeftClient;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;

/** A quickstart on loopback with a process for each daemon. Not thread-safe. */
public final class DaemonCluster implements RunningCluster {
  private static final String LOOPBACK = "127.0.0.1";
  private static final int PORTS_OF_MEMBER = 3;

  /** Tries of a start whose ports another process takes. */
  private static final int STARTS = 3;

  /** As the quickstart says it before it starts a daemon, and as daemons say it later. */
  private static final Pattern PORT_TAKEN =
      Pattern.compile(
          "port \\d+ .*(is taken|cannot be listened on)"
              + "|cannot listen (for datagrams )?on \\S+: .*(the port|address already) (is )?in use",
          Pattern.CASE_INSENSITIVE);

  /** Before those of the first ones. */
  private static final int FIRST_MANAGER_PORT = 9;

  private static final int FIRST_GATEWAY_PORT = 49;
  private static final int FIRST_OSD_PORT = 99;

  private final Path data;
  private final int port;
  private final int osds;
  private final int managers;
  private final int members;
  private final int gateways;
  private final WeftProcess quickstart;
  private final QuickstartState state;

  private DaemonCluster(
      Path data,
      int port,
      int osds,
      int managers,
      int members,
      int gateways,
      WeftProcess quickstart)
      throws IOException {
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
    return start(scratch, osds, managers, members, gateways, List.of());
  }

  /** With an NFS gateway in the process of each manager: {@link #manager} is both. */
  public static DaemonCluster startWithGatewaysBeside(Path scratch, int osds, int managers)
      throws Exception {
    return start(scratch, osds, managers, 1, managers, List.of("--nfs-beside"));
  }

  private static DaemonCluster start(
      Path scratch, int osds, int managers, int members, int gateways, List<String> more)
      throws Exception {
    return start(scratch, () -> FreePorts.base(osds), osds, managers, members, gateways, more);
  }

  /** One whose ports count from the first of those bases where all are free. */
  static DaemonCluster start(Path scratch, IntSupplier bases, int osds) throws Exception {
    return start(scratch, bases, osds, 1, 1, 0, List.of());
  }

  private static DaemonCluster start(
      Path scratch,
      IntSupplier bases,
      int osds,
      int managers,
      int members,
      int gateways,
      List<String> more)
      throws Exception {
    for (int tries = 1; ; tries++) {
      int port = bases.getAsInt();
      Path data = scratch.resolve("data");
      List<String> arguments =
          new ArrayList<>(
              List.of(
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
                  "2g"));
      arguments.addAll(more);
      WeftProcess quickstart = WeftProcess.startSmall(scratch, arguments.toArray(new String[0]));
      try {
        quickstart.awaitLine(line -> line.contains("is ready"));
        return new DaemonCluster(data, port, osds, managers, members, gateways, quickstart);
      } catch (AssertionError | Exception e) {
        // Its daemons go with it when it ends in order.
        quickstart.stop();
        // Another process of the machine may take a port between the look and the start. A cluster
        // of another build looks for its ports in the same range.
        if (tries == STARTS || !isPortTaken(quickstart.output())) {
          throw e;
        }
        FileTree.delete(data);
      }
    }
  }

  /** A process did not start because of a port, as far as it or its daemons say so. */
  static boolean isPortTaken(String output) {
    return PORT_TAKEN.matcher(output).find();
  }

  /** Where SysMgr listens. */
  public int port() {
    return port;
  }

  @Override
  public int osds() {
    return osds;
  }

  @Override
  public DaemonProcess osd(int number) {
    return DaemonProcess.osd(state, number);
  }

  public DaemonProcess manager() {
    return manager(1);
  }

  @Override
  public DaemonProcess manager(int number) {
    return DaemonProcess.manager(state, number);
  }

  public DaemonProcess sysmgr() {
    return sysmgr(1);
  }

  @Override
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

  @Override
  public int managers() {
    return managers;
  }

  @Override
  public int members() {
    return members;
  }

  @Override
  public int osdPort(int number) {
    return port + FIRST_OSD_PORT + number;
  }

  @Override
  public int managerPort(int number) {
    return port + FIRST_MANAGER_PORT + number;
  }

  @Override
  public Path dataOf(DaemonProcess daemon) {
    return data.resolve(daemon.name());
  }

  @Override
  public Endpoint sysmgrAt(int member) {
    return new Endpoint(LOOPBACK, port + PORTS_OF_MEMBER * (member - 1));
  }

  /** The first member: clients learn of the others. */
  @Override
  public List<Endpoint> sysmgrs() {
    return List.of(new Endpoint(LOOPBACK, port));
  }

  @Override
  public List<Endpoint> rests() {
    return IntStream.range(0, members)
        .mapToObj(member -> new Endpoint(LOOPBACK, port + 1 + PORTS_OF_MEMBER * member))
        .toList();
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
    return connect(
        List.of(new Endpoint(LOOPBACK, port)), name, system, callbacks, writeWindowBytes);
  }

  /** A client of any cluster. */
  public static WeftClient connect(
      List<Endpoint> sysmgrs, String name, SystemEnvironment system, OwnedExecutor callbacks)
      throws Exception {
    return connect(sysmgrs, name, system, callbacks, ClientOptions.DEFAULT_WRITE_WINDOW_BYTES);
  }

  /**
   * A client of any cluster.
   *
   * @param writeWindowBytes that it has under way of one file
   */
  public static WeftClient connect(
      List<Endpoint> sysmgrs,
      String name,
      SystemEnvironment system,
      OwnedExecutor callbacks,
      int writeWindowBytes)
      throws Exception {
    ClientOptions options =
        ClientOptions.builder(sysmgrs, System.getProperty("user.name"), callbacks)
            .clientName(name)
            .writeWindowBytes(writeWindowBytes)
            .build();
    return WeftClient.connect(options, system.environment()).get();
  }

  @Override
  public void stop() throws Exception {
    int exitCode = quickstart.stop();
    if (exitCode != 0) {
      throw new AssertionError("exit code " + exitCode + ": " + quickstart.output());
    }
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
  public void close() throws IOException {
    quickstart.close();
    for (DaemonProcess daemon : daemons()) {
      daemon.process().ifPresent(ProcessHandle::destroyForcibly);
    }
  }
}
