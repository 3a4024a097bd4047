package org.weft.cli.quickstart;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.weft.cli.metrics.ClockMeters;
import org.weft.cli.metrics.DaemonMeters;
import org.weft.cli.metrics.MetricsRoute;
import org.weft.cli.metrics.NfsMeters;
import org.weft.cli.metrics.ProcessMeters;
import org.weft.cli.output.CommandFailure;
import org.weft.metadata.ManagerDaemon;
import org.weft.metadata.ManagerOptions;
import org.weft.metadata.ManagerTuning;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.daemon.NfsOptions;
import org.weft.nfs.daemon.PortmapMode;
import org.weft.osd.OsdDaemon;
import org.weft.osd.OsdOptions;
import org.weft.osd.store.Durability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.system.OpenParts;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.transport.TransportOptions;
import org.weft.sysmgr.SysmgrDaemon;
import org.weft.sysmgr.SysmgrMember;
import org.weft.sysmgr.SysmgrOptions;

/**
 * Every daemon in this JVM; each listens on its own port, and nothing goes around the transport.
 */
final class InProcessCluster implements LocalCluster {
  private static final int READY_SECONDS = 60;

  /** All daemons share the memory of one process. */
  private static final long GATEWAY_BYTES = 64L << 20;

  private final QuickstartPlan plan;
  private final BenchParts bench;
  private final PrintWriter out;
  private final ProcessMeters meters = new ProcessMeters();
  private final SystemEnvironment system;
  private final Map<Integer, OsdDaemon> osds = new TreeMap<>();
  private final List<SysmgrDaemon> sysmgrs = new CopyOnWriteArrayList<>();
  private final List<ManagerDaemon> managers = new ArrayList<>();
  private final List<NfsDaemon> gateways = new ArrayList<>();

  private InProcessCluster(QuickstartPlan plan, BenchParts bench, PrintWriter out) {
    this.plan = plan;
    this.bench = bench;
    this.out = out;
    this.system = SystemEnvironment.create(TransportOptions.defaults(), meters.transport());
  }

