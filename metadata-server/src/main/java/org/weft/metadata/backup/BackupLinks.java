package org.weft.metadata.backup;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.CopyIdentity;
import org.weft.protocol.wire.ManagerRow;

/**
 * How a primary reaches its backups.
 *
 * @param reading for what blocks; shared by all volumes
 * @param turns of this manager, for all its volumes
 * @param clusterId of this cluster
 * @param caller for the other side's log
 * @param secret made from the join token
 */
public record BackupLinks(
    Environment environment,
    Executor reading,
    CopyTurns turns,
    Supplier<Optional<ClusterId>> clusterId,
    String caller,
    byte[] secret) {
  private static final int CONNECT_MILLIS = 1_000;

  BackupStream to(ManagerRow backup, CopyIdentity identity, BackupStream.Listener listener) {
    Endpoint remote = Endpoint.fromMessage(backup.getAddresses(0));
    return new BackupStream(
        environment, reading, () -> connect(remote), identity, secret, listener);
  }

  private CompletionStage<RpcConnection> connect(Endpoint remote) {
    ConnectOptions options =
        new ConnectOptions(clusterId.get(), caller, CONNECT_MILLIS, false, (opcode, body) -> {});
    return environment.transport().connect(remote, options);
  }
}
