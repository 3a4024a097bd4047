package org.weft.osd.membership;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreIdentity;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.wire.GetConfigurationCopyReply;
import org.weft.protocol.wire.PartitionInfo;

/**
 * Answers GET_CONFIGURATION_COPY, also while the OSD waits for a SysMgr that is lost, and hands
 * every other request on. Thread-safe.
 */
public final class CopyDesk implements RpcService {
  private final RpcService commands;
  private final ObjectStore store;
  private final KeptCopy copy;
  private final byte[] joinSecret;
  private final Executor pool;

  /**
   * @param commands answers everything else
   * @param pool reads the copy
   */
  public CopyDesk(
      RpcService commands, ObjectStore store, KeptCopy copy, byte[] joinSecret, Executor pool) {
    this.commands = commands;
    this.store = store;
    this.copy = copy;
    this.joinSecret = joinSecret.clone();
    this.pool = pool;
  }

  @Override
  public void handle(InboundRequest request) {
    if (request.opcodeNumber() != Opcode.GET_CONFIGURATION_COPY.number()) {
      commands.handle(request);
    } else if (!request.signedWith(joinSecret)) {
      request.fail(
          ErrorCode.UNAUTHENTICATED,
          "GET_CONFIGURATION_COPY must be signed with the secret made from the join token");
    } else {
      try {
        pool.execute(() -> answer(request));
      } catch (RejectedExecutionException e) {
        request.fail(ErrorCode.OVERLOADED, "this OSD has as much under way as it takes; try again");
      }
    }
  }

  private void answer(InboundRequest request) {
    try {
      StoreIdentity identity = store.identity();
      GetConfigurationCopyReply.Builder reply =
          GetConfigurationCopyReply.newBuilder()
              .setConfigurationCopy(copy.bytes())
              .setIdentity(identity.identity());
      identity.cluster().ifPresent(id -> reply.setClusterId(id.value()));
      identity.osd().ifPresent(id -> reply.setOsdId(id.value()));
      store
          .partitions()
          .forEach(
              each ->
                  reply.addPartitions(
                      PartitionInfo.newBuilder()
                          .setPartitionId(each.id().value())
                          .setFenceEpoch(each.fenceEpoch())));
      request.reply(reply.build());
    } catch (IOException e) {
      request.fail(ErrorCode.INTERNAL, "the copy cannot be read: " + e.getMessage());
    }
  }

  @Override
  public void connected(RpcPeer peer) {
    commands.connected(peer);
  }

  @Override
  public void disconnected(RpcPeer peer) {
    commands.disconnected(peer);
  }
}