  static InProcessCluster start(QuickstartPlan plan, BenchParts bench, PrintWriter out)
      throws Exception {
    InProcessCluster cluster = new InProcessCluster(plan, bench, out);
    try {
      cluster.startAll();
      return cluster;
    } catch (Exception e) {
      try {
        cluster.stop();
      } catch (IOException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  private void startAll() throws Exception {
    Environment environment = system.environment();
    startSysmgrs(environment);
    startOsds();
    for (int number = 1; number <= plan.managers(); number++) {
      startManager(number, environment);
    }
    for (int number = 1; number <= plan.gateways(); number++) {
      startGateway(number, environment);
    }
    meterDaemons();
  }

  /** One that the cluster refuses, as since `weft osd remove`, keeps the others from nothing. */
  private void startOsds() throws Exception {
    WeftException refusal = null;
    int started = 0;
    for (int number = 1; number <= plan.osdCount(); number++) {
      String what = plan.osd(number).toString();
      try {
        startOsd(number);
        started++;
      } catch (WeftException e) {
        if (e.code() != ErrorCode.INVALID_ARGUMENT) {
          throw e;
        }
        refusal = e;
        what = "stays out (" + plan.osdData(number) + "): " + e.getMessage();
      }
      out.println("  osd-" + number + "      " + what);
      out.flush();
    }
    if (started == 0) {
      throw refusal;
    }
  }

  private synchronized void startManager(int number, Environment environment) throws Exception {
    managers.add(
        ManagerDaemon.start(
            new ManagerOptions(
                plan.managerData(number),
                plan.manager(number),
                plan.manager(number),
                plan.sysmgrs(),
                sysmgrs.get(0).joinToken(),
                plan.managerHost(number),
                plan.minOsds(),
                ManagerTuning.DEFAULT.withBackups(plan.managers() > 1).withRepair(bench.repair())),
            environment));
    out.println("  manager-" + number + "  " + plan.manager(number));
    out.flush();
  }

  private synchronized void startGateway(int number, Environment environment) throws Exception {
    gateways.add(
        NfsDaemon.start(
            new NfsOptions(
                plan.gateway(number),
                plan.gateway(number),
                plan.sysmgrs(),
                sysmgrs.get(0).joinToken(),
                plan.managerHost(number),
                PortmapMode.OFF,
                GATEWAY_BYTES),
            environment));
    out.println("  nfs-" + number + "      " + plan.gateway(number));
    out.flush();
  }

  private synchronized List<NfsDaemon> runningGateways() {
    return List.copyOf(gateways);
  }

  private void startSysmgrs(Environment environment) throws Exception {
    List<SysmgrMember> members =
        IntStream.rangeClosed(1, plan.nodes())
            .mapToObj(id -> new SysmgrMember(id, plan.sysmgr(id), plan.ratis(id)))
            .toList();
    for (SysmgrMember member : members) {
      int id = member.memberId();
      sysmgrs.add(
          SysmgrDaemon.start(
              new SysmgrOptions(
                  plan.sysmgrData(id),
                  id,
                  members,
                  plan.sysmgr(id),
                  plan.rest(id),
                  plan.ratis(id),
                  "quickstart",
                  System.getProperty("user.name")),
              environment));
      out.println("  sysmgr-" + id + "   " + plan.sysmgr(id));
    }
    for (SysmgrDaemon sysmgr : sysmgrs) {
      sysmgr.ready().toCompletableFuture().get(READY_SECONDS, TimeUnit.SECONDS);
    }
    SysmgrDaemon first = sysmgrs.get(0);
    first.addRoutes(QuickstartRoutes.of(this, RestToken.create(plan, environment.random())));
    first.addRoutes(MetricsRoute.of(meters));
    ClockMeters.of(meters, this::clocksAheadMillis);
  }

  /** As the member that leads hears them. */
  private Map<String, Long> clocksAheadMillis() {
    Map<String, Long> ahead = new TreeMap<>();
    sysmgrs.forEach(sysmgr -> ahead.putAll(sysmgr.clocksAheadMillis()));
    return ahead;
  }

  private void meterDaemons() {
    DaemonMeters daemons = new DaemonMeters(meters);
    daemons.managers(this::runningManagers);
    new NfsMeters(meters).gateways(this::runningGateways);
    for (int number = 1; number <= plan.osdCount(); number++) {
      int each = number;
      daemons.osd("osd-" + number, () -> runningOsd(each));
    }
  }

  private synchronized List<ManagerDaemon> runningManagers() {
    return List.copyOf(managers);
  }

  private synchronized Optional<OsdDaemon> runningOsd(int number) {
    return Optional.ofNullable(osds.get(number));
  }

  /** Starts an OSD that does not run; its number is its place in this quickstart. */
  synchronized void startOsd(int number) throws Exception {
    requireOsd(number);
    if (osds.containsKey(number)) {
      throw new CommandFailure("osd-" + number + " runs already");
    }
    osds.put(
        number,
        OsdDaemon.start(
            new OsdOptions(
                plan.osdData(number),
                plan.osd(number),
                plan.osd(number),
                plan.sysmgrs(),
                sysmgrs.get(0).joinToken(),
                plan.host(number),
                plan.capacityBytes(),
                plan.osdCount(),
                durability()),
            system.environment(),
            bench.disk()));
  }

  private Durability durability() {
    return plan.durability().equals("write-through")
        ? Durability.WRITE_THROUGH
        : Durability.WRITE_BACK;
  }

  /** Stops an OSD that runs. */
  synchronized void stopOsd(int number) throws Exception {
    requireOsd(number);
    OsdDaemon osd = osds.remove(number);
    if (osd == null) {
      throw new CommandFailure("osd-" + number + " is stopped already");
    }
    osd.close();
  }

  private void requireOsd(int number) {
    if (number < 1 || number > plan.osdCount()) {
      throw new CommandFailure(
          "there is no osd-"
              + number
              + " here; this quickstart has osd-1 to osd-"
              + plan.osdCount());
    }
  }

  @Override
  public void supervise() {}

  /** None of them ends by itself while they start: what fails there fails the start. */
  @Override
  public void requireRunning() {}

  @Override
  public synchronized void stop() throws IOException {
    // The first is closed last: each uses those before it.
    OpenParts all = new OpenParts();
    all.add(meters);
    all.add(system);
    sysmgrs.forEach(all::add);
    osds.values().forEach(all::add);
    managers.forEach(all::add);
    gateways.forEach(all::add);
    osds.clear();
    managers.clear();
    gateways.clear();
    sysmgrs.clear();
    all.close();
  }
}
