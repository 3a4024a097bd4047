package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.GetNfsReply;
import org.weft.protocol.wire.GetNfsRequest;
import org.weft.protocol.wire.NfsClaim;
import org.weft.protocol.wire.NfsForgetReply;
import org.weft.protocol.wire.NfsForgetRequest;
import org.weft.protocol.wire.NfsGatewayReply;
import org.weft.protocol.wire.NfsGatewayRequest;
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

  private SimulatedSysmgr sysmgr;

  @BeforeEach
  void open() {
    open(3);
  }

  private void open(int members) {
    sysmgr = new SimulatedSysmgr(95_720_004, members);
    sysmgr.awaitCluster();
  }

  private static AddressMessage address(String host, int port) {
    return AddressMessage.newBuilder().setHost(host).setPort(port).build();
  }

  private NfsTakeReply take(int member, long claim, AddressMessage gateway) throws WeftException {
    return sysmgr.call(
        member,
        Opcode.NFS_TAKE_ADDRESSES,
        NfsTakeRequest.newBuilder().setClaim(claim).addServers(SERVER).setGateway(gateway).build(),
        NfsTakeReply.parser());
  }

  private CompletableFuture<RpcReply> askToTake(long claim, AddressMessage gateway) {
    return sysmgr.ask(
        1,
        Opcode.NFS_TAKE_ADDRESSES,
        NfsTakeRequest.newBuilder().setClaim(claim).addServers(SERVER).setGateway(gateway).build(),
        sysmgr.secret());
  }

  private NfsTakeReply taken(CompletableFuture<RpcReply> asked) throws WeftException {
    return sysmgr.time.await(asked).parse(NfsTakeReply.parser());
  }

  private boolean holds(long claim) {
    return sysmgr.state(1).nfs().monitor().isHeldBy(new Endpoint("10.0.0.1", 2_049), claim);
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
      throws WeftException {
    return sysmgr.call(
        member,
        Opcode.NFS_WATCH_CLIENTS,
        watching(number, claim, ONE, added),
        NfsWatchReply.parser());
  }

  @Test
  void theNextLeaderTellsTheNextGatewayWhichClientsToTell() throws Exception {
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
  void aGatewayKeepsAnAddressThatItClaims() throws Exception {
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

  private CompletableFuture<RpcReply> askToForget(String superuser) {
    return sysmgr.ask(
        1,
        Opcode.NFS_FORGET_HOST,
        NfsForgetRequest.newBuilder().setUser(superuser).setHost("a").build(),
        sysmgr.secret());
  }

  private NfsForgetReply forgotten(CompletableFuture<RpcReply> asked) throws WeftException {
    return sysmgr.time.await(asked).parse(NfsForgetReply.parser());
  }

  /** A host at an address that no gateway has said for a while that it has. */
  private String silentHost() throws WeftException {
    take(1, 6, ONE);
    watch(1, 1, 6, List.of(row("a")));
    sysmgr.seconds(10);
    return sysmgr.state(1).cluster().orElseThrow().superuser();
  }

  /** Both arrive while the log has not answered what was asked first. */
  private List<CompletableFuture<RpcReply>> besideEachOther(
      Supplier<CompletableFuture<RpcReply>> first, Supplier<CompletableFuture<RpcReply>> second) {
    sysmgr.replication.cut(1);
    List<CompletableFuture<RpcReply>> asked = List.of(first.get(), second.get());
    sysmgr.seconds(0.01);
    sysmgr.replication.heal(1);
    return asked;
  }

  /** A gateway comes back in the moment in which a person has its hosts forgotten. */
  @Test
  void anAddressThatAGatewayIsTakingIsNotForgotten() throws Exception {
    String superuser = silentHost();
    List<CompletableFuture<RpcReply>> asked =
        besideEachOther(() -> askToTake(7, ONE), () -> askToForget(superuser));
    CompletableFuture<RpcReply> taking = asked.get(0);
    CompletableFuture<RpcReply> forgetting = asked.get(1);
    NfsTakeReply reply = taken(taking);
    NfsForgetReply forgotten = forgotten(forgetting);
    sysmgr.seconds(1);
    assertEquals(0, reply.getLostCount());
    assertEquals("a", reply.getWatched(0).getName(), "it is told");
    assertTrue(holds(7));
    assertEquals(0, forgotten.getRemoved());
    assertEquals(1, forgotten.getTold());
    assertTrue(isWatched("a"));
  }

  @Test
  void anAddressWhoseHostsAreBeingForgottenIsTakenAfterThat() throws Exception {
    String superuser = silentHost();
    List<CompletableFuture<RpcReply>> asked =
        besideEachOther(() -> askToForget(superuser), () -> askToTake(7, ONE));
    CompletableFuture<RpcReply> forgetting = asked.get(0);
    CompletableFuture<RpcReply> taking = asked.get(1);
    assertEquals(SERVER, taken(taking).getLost(0), "it asks again");
    assertEquals(1, forgotten(forgetting).getRemoved());
    assertFalse(isWatched("a"));
    NfsTakeReply reply = take(1, 7, ONE);
    assertEquals(0, reply.getLostCount());
    assertEquals(0, reply.getWatchedCount());
    assertTrue(holds(7));
  }

  @Test
  void theSecondOfTwoForgettingsTriesAgain() throws Exception {
    String superuser = silentHost();
    List<CompletableFuture<RpcReply>> asked =
        besideEachOther(() -> askToForget(superuser), () -> askToForget(superuser));
    CompletableFuture<RpcReply> first = asked.get(0);
    CompletableFuture<RpcReply> second = asked.get(1);
    sysmgr.failure(ErrorCode.OVERLOADED, second);
    assertEquals(1, forgotten(first).getRemoved());
    assertFalse(isWatched("a"));
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
  void onlyTheJoinTokenAllowsChangesAndNamesAreChecked() {
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

  private static final AddressMessage OTHER = address("10.0.0.2", 2_049);

  private void fill() throws WeftException {
    take(1, 7, ONE);
    for (int round = 0; round < 5; round++) {
      int from = 1_000 * round;
      List<NfsWatchedRow> rows =
          IntStream.range(from, from + 1_000)
              .mapToObj(number -> row("%04d".formatted(number)))
              .toList();
      assertEquals(0, watch(1, round + 1, 7, rows).getRefusedCount());
      sysmgr.seconds(1);
    }
  }

  /** A host at another address, whose gateway lives. */
  private NfsWatchReply addAtOther(long number) throws WeftException {
    NfsTakeRequest taking =
        NfsTakeRequest.newBuilder().setClaim(9).addServers(OTHER).setGateway(TWO).build();
    sysmgr.call(1, Opcode.NFS_TAKE_ADDRESSES, taking, NfsTakeReply.parser());
    NfsWatchRequest adding =
        NfsWatchRequest.newBuilder()
            .setNumber(number)
            .addClaims(NfsClaim.newBuilder().setServer(OTHER).setClaim(9))
            .setGateway(TWO)
            .addAdded(row("newest").toBuilder().setServer(OTHER))
            .build();
    return sysmgr.call(1, Opcode.NFS_WATCH_CLIENTS, adding, NfsWatchReply.parser());
  }

  private boolean isWatched(String name) {
    return sysmgr.state(1).nfs().monitor().watched().keySet().stream()
        .anyMatch(each -> each.name().equals(name));
  }

  /** One member alone: others would count the ticks of a day for nothing. */
  @Test
  @Tag("long")
  void aFullListDropsUnservedHostsAfterADay() throws Exception {
    open(1);
    fill();
    assertEquals(1, addAtOther(1).getRefusedCount(), "the others may have locks");
    sysmgr.seconds(16 * 60);
    assertEquals(1, addAtOther(2).getRefusedCount(), "SysMgr alone may not hear their gateway");
    sysmgr.seconds(23 * 3_600);
    assertEquals(1, addAtOther(3).getRefusedCount());
    assertTrue(isWatched("0000") && isWatched("4999"));
    sysmgr.seconds(2 * 3_600);
    assertEquals(0, addAtOther(4).getRefusedCount());
    assertEquals(1, sysmgr.state(1).nfs().monitor().watched().size(), "the newest alone");
  }

  @Test
  void aFullListDropsNoneOfAnAddressThatAGatewayHas() throws Exception {
    open(1);
    fill();
    for (int i = 0; i < 16 * 12; i++) {
      sysmgr.seconds(5);
      assertEquals(0, watch(1, 0, 7, List.of()).getLostCount());
    }
    assertEquals(1, addAtOther(1).getRefusedCount());
    assertEquals(5_000, sysmgr.state(1).nfs().monitor().watched().size());
  }

  private NfsForgetReply forget(String user, String host) throws WeftException {
    return sysmgr.call(
        1,
        Opcode.NFS_FORGET_HOST,
        NfsForgetRequest.newBuilder().setUser(user).setHost(host).build(),
        NfsForgetReply.parser());
  }

  private NfsGatewayReply report() throws WeftException {
    return sysmgr.call(
        1,
        Opcode.NFS_GATEWAY,
        NfsGatewayRequest.newBuilder().setAddress(ONE).setHost("node-1").build(),
        NfsGatewayReply.parser());
  }

  @Test
  void itsGatewayForgetsAHostOrItGoesAtOnceWithoutOne() throws Exception {
    String superuser = sysmgr.state(1).cluster().orElseThrow().superuser();
    take(1, 7, ONE);
    watch(1, 1, 7, List.of(row("a"), row("b")));
    NfsForgetReply told = forget(superuser, "a");
    assertEquals(0, told.getRemoved());
    assertEquals(1, told.getTold());
    assertTrue(isWatched("a"), "its gateway takes it off when it has no lock");
    assertEquals("10.1.0.1", report().getForgotten(0).getHost());
    assertEquals("a", report().getForgotten(0).getName());
    assertEquals(report().getForgotten(0).getWish(), report().getForgotten(0).getWish());
    sysmgr.seconds(31);
    assertEquals(0, report().getForgottenCount());
    assertEquals(2, forget(superuser, "10.1.0.1").getRemoved(), "by its address");
    assertEquals(SERVER, watch(1, 2, 7, List.of()).getLost(0), "it is to be taken anew");
    assertTrue(sysmgr.state(1).nfs().monitor().watched().isEmpty());
    WeftException refused = assertThrows(WeftException.class, () -> forget("eve", "a"));
    assertEquals(ErrorCode.PERMISSION_DENIED, refused.code());
  }

  /** The name is the client's own. */
  @Test
  void aNameThatSeveralHostsGiveThemselvesFreesNone() throws Exception {
    String superuser = sysmgr.state(1).cluster().orElseThrow().superuser();
    take(1, 7, ONE);
    NfsWatchedRow mine = row("localhost");
    NfsWatchedRow another = mine.toBuilder().setClient("10.1.0.2").build();
    NfsWatchedRow forged = mine.toBuilder().setClient("10.1.0.3").setName("10.1.0.2").build();
    watch(1, 1, 7, List.of(mine, another, forged));
    WeftException several = assertThrows(WeftException.class, () -> forget(superuser, "localhost"));
    assertEquals(ErrorCode.INVALID_ARGUMENT, several.code());
    WeftException unknown = assertThrows(WeftException.class, () -> forget(superuser, "node9"));
    assertEquals(ErrorCode.NOT_FOUND, unknown.code());
    assertEquals(0, report().getForgottenCount());
    assertEquals(1, forget(superuser, "10.1.0.2").getTold(), "and not what has that name");
    assertEquals("10.1.0.2", report().getForgotten(0).getHost());
    assertEquals("", report().getForgotten(0).getName());
  }
}
