package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageLite;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.ChangeNfsExportRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.GetNfsReply;
import org.weft.protocol.wire.GetNfsRequest;
import org.weft.protocol.wire.NfsClientRow;
import org.weft.protocol.wire.NfsExportChange;
import org.weft.protocol.wire.NfsGatewayReply;
import org.weft.protocol.wire.NfsGatewayRequest;

/** What gateways hear of exports, and what is heard of gateways, on virtual time. */
final class NfsHandlersTest {
  private final SimulatedSysmgr sysmgr = new SimulatedSysmgr(7, 3);

  @BeforeEach
  void open() {
    sysmgr.awaitCluster();
  }

  private static ChangeNfsExportRequest add(String user, String path, String clients) {
    return ChangeNfsExportRequest.newBuilder()
        .setUser(user)
        .setChange(NfsExportChange.ADD_EXPORT)
        .setPath(path)
        .addClients(clients)
        .build();
  }

  private void export(int member, String path) throws WeftException {
    sysmgr.call(member, Opcode.CHANGE_NFS_EXPORT, add("root", path, "10.0.0.0/8"), Empty.parser());
  }

  private static NfsGatewayRequest says(long knownVersion) {
    return NfsGatewayRequest.newBuilder()
        .setAddress(AddressMessage.newBuilder().setHost("127.0.0.1").setPort(7350))
        .setHost("node-1")
        .setKnownVersion(knownVersion)
        .addClients(NfsClientRow.newBuilder().setAddress("10.1.1.1").setCalls(5))
        .build();
  }

  private NfsGatewayReply report(int member, long knownVersion) throws WeftException {
    return sysmgr.call(member, Opcode.NFS_GATEWAY, says(knownVersion), NfsGatewayReply.parser());
  }

  private GetNfsReply show(int member) throws WeftException {
    return sysmgr.call(
        member, Opcode.GET_NFS, GetNfsRequest.getDefaultInstance(), GetNfsReply.parser());
  }

  private String failure(ErrorCode code, Opcode opcode, MessageLite body, byte[] secret) {
    return sysmgr.failure(code, sysmgr.ask(1, opcode, body, secret));
  }

  @Test
  void aGatewayHearsOfAChangeAndThenOfNothingNew() throws Exception {
    assertFalse(report(1, 0).hasTable(), "nothing was ever exported");
    export(1, "/a");
    NfsGatewayReply heard = report(1, 0);
    assertEquals("/a", heard.getTable().getExports(0).getPath());
    assertEquals("10.0.0.0/8", heard.getTable().getExports(0).getClients(0));
    assertEquals(32, heard.getHandleKey().size());
    assertEquals("root", heard.getSuperuser());
    assertFalse(report(1, heard.getTable().getVersion()).hasTable());
  }

  @Test
  void onlyTheJoinTokenOpensTheHandleKey() throws Exception {
    export(1, "/a");
    byte[] none = new byte[0];
    failure(ErrorCode.UNAUTHENTICATED, Opcode.NFS_GATEWAY, says(0), none);
    assertEquals("/a", show(1).getTable().getExports(0).getPath());
  }

  @Test
  void onlySuperusersChangeExports() {
    String message =
        failure(
            ErrorCode.PERMISSION_DENIED,
            Opcode.CHANGE_NFS_EXPORT,
            add("eve", "/a", "10.0.0.0/8"),
            sysmgr.secret());
    assertTrue(message.contains("eve"), message);
  }

  @Test
  void anInvalidAddressRangeIsNamed() {
    String message =
        failure(
            ErrorCode.INVALID_ARGUMENT,
            Opcode.CHANGE_NFS_EXPORT,
            add("root", "/a", "10.0.0.0/99"),
            sysmgr.secret());
    assertTrue(message.contains("10.0.0.0"), message);
  }

  @Test
  void aGatewayIsShownUntilItIsSilentForLongOrLeaves() throws Exception {
    report(1, 0);
    assertEquals(5, show(1).getGateways(0).getClients(0).getCalls());
    assertEquals("node-1", sysmgr.status(1).getNfsGateways(0).getHost());
    assertEquals(0, sysmgr.status(1).getNfsGateways(0).getClientsCount());
    sysmgr.seconds(20);
    assertTrue(show(1).getGateways(0).getSilentMillis() >= 20_000);
    sysmgr.seconds(15);
    assertEquals(0, show(1).getGatewaysCount());
    report(1, 0);
    sysmgr.call(
        1,
        Opcode.NFS_GATEWAY,
        says(0).toBuilder().setLeaving(true).build(),
        NfsGatewayReply.parser());
    assertEquals(0, show(1).getGatewaysCount());
  }

  @Test
  void theNextLeaderTellsGatewaysTheSame() throws Exception {
    export(1, "/a");
    NfsGatewayReply before = report(1, 0);
    sysmgr.replication.elect(2);
    sysmgr.time.runUntil(
        "the second member has everything", () -> !sysmgr.state(2).nfs().exports().isEmpty());
    sysmgr.seconds(3);
    NfsGatewayReply after = report(2, 0);
    assertEquals(before.getTable(), after.getTable());
    assertEquals(before.getHandleKey(), after.getHandleKey());
    assertEquals("127.0.0.1", show(2).getGateways(0).getAddress().getHost());
  }
}
