package org.weft.metadata;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.concurrent.CompletableFuture;
import org.weft.client.cluster.ReplyReader;
import org.weft.client.cluster.SysmgrLink;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.wire.AcquireVolumesReply;
import org.weft.protocol.wire.AcquireVolumesRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.HandOverRequest;
import org.weft.protocol.wire.HeartbeatReply;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.JoinRequest;
import org.weft.protocol.wire.LookAtVolumeReply;
import org.weft.protocol.wire.LookAtVolumeRequest;
import org.weft.protocol.wire.ReadmitOsdRequest;
import org.weft.protocol.wire.SetBackupRequest;
import org.weft.protocol.wire.VolumeFormattedRequest;
import org.weft.protocol.wire.VolumeRecoveredRequest;
import org.weft.protocol.wire.VolumeStepRequest;

/**
 * What a manager asks of SysMgr, signed with the key made from the join token, as are its answers.
 * Confined to the link's home executor, as are the futures.
 */
final class SysmgrCalls {
  static final int TIMEOUT_MILLIS = 2_000;

  /**
   * For the join of a process that starts, which has no lease to lose: one that SysMgr answers
   * later would be begun anew for ever.
   */
  static final int FIRST_JOIN_MILLIS = 10_000;

  private final SysmgrLink link;
  private final byte[] joinSecret;

  SysmgrCalls(SysmgrLink link, byte[] joinSecret) {
    this.link = link;
    this.joinSecret = joinSecret.clone();
  }

  CompletableFuture<JoinReply> join(JoinRequest request, int timeoutMillis) {
    return link.call(RpcRequest.proven(Opcode.JOIN_MANAGER, request, timeoutMillis, joinSecret))
        .thenApply(ReplyReader.parser(JoinReply.parser()));
  }

  CompletableFuture<HeartbeatReply> heartbeat(HeartbeatRequest request) {
    return call(Opcode.HEARTBEAT, request, HeartbeatReply.parser());
  }

  CompletableFuture<AcquireVolumesReply> acquire(AcquireVolumesRequest request) {
    return call(Opcode.ACQUIRE_VOLUMES, request, AcquireVolumesReply.parser());
  }

  CompletableFuture<Empty> formatted(VolumeFormattedRequest request) {
    return call(Opcode.VOLUME_FORMATTED, request, Empty.parser());
  }

  CompletableFuture<Empty> recovered(VolumeRecoveredRequest request) {
    return call(Opcode.VOLUME_RECOVERED, request, Empty.parser());
  }

  CompletableFuture<LookAtVolumeReply> look(LookAtVolumeRequest request) {
    return call(Opcode.LOOK_AT_VOLUME, request, LookAtVolumeReply.parser());
  }

  CompletableFuture<Empty> setBackup(SetBackupRequest request) {
    return call(Opcode.SET_BACKUP, request, Empty.parser());
  }

  CompletableFuture<Empty> handOver(HandOverRequest request) {
    return call(Opcode.HAND_OVER, request, Empty.parser());
  }

  CompletableFuture<Empty> step(VolumeStepRequest request) {
    return call(Opcode.VOLUME_STEP, request, Empty.parser());
  }

  CompletableFuture<Empty> readmit(ReadmitOsdRequest request) {
    return call(Opcode.READMIT_OSD, request, Empty.parser());
  }

  private <T> CompletableFuture<T> call(Opcode opcode, MessageLite body, Parser<T> parser) {
    return link.call(RpcRequest.proven(opcode, body, TIMEOUT_MILLIS, joinSecret))
        .thenApply(ReplyReader.parser(parser));
  }
}
