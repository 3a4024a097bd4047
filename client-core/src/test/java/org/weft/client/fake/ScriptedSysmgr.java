package org.weft.client.fake;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.LeaderHint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.GetTableReply;
import org.weft.protocol.wire.GetTableRequest;

/** A member of SysMgr as a test scripts it, with a table that the test sets. */
public final class ScriptedSysmgr extends ScriptedDaemon {
  private ClusterTable table;
  private boolean leads = true;
  private Optional<Endpoint> leader = Optional.empty();
  private String refusal = "ask another member";

  public ScriptedSysmgr(ClusterId clusterId, ClusterTable table) {
    super(clusterId);
    this.table = table;
  }

  public void table(ClusterTable newer) {
    table = newer;
  }

  /** False: it answers NOT_LEADER. */
  public void lead(boolean leading) {
    leads = leading;
  }

  /** It answers NOT_LEADER with that text. */
  public void refuse(String text) {
    leads = false;
    refusal = text;
  }

  /** It answers NOT_LEADER, and says where the leader is. */
  public void follow(Endpoint member) {
    leads = false;
    leader = Optional.of(member);
  }

  @Override
  protected MessageLite execute(Opcode opcode, byte[] body) throws Exception {
    if (!leads) {
      throw leader
          .map(LeaderHint::refusal)
          .orElseGet(() -> new WeftException(ErrorCode.NOT_LEADER, refusal));
    }
    if (opcode == Opcode.GET_STATUS) {
      return ClusterStatus.newBuilder().setTable(table).setDurability("write-back").build();
    }
    GetTableRequest request = GetTableRequest.parseFrom(body);
    return request.getKnownVersion() == table.getVersion()
        ? GetTableReply.newBuilder().setUnchanged(true).build()
        : GetTableReply.newBuilder().setTable(table).build();
  }
}
