package org.weft.osd.membership;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.weft.osd.command.request.SignedDesk;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreIdentity;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.wire.GetConfigurationCopyReply;
import org.weft.protocol.wire.PartitionInfo;

/**
 * Answers GET_CONFIGURATION_COPY, also while the OSD waits for a SysMgr that is lost, and hands
 * every other request on. Thread-safe.
 */
public final class CopyDesk extends SignedDesk {
  private final ObjectStore store;
  private final KeptCopy copy;
  private final Executor pool;

  /**
   * @param commands answers everything else
   * @param pool reads the copy
   */
  public CopyDesk(
      RpcService commands, ObjectStore store, KeptCopy copy, byte[] joinSecret, Executor pool) {
    super(commands, Opcode.GET_CONFIGURATION_COPY, joinSecret);
    this.store = store;
    this.copy = copy;
    this.pool = pool;
  }

  @Override
  protected void answer(InboundRequest request) {
    try {
      pool.execute(() -> read(request));
    } catch (RejectedExecutionException e) {
      request.fail(ErrorCode.OVERLOADED, "this OSD has as much under way as it takes; try again");
    }
  }

  private void read(InboundRequest request) {
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
}
