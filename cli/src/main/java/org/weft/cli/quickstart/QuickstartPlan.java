package org.weft.cli.quickstart;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.weft.cli.metrics.MetricsServer;
import org.weft.protocol.rpc.Endpoint;

/**
 * What a quickstart runs, and where. All ports count from the base. SysMgr has + 0, REST + 1 and
 * Ratis + 2. The second and third members of SysMgr have the same from + 3 and + 6 on, the next two
 * from + 20 and + 23 on. Managers have + 10 and on, NFS gateways + 50 and on, OSDs + 100 and on.
 * With a process for each daemon, managers and OSDs answer {@code /metrics} 1000 ports higher.
 * Data: {@code sysmgr-N}, {@code manager-N}, {@code osd-N}, {@code logs} and {@code run} under one
 * directory.
 *
 * @param gatewaysBeside NFS gateways run in the processes of managers, each in that of its number
 */
record QuickstartPlan(
    Path data,
    int portBase,
    int osdCount,
    OptionalLong capacityBytes,
    String durability,
    int nodes,
    int managers,
    int gateways,
    boolean gatewaysBeside) {
  private static final String LOOPBACK = "127.0.0.1";
  private static final int PORTS_OF_MEMBER = 3;
  private static final int BEFORE_MANAGER = 3;
  private static final int AFTER_MANAGER = 20;
  private static final int REST = 1;
  private static final int RATIS = 2;
  private static final int MANAGER = 10;
  private static final int GATEWAY = 50;
  private static final int FIRST_OSD = 100;

  Endpoint sysmgr() {
    return sysmgr(1);
  }

  /** RPC address of a member of SysMgr; they count from 1. */
  Endpoint sysmgr(int member) {
    return at(firstPort(member));
  }

  Endpoint rest() {
    return rest(1);
  }

  Endpoint rest(int member) {
    return at(firstPort(member) + REST);
  }

  Endpoint ratis(int member) {
    return at(firstPort(member) + RATIS);
  }

  /** The manager's port lies between those of the third and the fourth. */
  private static int firstPort(int member) {
    return member <= BEFORE_MANAGER
        ? (member - 1) * PORTS_OF_MEMBER
        : AFTER_MANAGER + (member - 1 - BEFORE_MANAGER) * PORTS_OF_MEMBER;
  }

  /** RPC addresses of all members of SysMgr. */
  List<Endpoint> sysmgrs() {
    return IntStream.rangeClosed(1, nodes).mapToObj(this::sysmgr).toList();
  }

  /** The fault domain of an OSD: each node has one member of SysMgr and a share of the OSDs. */
  String host(int osd) {
    return nodes == 1 ? "localhost" : "node-" + ((osd - 1) % nodes + 1);
  }

  /** The fault domain of a manager; they count from 1. */
  String managerHost(int manager) {
    return nodes == 1 ? "localhost" : "node-" + ((manager - 1) % nodes + 1);
  }

  Endpoint manager(int number) {
    return at(MANAGER + number - 1);
  }

  /** Address of an NFS gateway; they count from 1. */
  Endpoint gateway(int number) {
    return at(GATEWAY + number - 1);
  }

  /** How many NFS gateways have processes of their own. */
  int gatewayProcesses() {
    return gatewaysBeside ? 0 : gateways;
  }

  /** True if a manager's process has a gateway in it. */
  boolean hasGatewayBeside(int manager) {
    return gatewaysBeside && manager <= gateways;
  }

  /** Address of an OSD; they count from 1. */
  Endpoint osd(int number) {
    return at(FIRST_OSD + number - 1);
  }

  private Endpoint at(int offset) {
    return new Endpoint(LOOPBACK, portBase + offset);
  }

  /** Every address that is listened on. */
  List<Endpoint> endpoints() {
    List<Endpoint> all = new ArrayList<>();
    IntStream.rangeClosed(1, managers).mapToObj(this::manager).forEach(all::add);
    IntStream.rangeClosed(1, gateways).mapToObj(this::gateway).forEach(all::add);
    for (int member = 1; member <= nodes; member++) {
      all.addAll(List.of(sysmgr(member), rest(member), ratis(member)));
    }
    IntStream.rangeClosed(1, osdCount).mapToObj(this::osd).forEach(all::add);
    return all;
  }

  /** Where daemons in processes of their own answer {@code /metrics}. */
  List<Endpoint> metricsEndpoints() {
    List<Endpoint> all = new ArrayList<>();
    IntStream.range(0, managers)
        .mapToObj(i -> at(MetricsServer.PORT_OFFSET + MANAGER + i))
        .forEach(all::add);
    IntStream.range(0, gatewayProcesses())
        .mapToObj(i -> at(MetricsServer.PORT_OFFSET + GATEWAY + i))
        .forEach(all::add);
    IntStream.range(0, osdCount)
        .mapToObj(i -> at(MetricsServer.PORT_OFFSET + FIRST_OSD + i))
        .forEach(all::add);
    return all;
  }

  Path sysmgrData(int member) {
    return data.resolve("sysmgr-" + member);
  }

  Path joinTokenFile() {
    return sysmgrData(1).resolve("join-token");
  }

  Path managerData(int number) {
    return data.resolve("manager-" + number);
  }

  Path osdData(int number) {
    return data.resolve("osd-" + number);
  }

  Path runDirectory() {
    return data.resolve("run");
  }

  Path logDirectory() {
    return data.resolve("logs");
  }

  /** Fewer OSDs than this must not make the root volume. */
  int minOsds() {
    return osdCount;
  }
}
