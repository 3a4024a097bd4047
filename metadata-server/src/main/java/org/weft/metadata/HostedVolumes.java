package org.weft.metadata;

import java.util.Map;
import java.util.function.Predicate;
import org.weft.metadata.rpc.Volumes;
import org.weft.metadata.serving.VolumeHost;
import org.weft.metadata.serving.request.AnswerSink;
import org.weft.metadata.volume.Caller;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.SessionId;

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
      throws WeftException {
    VolumeHost host = hosts.get(volumeId);
    if (host == null) {
      throw new WeftException(
          ErrorCode.NOT_SERVING,
          "this manager does not serve volume " + volumeId + "; ask SysMgr which manager does");
    }
    host.submit(caller, operation, sink);
  }
}
