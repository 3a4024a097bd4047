package org.weft.nfs.model;

import java.util.function.Consumer;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.XdrWriter;

/** Carries calls to a server, each until its reply is there. */
public interface RpcCaller {
  /**
   * Waits for the reply.
   *
   * @throws AssertionError if the server refuses the call, or none comes and this one does not wait
   *     for ever
   */
  <T> T call(
      OncRpcClient.Target target,
      RpcCredential credential,
      Consumer<XdrWriter> arguments,
      OncRpcClient.ResultReader<T> results);

  /** On one connection; nothing is repeated, and a call waits for half a minute. */
  static RpcCaller by(OncRpcClient connection) {
    return new RpcCaller() {
      @Override
      public <T> T call(
          OncRpcClient.Target target,
          RpcCredential credential,
          Consumer<XdrWriter> arguments,
          OncRpcClient.ResultReader<T> results) {
        return ModelGateway.now(connection.call(target, credential, arguments, results));
      }
    };
  }
}
