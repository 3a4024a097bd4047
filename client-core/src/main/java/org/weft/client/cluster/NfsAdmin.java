package org.weft.client.cluster;

import com.google.protobuf.MessageLite;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.ChangeNfsExportRequest;
import org.weft.protocol.wire.ChangeNfsGroupsRequest;
import org.weft.protocol.wire.ChangeNfsIdRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.GetNfsReply;
import org.weft.protocol.wire.GetNfsRequest;
import org.weft.protocol.wire.NfsForgetReply;
import org.weft.protocol.wire.NfsForgetRequest;
import org.weft.protocol.wire.NfsGatewayReply;
import org.weft.protocol.wire.NfsGatewayRequest;
import org.weft.protocol.wire.NfsTakeReply;
import org.weft.protocol.wire.NfsTakeRequest;
import org.weft.protocol.wire.NfsWatchReply;
import org.weft.protocol.wire.NfsWatchRequest;

/**
 * What NFS gateways serve, as SysMgr keeps it: exports, and numbers of users and groups.
 *
 * <p>Thread-safe. Futures complete on the view's home executor and fail with an {@link
 * org.weft.protocol.error.WeftException}.
 */
public final class NfsAdmin {
  private final ClusterView cluster;

  public NfsAdmin(ClusterView cluster) {
    this.cluster = cluster;
  }

  /** The table, and the gateways that were heard lately. */
  public CompletableFuture<GetNfsReply> show() {
    return cluster.ask(Opcode.GET_NFS, GetNfsRequest.getDefaultInstance(), GetNfsReply.parser());
  }

  /** The same with the locks of clients, as far as gateways have told of them by now. */
  public CompletableFuture<GetNfsReply> showLocks() {
    return cluster.ask(
        Opcode.GET_NFS, GetNfsRequest.newBuilder().setLocks(true).build(), GetNfsReply.parser());
  }

  /** A gateway begins to serve addresses; completes when that is recorded (P 6.5f). */
  public CompletableFuture<NfsTakeReply> take(NfsTakeRequest wanted, byte[] joinSecret) {
    return cluster.ask(Opcode.NFS_TAKE_ADDRESSES, wanted, NfsTakeReply.parser(), joinSecret);
  }

  /** Clients of a gateway have locks, or none any more; completes when that is recorded. */
  public CompletableFuture<NfsWatchReply> watch(NfsWatchRequest wanted, byte[] joinSecret) {
    return cluster.ask(Opcode.NFS_WATCH_CLIENTS, wanted, NfsWatchReply.parser(), joinSecret);
  }

  /**
   * Adds, changes or removes an export; completes when that is recorded. EXISTS if one to be added
   * is there, NOT_FOUND if one to be changed is not; INVALID_ARGUMENT if the path or a range is
   * none.
   */
  public CompletableFuture<Void> change(ChangeNfsExportRequest wanted) {
    return recorded(Opcode.CHANGE_NFS_EXPORT, wanted);
  }

  /**
   * Gives a user or group its number, or takes it; completes when that is recorded. EXISTS if the
   * number is another's.
   */
  public CompletableFuture<Void> change(ChangeNfsIdRequest wanted) {
    return recorded(Opcode.CHANGE_NFS_ID, wanted);
  }

  /**
   * Says of which groups a user is; completes when that is recorded. INVALID_ARGUMENT if they are
   * too many, UNSUPPORTED by a SysMgr of an earlier release.
   */
  public CompletableFuture<Void> change(ChangeNfsGroupsRequest wanted) {
    return recorded(Opcode.CHANGE_NFS_GROUPS, wanted);
  }

  /**
   * A host with locks is gone for good. Its rows are removed where no gateway has the address.
   * Gateways that have it are told to unlock what is the host's. UNSUPPORTED by a SysMgr of an
   * earlier release.
   */
  public CompletableFuture<NfsForgetReply> forget(NfsForgetRequest wanted) {
    return cluster.ask(Opcode.NFS_FORGET_HOST, wanted, NfsForgetReply.parser());
  }

  private CompletableFuture<Void> recorded(Opcode opcode, MessageLite body) {
    return cluster.ask(opcode, body, Empty.parser()).thenApply(done -> null);
  }

  /**
   * A gateway says that it is there, and hears what is new.
   *
   * @param joinSecret signs the request and, over there, the reply
   */
  public CompletableFuture<NfsGatewayReply> report(NfsGatewayRequest said, byte[] joinSecret) {
    return cluster.ask(Opcode.NFS_GATEWAY, said, NfsGatewayReply.parser(), joinSecret);
  }
}
