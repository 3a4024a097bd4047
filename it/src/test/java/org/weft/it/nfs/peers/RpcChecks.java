package org.weft.it.nfs.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** showmount and rpcinfo, at a gateway whose programs a portmapper knows or does not. */
final class RpcChecks {
  private static final String HOST = PeerCluster.HOST;

  /** Program, version, transport and port of {@code rpcinfo -p}. */
  private static final Pattern REGISTERED =
      Pattern.compile("(?m)^\\s*(\\d+)\\s+(\\d+)\\s+(tcp|udp)\\s+(\\d+)");

  private final PeerCluster cluster;
  private final int port;

  /**
   * @param port of the gateway
   */
  RpcChecks(PeerCluster cluster, int port) {
    this.cluster = cluster;
    this.port = port;
  }

  /** Where no portmapper is asked. */
  List<PeerCheck> direct() {
    return List.of(
        PeerCheck.of("rpcinfo", "calls NFS 3, MOUNT 3, NLM 4 and NSM 1 at their port", this::ready),
        PeerCheck.of("rpcinfo", "is told which version there is, of NFS 4 too", this::mismatch));
  }

  /** Where a portmapper at port 111 knows the gateway. */
  List<PeerCheck> portmapped(String portmapper) {
    return List.of(
        PeerCheck.of("rpcinfo", "-p lists what is served: " + portmapper, this::listed),
        PeerCheck.of("rpcinfo", "-s lists what is served: " + portmapper, this::listedShort),
        PeerCheck.of("rpcinfo", "-T tcp and udp reach each program: " + portmapper, this::found),
        PeerCheck.of("rpcinfo", "-T tcp of NFS 4: " + portmapper, this::foundMismatch),
        PeerCheck.of("showmount", "-e lists the exports: " + portmapper, this::exports),
        PeerCheck.of("showmount", "-a and -d list the mounts: " + portmapper, this::mounts));
  }

  private String universal() {
    return HOST + "." + (port >> 8) + "." + (port & 0xff);
  }

  private static void assertReady(PeerPrograms.Ended ended, int program, int version) {
    assertEquals(
        "program " + program + " version " + version + " ready and waiting", ended.text().strip());
  }

  private void ready() throws Exception {
    int[][] served = {{100_003, 3}, {100_005, 3}, {100_021, 4}, {100_024, 1}};
    for (int[] each : served) {
      assertReady(
          cluster
              .programs()
              .must("rpcinfo", "-a", universal(), "-T", "tcp", "" + each[0], "" + each[1]),
          each[0],
          each[1]);
    }
    assertReady(
        cluster.programs().must("rpcinfo", "-a", universal(), "-T", "udp", "100024", "1"),
        100_024,
        1);
  }

  private static void assertMismatch(PeerPrograms.Ended ended, int program, int version, int has) {
    assertNotEquals(0, ended.status());
    String said = ended.all();
    assertTrue(said.contains("low version = " + has + ", high version = " + has), said);
    assertTrue(
        said.contains("program " + program + " version " + version + " is not available"), said);
  }

  private void mismatch() throws Exception {
    int[][] asked = {{100_003, 4, 3}, {100_003, 2, 3}, {100_005, 1, 3}, {100_021, 3, 4}};
    for (int[] each : asked) {
      assertMismatch(
          cluster
              .programs()
              .run("rpcinfo", "-a", universal(), "-T", "tcp", "" + each[0], "" + each[1]),
          each[0],
          each[1],
          each[2]);
    }
    PeerPrograms.Ended none =
        cluster.programs().run("rpcinfo", "-a", universal(), "-T", "tcp", "100227", "3");
    assertNotEquals(0, none.status());
    assertTrue(none.all().contains("Program unavailable"), none.all());
  }

  private Set<String> registered() throws Exception {
    return REGISTERED
        .matcher(cluster.programs().must("rpcinfo", "-p", HOST).text())
        .results()
        .map(row -> row.group(1) + " " + row.group(2) + " " + row.group(3) + " " + row.group(4))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private void listed() throws Exception {
    Set<String> rows = registered();
    Set<String> own =
        rows.stream()
            .filter(row -> !row.startsWith("100000 "))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(
        Set.of(
            "100003 3 tcp " + port,
            "100005 3 tcp " + port,
            "100021 4 tcp " + port,
            "100024 1 tcp " + port,
            "100024 1 udp " + port),
        own);
    for (int version = 2; version <= 4; version++) {
      assertTrue(rows.contains("100000 " + version + " tcp 111"), rows::toString);
    }
  }

  private void listedShort() throws Exception {
    String text = cluster.programs().must("rpcinfo", "-s", HOST).text();
    for (String program : List.of("100003", "100005", "100021", "100024")) {
      assertTrue(text.lines().anyMatch(line -> line.strip().startsWith(program + " ")), text);
    }
  }

  private void found() throws Exception {
    int[][] served = {{100_003, 3}, {100_005, 3}, {100_021, 4}, {100_024, 1}};
    for (int[] each : served) {
      assertReady(
          cluster.programs().must("rpcinfo", "-T", "tcp", HOST, "" + each[0], "" + each[1]),
          each[0],
          each[1]);
      // Without a version it asks for version 0, and then for those that it is told of.
      assertReady(
          cluster.programs().must("rpcinfo", "-T", "tcp", HOST, "" + each[0]), each[0], each[1]);
    }
    assertReady(cluster.programs().must("rpcinfo", "-T", "udp", HOST, "100024", "1"), 100_024, 1);
  }

  private void foundMismatch() throws Exception {
    assertMismatch(
        cluster.programs().run("rpcinfo", "-T", "tcp", HOST, "100003", "4"), 100_003, 4, 3);
  }

  private static Set<String> lines(PeerPrograms.Ended ended) {
    return ended
        .text()
        .lines()
        .map(line -> line.strip().replaceAll("\\s+", " "))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private void exports() throws Exception {
    assertEquals(
        Set.of("/ 127.0.0.0/8,0:0:0:0:0:0:0:1/128", "/exported 10.1.0.0/16"),
        lines(cluster.programs().must("showmount", "-e", "--no-headers", HOST)));
  }

  private void mounts() throws Exception {
    try (Oncrpc4jClient client = new Oncrpc4jClient(port)) {
      client.mount("/");
      client.mount("/out");
      assertEquals(
          Set.of(HOST + ":/", HOST + ":/out"),
          lines(cluster.programs().must("showmount", "-a", "--no-headers", HOST)));
      assertEquals(
          Set.of("/", "/out"),
          lines(cluster.programs().must("showmount", "-d", "--no-headers", HOST)));
      client.unmount("/out");
      assertEquals(
          Set.of(HOST + ":/"),
          lines(cluster.programs().must("showmount", "-a", "--no-headers", HOST)));
      client.unmountAll();
      assertEquals(
          Set.of(), lines(cluster.programs().must("showmount", "-a", "--no-headers", HOST)));
    }
  }
}
