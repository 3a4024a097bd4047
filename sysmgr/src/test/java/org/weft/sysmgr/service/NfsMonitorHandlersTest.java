package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.GetNfsReply;
import org.weft.protocol.wire.GetNfsRequest;
import org.weft.protocol.wire.NfsClaim;
import org.weft.protocol.wire.NfsTakeReply;
import org.weft.protocol.wire.NfsTakeRequest;
import org.weft.protocol.wire.NfsWatchReply;
import org.weft.protocol.wire.NfsWatchRequest;
import org.weft.protocol.wire.NfsWatchedRow;

/** Rule 6.5f, as gateways speak with SysMgr, on virtual time. */
final class NfsMonitorHandlersTest {
  private static final AddressMessage SERVER = address("10.0.0.1", 2_049);
  private static final AddressMessage ONE = address("node-1", 2_049);
  private static final AddressMessage TWO = address("node-2", 2_049);

  private final SimulatedSysmgr sysmgr = new SimulatedSysmgr(95_720_004, 3);

  @BeforeEach
  void open() {
    sysmgr.awaitCluster();
  }

  private static AddressMessage address(String host, int port) {
    return AddressMessage.newBuilder().setHost(host).setPort(port).build();
  }

  private NfsTakeReply take(int member, long claim, AddressMessage gateway) throws RpcException {
    return sysmgr.call(
        member,
        Opcode.NFS_TAKE_ADDRESSES,
        NfsTakeRequest.newBuilder().setClaim(claim).addServers(SERVER).setGateway(gateway).build(),
        NfsTakeReply.parser());
  }

  private static NfsWatchedRow row(String name) {
    return NfsWatchedRow.newBuilder().setServer(SERVER).setClient("10.1.0.1").setName(name).build();
  }

  private static NfsWatchRequest watching(
      long number, long claim, AddressMessage gateway, List<NfsWatchedRow> added) {
    return NfsWatchRequest.newBuilder()
        .setNumber(number)
        .addClaims(NfsClaim.newBuilder().setServer(SERVER).setClaim(claim))
        .setGateway(gateway)
        .addAllAdded(added)
        .build();
  }

  private NfsWatchReply watch(int member, long number, long claim, List<NfsWatchedRow> added)
      throws RpcException {
    return sysmgr.call(
        member,
        Opcode.NFS_WATCH_CLIENTS,
        watching(number, claim, ONE, added),
        NfsWatchReply.parser());
  }

  @Test
  void theNextLeaderTellsTheNextGatewayWhomToTell() throws Exception {
    int state = take(1, 7, ONE).getState();
    assertEquals(0, watch(1, 1, 7, List.of(row("a"), row("b"))).getRefusedCount());
    GetNfsReply shown =
        sysmgr.call(1, Opcode.GET_NFS, GetNfsRequest.getDefaultInstance(), GetNfsReply.parser());
    assertEquals(2, shown.getWatchedCount());
    sysmgr.replication.elect(2);
    sysmgr.time.runUntil(
        "the second member has everything",
        () -> sysmgr.state(2).nfs().monitor().watched().size() == 2);
    sysmgr.seconds(10);
    NfsTakeReply taken = take(2, 8, ONE);
    assertTrue(taken.getState() > state);
    assertEquals(
        List.of("a", "b"), taken.getWatchedList().stream().map(NfsWatchedRow::getName).toList());
    assertEquals(SERVER, watch(2, 2, 7, List.of(row("c"))).getLost(0), "of before");
    assertEquals(2, sysmgr.state(2).nfs().monitor().watched().size());
  }

  @Test
  void anAddressIsNotTakenFromAGatewayThatSaysThatItHasIt() throws Exception {
    int state = take(1, 7, ONE).getState();
    assertEquals(SERVER, take(1, 8, TWO).getLost(0));
    for (int i = 0; i < 5; i++) {
      sysmgr.seconds(3);
      assertEquals(0, watch(1, 0, 7, List.of()).getLostCount());
      assertEquals(SERVER, take(1, 8, TWO).getLost(0));
    }
    sysmgr.seconds(7);
    NfsTakeReply taken = take(1, 8, TWO);
    assertEquals(0, taken.getLostCount());
    assertTrue(taken.getState() > state);
    assertEquals(SERVER, watch(1, 1, 7, List.of()).getLost(0));
  }

  @Test
  void aNewLeaderWaitsForTheGatewayThatHasTheAddress() throws Exception {
    take(1, 7, ONE);
    sysmgr.replication.elect(2);
    sysmgr.time.runUntil(
        "the second member has everything",
        () -> !sysmgr.state(2).nfs().monitor().served().isEmpty());
    sysmgr.seconds(3);
    assertEquals(SERVER, take(2, 8, TWO).getLost(0), "it may be alive");
    assertEquals(0, take(2, 7, ONE).getLostCount(), "its own");
    sysmgr.seconds(4);
    assertEquals(SERVER, take(2, 8, TWO).getLost(0), "it is");
    sysmgr.seconds(7);
    assertEquals(0, take(2, 8, TWO).getLostCount());
  }

  @Test
  void aGatewayThatStartsAgainTakesItsOwnAddressAtOnce() throws Exception {
    int state = take(1, 7, ONE).getState();
    assertEquals(0, take(1, 8, ONE).getLostCount());
    assertTrue(take(1, 8, ONE).getState() > state);
    assertEquals(take(1, 8, ONE).getState(), take(1, 8, ONE).getState(), "a repeat");
  }

  @Test
  void onlyThoseWithTheJoinTokenChangeTheListAndNamesAreChecked() {
    sysmgr.failure(
        ErrorCode.UNAUTHENTICATED,
        sysmgr.ask(
            1, Opcode.NFS_WATCH_CLIENTS, watching(1, 7, ONE, List.of(row("a"))), new byte[0]));
    for (String name : List.of("", "a\nb", "x".repeat(256))) {
      sysmgr.failure(
          ErrorCode.INVALID_ARGUMENT,
          sysmgr.ask(
              1,
              Opcode.NFS_WATCH_CLIENTS,
              watching(1, 7, ONE, List.of(row(name))),
              sysmgr.secret()));
    }
  }
}
