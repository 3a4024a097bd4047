package org.weft.cli.quickstart;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.weft.cli.config.ByteSize;
import org.weft.cli.daemon.Logs;
import org.weft.cli.daemon.StartFailure;
import org.weft.cli.daemon.StopSignal;
import org.weft.cli.output.CommandFailure;
import org.weft.osd.OsdOptions;
import org.weft.protocol.system.PrivateFolder;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft quickstart}: a whole cluster on this machine, until Ctrl-C. */
@Command(
    name = "quickstart",
    description =
        "Starts a whole cluster on this machine: 1 SysMgr, 1 manager and 1 NFS gateway (3 or 5 of each with --nodes) and 6 OSDs. Files are RAID 4+1, so that"
            + " one OSD is a spare; with --nodes no node holds two components of a file: 1+1 on three. Data stays under the data directory; starting again finds it.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft quickstart                          in one process, under ./weft-data",
      "  weft quickstart --processes              a process for each daemon, with pid files",
      "  weft quickstart --nodes 3 --processes    three members of SysMgr and three managers; any one process may die",
      "  weft quickstart --nodes 5 --processes    five members of SysMgr; any two may die",
      "  weft quickstart --data /tmp/w --port-base 8300",
      "  weft quickstart --capacity 2G            each OSD may use 2 GiB",
      "  weft quickstart --no-nfs                 without an NFS gateway"
    })
public final class QuickstartCommand implements Callable<Integer> {
  private static final int MAX_MANAGERS = 5;
  private static final int MAX_GATEWAYS = 9;
  private static final int MAX_PORT = 65_535;
  private static final int PORTS_WITHOUT_OSDS = 100;
  private static final int MAX_OSDS = 200;

  /** Descriptors of each OSD of the process, without clients. */
  private static final int DESCRIPTORS_OF_OSD = 32;

