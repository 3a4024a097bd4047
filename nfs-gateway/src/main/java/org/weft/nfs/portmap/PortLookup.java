package org.weft.nfs.portmap;

import java.util.concurrent.CompletionStage;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.RpcCredential;

/** Asks another host's portmapper, by version 2 of its protocol (RFC 1833 section 3.2). */
public final class PortLookup {
  private static final int VERSION = 2;
  private static final int GETPORT = 3;
  private static final int MAX_PORT = 65_535;

  private PortLookup() {}

  /** The TCP port of a program there; 0 if it is not there. */
  public static CompletionStage<Integer> ask(OncRpcClient portmapper, int program, int version) {
    return portmapper.call(call(program, version, false));
  }

  /**
   * Asks for the port of a program.
   *
   * @param datagrams over UDP, not TCP
   */
  public static OncRpcClient.Call<Integer> call(int program, int version, boolean datagrams) {
    return new OncRpcClient.Call<>(
        new OncRpcClient.Target(Portmapper.PROGRAM, VERSION, GETPORT),
        new RpcCredential.None(),
        out -> new Mapping(program, version, datagrams ? Mapping.UDP : Mapping.TCP, 0).write(out),
        in -> in.choice(MAX_PORT));
  }
}
