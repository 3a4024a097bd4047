package org.weft.sysmgr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.GetStatusRequest;

/** Three members: the leader stops, another takes over, nothing is lost. */
final class SysmgrMembersTest {
  private static final int MEMBERS = 3;
  private static final int SNAPSHOT_EVERY = 10;

  @TempDir Path root;

  private final List<SysmgrMember> members = new ArrayList<>();
  private final SysmgrDaemon[] daemons = new SysmgrDaemon[MEMBERS];
  private SystemEnvironment system;

  @BeforeEach
  void open() throws Exception {
    system = SystemEnvironment.create();
    List<Integer> ports = MemberPorts.of(2 * MEMBERS);
    for (int i = 0; i < MEMBERS; i++) {
      members.add(
          new SysmgrMember(
              i + 1,
              new Endpoint("127.0.0.1", ports.get(2 * i)),
              new Endpoint("127.0.0.1", ports.get(2 * i + 1))));
    }
  }

  @AfterEach
  void close() throws Exception {
    Closing.all(Arrays.asList(daemons));
    system.close();
  }

  private void start(int index) throws IOException {
    SysmgrMember self = members.get(index);
    SysmgrOptions options =
        new SysmgrOptions(
            root.resolve("member-" + self.memberId()),
            self.memberId(),
            members,
            self.rpc(),
            new Endpoint("127.0.0.1", 0),
            self.ratis(),
            "test",
            "root");
    daemons[index] = SysmgrDaemon.start(options, system.environment(), SNAPSHOT_EVERY);
  }

  private void stop(int index) throws IOException {
    if (daemons[index] != null) {
      daemons[index].close();
      daemons[index] = null;
    }
  }

  private int leader(SysmgrClient client) {
    ClusterStatus status =
        client.persist(
            Opcode.GET_STATUS, GetStatusRequest.getDefaultInstance(), ClusterStatus.parser());
    int port = status.getSysmgrs(0).getPort();
    return (int) members.stream().takeWhile(member -> member.rpc().port() != port).count();
  }

  /** A person opens the page of any member. */
  private static String page(SysmgrDaemon daemon) throws Exception {
    URI address = URI.create("http://" + daemon.restAddress() + "/");
    HttpClient http = HttpClient.newHttpClient();
    return http.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  void aLeaderThatStopsIsFollowedByAnotherThatKnowsEverything() throws Exception {
    for (int i = 0; i < MEMBERS; i++) {
      start(i);
    }
    for (SysmgrDaemon daemon : daemons) {
      StageResults.get(daemon.ready());
      assertEquals(daemons[0].clusterId(), daemon.clusterId());
      assertArrayEquals(daemons[0].joinToken(), daemon.joinToken());
    }
    List<Endpoint> addresses = members.stream().map(SysmgrMember::rpc).toList();
    try (SysmgrClient client =
        new SysmgrClient(system.environment().transport(), addresses, daemons[0].joinToken())) {
      client.joinManager("m", 7310);
      assertEquals(1, client.acquire(1, 1));
      for (int i = 1; i <= 15; i++) {
        assertEquals(i, client.joinOsd("osd-" + i, 7400 + i, 1));
      }
      ClusterTable before = client.table();
      int first = leader(client);
      for (SysmgrDaemon daemon : daemons) {
        String page = page(daemon);
        assertTrue(page.contains("osd-15"), page);
      }
      stop(first);
      ClusterTable after = client.table();
      assertEquals(before.getClusterId(), after.getClusterId());
      assertEquals(before.getOsdsCount(), after.getOsdsCount());
      assertTrue(after.getVersion() >= before.getVersion());
      for (int i = 16; i <= 30; i++) {
        assertEquals(i, client.joinOsd("osd-" + i, 7400 + i, 1));
      }

      // The one that was away must catch up for a majority to be left.
      start(first);
      int second = leader(client);
      stop(second);
      assertEquals(30, client.table().getOsdsCount());
      assertEquals(2, client.acquire(1, 2));
      assertEquals(31, client.joinOsd("osd-31", 7431, 1));
    }
  }
}