  private static final long SUPERVISE_MILLIS = 500;
  private static final long START_MILLIS = 100;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "weft-data",
      description = "Where everything is kept (default: ${DEFAULT-VALUE}).")
  private Path data;

  @Option(
      names = "--port-base",
      paramLabel = "N",
      defaultValue = "7300",
      description =
          "First port (default: ${DEFAULT-VALUE}): +0 SysMgr, +1 REST, +2 Ratis, the same at +3 and +6 with --nodes 3, and at +20 and +23 with --nodes 5, +10.. managers, +50.. NFS gateways, +100.. OSDs.")
  private int portBase;

  @Option(
      names = "--osds",
      paramLabel = "N",
      defaultValue = "6",
      description = "How many OSDs (default: ${DEFAULT-VALUE}).")
  private int osds;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "1, 3 or 5 nodes (default: ${DEFAULT-VALUE}): each has a member of SysMgr, a manager and a share of the OSDs.")
  private int nodes;

  @Option(
      names = "--managers",
      paramLabel = "N",
      description =
          "1 to 5 managers (default: one on each node). With two or more each volume has a backup: it is served on when the manager that serves it dies.")
  private Integer managers;

  @Option(
      names = "--nfs",
      paramLabel = "N",
      description = "0 to 9 NFS gateways (default: one on each node).")
  private Integer gateways;

  @Option(
      names = "--nfs-beside",
      description =
          "With --processes: NFS gateways run in the processes of managers (manager.nfs), as many as there are managers at most.")
  private boolean gatewaysBeside;

  @Option(names = "--no-nfs", description = "No NFS gateway, as with --nfs 0.")
  private boolean noGateways;

  @Option(
      names = "--capacity",
      paramLabel = "SIZE",
      description = "Space each OSD may use, like 512m or 4G (default: a share of the free space).")
  private String capacity;

  @Option(
      names = "--durability",
      paramLabel = "MODE",
      defaultValue = "write-back",
      description =
          "write-back (acknowledge when the kernels have it) or write-through (default:"
              + " ${DEFAULT-VALUE}).")
  private String durability;

  @Option(names = "--processes", description = "A process for each daemon; pid files in DIR/run.")
  private boolean processes;

  @Mixin private BenchParts bench = new BenchParts();

  @Override
  public Integer call() throws Exception {
    QuickstartPlan plan = plan();
    StartFailure.requireDescriptors(
        processes
            ? StartFailure.DAEMON_DESCRIPTORS
            : StartFailure.DAEMON_DESCRIPTORS + osds * DESCRIPTORS_OF_OSD);
    PidFile own = PidFile.of(plan.runDirectory(), "quickstart");
    Optional<ProcessHandle> other = own.process();
    if (other.isPresent()) {
      throw new CommandFailure(
          "a quickstart runs already on "
              + plan.data()
              + " (pid "
              + other.get().pid()
              + "); stop it with: kill "
              + other.get().pid());
    }
    StopSignal stop = StopSignal.install();
    boolean clean = false;
    try {
      prepare(plan, own);
      run(plan, stop);
      own.remove();
      clean = true;
    } finally {
      stop.stopped(clean);
    }
    return 0;
  }

  private static void prepare(QuickstartPlan plan, PidFile own) throws Exception {
    try {
      PrivateFolder.prepare(plan.data());
      Files.createDirectories(plan.logDirectory());
      own.write(ProcessHandle.current().pid());
    } catch (IOException e) {
      throw StartFailure.explained(e, plan.data());
    }
  }

  private void run(QuickstartPlan plan, StopSignal stop) throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    Logs.toFile(plan.logDirectory().resolve("quickstart.log"));
    out.println("Starting a Weft cluster under " + plan.data());
    out.flush();
    LocalCluster cluster;
    try {
      cluster = start(plan, stop, out);
    } catch (Exception e) {
      throw StartFailure.explained(e, plan.data());
    }
    try {
      takeFirstSteps(plan, cluster, stop);
      FirstSteps.print(plan, out);
      while (!stop.await(SUPERVISE_MILLIS)) {
        cluster.supervise();
      }
      out.println("Stopping ...");
      out.flush();
    } finally {
      cluster.stop();
    }
    out.println("Stopped. The data stays under " + plan.data());
    out.flush();
  }

  /** Waits for the root volume, but not for one that cannot come, nor beyond a Ctrl-C. */
  private static void takeFirstSteps(QuickstartPlan plan, LocalCluster cluster, StopSignal stop)
      throws Exception {
    FutureTask<Void> steps =
        new FutureTask<>(
            () -> {
              FirstSteps.prepare(plan);
              return null;
            });
    Thread thread = new Thread(steps, "first-steps");
    thread.setDaemon(true);
    thread.start();
    while (!steps.isDone()) {
      if (stop.await(START_MILLIS)) {
        throw new CommandFailure("stopped while starting");
      }
      cluster.requireRunning();
      cluster.supervise();
    }
    try {
      steps.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private LocalCluster start(QuickstartPlan plan, StopSignal stop, PrintWriter out)
      throws Exception {
    if (!processes) {
      PortCheck.requireFree(plan.endpoints());
      refuseSurvivors(plan);
      QuickstartState.of(plan, false, launcher()).write();
      return InProcessCluster.start(plan, bench, out);
    }
    if (!anyProcess(plan)) {
      PortCheck.requireFree(plan.endpoints());
      PortCheck.requireFree(plan.metricsEndpoints());
    }
    QuickstartState.of(plan, true, launcher()).write();
    return ProcessCluster.start(plan, launcher(), bench.overTcp(), out, stop);
  }

  private static void refuseSurvivors(QuickstartPlan plan) throws IOException {
    if (anyProcess(plan)) {
      throw new CommandFailure(
          "daemons of an earlier `quickstart --processes` still run on "
              + plan.data()
              + "; start with --processes to adopt them, or stop them: kill $(cat "
              + plan.runDirectory()
              + "/*-*.pid)");
    }
  }

  private static boolean anyProcess(QuickstartPlan plan) throws IOException {
    String launcher = launcher();
    for (int member = 1; member <= plan.nodes(); member++) {
      if (DaemonProcess.sysmgr(plan, launcher, member).process().isPresent()) {
        return true;
      }
    }
    for (int number = 1; number <= plan.managers(); number++) {
      if (DaemonProcess.manager(plan, launcher, number).process().isPresent()) {
        return true;
      }
    }
    for (int number = 1; number <= plan.gatewayProcesses(); number++) {
      if (DaemonProcess.gateway(plan, launcher, number).process().isPresent()) {
        return true;
      }
    }
    for (int number = 1; number <= plan.osdCount(); number++) {
      if (DaemonProcess.osd(plan, launcher, number).process().isPresent()) {
        return true;
      }
    }
    return false;
  }

  private static String launcher() {
    return Optional.ofNullable(System.getenv("WEFT_LAUNCHER")).orElse("weft");
  }

  private QuickstartPlan plan() {
    require(nodes == 1 || nodes == 3 || nodes == 5, "--nodes must be 1, 3 or 5, got " + nodes);
    int count = managers == null ? nodes : managers;
    require(
        count >= 1 && count <= MAX_MANAGERS,
        "--managers must be 1 to " + MAX_MANAGERS + ", got " + count);
    require(!processes || !bench.any(), "--bench-... is for daemons in one process");
    require(processes || !bench.overTcp(), "--bench-tcp is for daemons in processes of their own");
    require(!noGateways || gateways == null, "--nfs and --no-nfs exclude each other");
    int nfs = noGateways ? 0 : gateways == null ? nodes : gateways;
    require(nfs >= 0 && nfs <= MAX_GATEWAYS, "--nfs must be 0 to 9, got " + nfs);
    require(
        !gatewaysBeside || (processes && nfs <= count),
        "--nfs-beside needs --processes, and a manager for each of "
            + nfs
            + " gateways; there are "
            + count);
    require(osds >= 1 && osds <= MAX_OSDS, "--osds must be 1 to " + MAX_OSDS + ", got " + osds);
    int highest = MAX_PORT - PORTS_WITHOUT_OSDS - osds;
    require(
        portBase >= 1 && portBase <= highest,
        "--port-base must be 1 to " + highest + ", got " + portBase);
    require(
        durability.equals("write-back") || durability.equals("write-through"),
        "--durability must be write-back or write-through, got '" + durability + "'");
    OptionalLong capacityBytes =
        capacity == null
            ? OptionalLong.empty()
            : OptionalLong.of(ByteSize.parse("--capacity", capacity));
    require(
        capacityBytes.orElse(OsdOptions.MIN_CAPACITY_BYTES) >= OsdOptions.MIN_CAPACITY_BYTES,
        "--capacity must be 1M or more, got " + capacity);
    return new QuickstartPlan(
        data.toAbsolutePath().normalize(),
        portBase,
        osds,
        capacityBytes,
        durability,
        nodes,
        count,
        nfs,
        gatewaysBeside);
  }

  private void require(boolean holds, String rule) {
    if (!holds) {
      throw new CommandLine.ParameterException(spec.commandLine(), rule);
    }
  }
}
