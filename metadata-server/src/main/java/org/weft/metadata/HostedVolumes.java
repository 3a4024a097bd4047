package org.weft.metadata;

import java.util.Map;
import java.util.function.Predicate;
import org.weft.metadata.rpc.Volumes;
import org.weft.metadata.serving.VolumeHost;
import org.weft.metadata.serving.request.AnswerSink;
import org.weft.metadata.volume.Caller;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Leads each request to its volume.
 *
 * @param hosts the volumes that this manager was given; changes as they come and go, thread-safe
 */
record HostedVolumes(Map<Long, VolumeHost> hosts) implements Volumes {
  @Override
  public boolean isHolder(long volumeId, SessionId session, Predicate<byte[]> signedWith) {
    VolumeHost host = hosts.get(volumeId);
    return host != null && host.sessionSecrets().isHolder(session, signedWith);
  }

  @Override
  public void submit(long volumeId, Caller caller, Operation operation, AnswerSink sink)
      throws RpcException {
    VolumeHost host = hosts.get(volumeId);
    if (host == null) {
      throw new RpcException(
          ErrorCode.NOT_SERVING,
          "this manager does not serve volume " + volumeId + "; ask SysMgr who does");
    }
    host.submit(caller, operation, sink);
  }
}
