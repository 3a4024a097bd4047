package org.weft.cli.quickstart;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.cli.daemon.StopSignal;
import org.weft.cli.output.CommandFailure;
import org.weft.protocol.rpc.Endpoint;

/**
 * Each daemon in a process of its own. The processes survive the {@code kill -9} of this one; the
 * next start adopts those that still run.
 */
final class ProcessCluster implements LocalCluster {
  private static final long START_POLL_MILLIS = 50;
  private static final int START_POLLS = 1_200;

  private final PrintWriter out;
  private final List<DaemonProcess> daemons = new ArrayList<>();
  private final Map<String, Long> pids = new LinkedHashMap<>();

  /** Without any of these there will be no root volume; none once there is one. */
  private List<DaemonProcess> needed = List.of();

  private ProcessCluster(PrintWriter out) {
    this.out = out;
  }

  /**
   * Starts what does not run.
   *
   * @param overTcp those that are started talk over TCP alone
   */
  static ProcessCluster start(
      QuickstartPlan plan, String launcher, boolean overTcp, PrintWriter out, StopSignal stop)
      throws Exception {
    ProcessCluster cluster = new ProcessCluster(out);
    try {
      writeConf(plan, overTcp);
      cluster.startAll(plan, launcher, stop);
      return cluster;
    } catch (Exception e) {
      cluster.stop();
      throw e;
    }
  }

  private void startAll(QuickstartPlan plan, String launcher, StopSignal stop) throws Exception {
    boolean isNew = !Files.exists(plan.joinTokenFile());
    for (int member = 1; member <= plan.nodes(); member++) {
      startOrAdopt(DaemonProcess.sysmgr(plan, launcher, member));
    }
    awaitToken(plan, DaemonProcess.sysmgr(plan, launcher, 1), stop);
    for (int number = 1; number <= plan.osdCount(); number++) {
      boolean joins = !Files.exists(plan.osdData(number));
      DaemonProcess osd = DaemonProcess.osd(plan, launcher, number);
      startOrAdopt(osd);
      if (joins) {
        awaitOutput(osd, stop);
      }
    }
    for (int number = 1; number <= plan.managers(); number++) {
      boolean joins = number > 1 && !Files.exists(plan.managerData(number));
      if (joins) {
        awaitOutput(DaemonProcess.manager(plan, launcher, number - 1), stop);
      }
      startOrAdopt(DaemonProcess.manager(plan, launcher, number));
    }
    needed = isNew ? List.copyOf(daemons) : List.of();
    for (int number = 1; number <= plan.gatewayProcesses(); number++) {
      startOrAdopt(DaemonProcess.gateway(plan, launcher, number));
    }
  }

  private static void writeConf(QuickstartPlan plan, boolean overTcp) throws IOException {
    WeftConf conf =
        WeftConf.defaults()
            .with(ConfigKey.CLUSTER_NAME, "quickstart")
            .with(ConfigKey.CLUSTER_SYSMGR, joined(plan.sysmgrs()))
            .with(ConfigKey.CLUSTER_JOIN_TOKEN_FILE, plan.joinTokenFile().toString())
            .with(ConfigKey.HOST, "localhost")
            .with(ConfigKey.SYSMGR_MEMBERS, members(plan))
            .with(ConfigKey.MANAGER_MIN_OSDS, Integer.toString(plan.minOsds()))
            .with(ConfigKey.MANAGER_BACKUP, Boolean.toString(plan.managers() > 1))
            .with(ConfigKey.OSD_SHARING_DISK, Integer.toString(plan.osdCount()))
            .with(ConfigKey.OSD_DURABILITY, plan.durability());
    if (overTcp) {
      conf = conf.with(ConfigKey.LOCAL_SOCKETS, "false");
    }
    if (plan.capacityBytes().isPresent()) {
      conf = conf.with(ConfigKey.OSD_CAPACITY, Long.toString(plan.capacityBytes().getAsLong()));
    }
    Files.createDirectories(plan.data());
    Files.writeString(plan.data().resolve("weft.conf"), conf.toText());
  }

  private static String joined(List<Endpoint> endpoints) {
    return endpoints.stream().map(Endpoint::toString).collect(Collectors.joining(","));
  }

  private static String members(QuickstartPlan plan) {
    return IntStream.rangeClosed(1, plan.nodes())
        .mapToObj(member -> member + "=" + plan.sysmgr(member) + "/" + plan.ratis(member))
        .collect(Collectors.joining(","));
  }

  private void startOrAdopt(DaemonProcess daemon) throws IOException {
    daemons.add(daemon);
    Optional<ProcessHandle> running = daemon.process();
    ProcessHandle process = running.isPresent() ? running.get() : daemon.start();
    pids.put(daemon.name(), process.pid());
    out.printf(
        "  %-10s pid %d%s%n",
        daemon.name(), process.pid(), running.isPresent() ? " (was still running: adopted)" : "");
    out.flush();
  }

  /** New OSDs join one after another, so that osd-3 is number 3 for the cluster, too. */
  private static void awaitOutput(DaemonProcess daemon, StopSignal stop) throws Exception {
    for (int i = 0; i < START_POLLS && daemon.lastOutput().isEmpty(); i++) {
      requireAlive(daemon, stop);
    }
  }

  private static void requireAlive(DaemonProcess daemon, StopSignal stop) throws Exception {
    if (stop.await(START_POLL_MILLIS)) {
      throw new CommandFailure("stopped while starting");
    }
    requireRunning(daemon);
  }

  private static void requireRunning(DaemonProcess daemon) throws IOException {
    if (daemon.process().isEmpty()) {
      throw new CommandFailure(
          daemon.name() + " ended while it started. It said:\n" + daemon.lastOutput());
    }
  }

  @Override
  public void requireRunning() throws IOException {
    for (DaemonProcess daemon : needed) {
      requireRunning(daemon);
    }
  }

  private static void awaitToken(QuickstartPlan plan, DaemonProcess sysmgr, StopSignal stop)
      throws Exception {
    for (int i = 0; i < START_POLLS && !Files.exists(plan.joinTokenFile()); i++) {
      requireAlive(sysmgr, stop);
    }
  }

  @Override
  public void supervise() throws IOException {
    for (DaemonProcess daemon : daemons) {
      Long known = pids.get(daemon.name());
      Long now = daemon.process().map(ProcessHandle::pid).orElse(null);
      if (known != null && now == null) {
        out.printf(
            "%s (pid %d) has ended; its data stays. It said last:%n%sTo have it back:%n    %s%n",
            daemon.name(), known, daemon.lastOutput().indent(4), daemon.shellLine());
      } else if (now != null && !now.equals(known)) {
        out.println(daemon.name() + " runs again, as pid " + now);
      }
      out.flush();
      pids.put(daemon.name(), now);
    }
  }

  /** Stops gateways and managers first, so that they can flush, and SysMgr last. */
  @Override
  public void stop() throws Exception {
    List<DaemonProcess> reversed = new ArrayList<>(daemons);
    Collections.reverse(reversed);
    for (DaemonProcess daemon : reversed) {
      daemon.stop();
    }
  }
}
