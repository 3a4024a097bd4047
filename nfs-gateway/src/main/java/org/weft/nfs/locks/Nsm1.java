package org.weft.nfs.locks;

import java.util.Map;
import org.weft.nfs.nsm.NsmMessage;
import org.weft.nfs.nsm.NsmProcedure;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.RpcProgram;
import org.weft.nfs.oncrpc.RpcReply;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;

/**
 * Of the status monitor, C702 chapter 11, what clients tell servers: NOTIFY, that they have started
 * again, so that the locks which they had are unlocked. It watches no host: other procedures are
 * not there.
 */
public final class Nsm1 {
  private final ClientLocks locks;

  public Nsm1(ClientLocks locks) {
    this.locks = locks;
  }

  public RpcProgram program() {
    return new RpcProgram(NsmProcedure.PROGRAM, "nsm")
        .version(NsmProcedure.VERSION, Map.of(NsmProcedure.NOTIFY.number(), this::told));
  }

  private RpcTask told(XdrReader in) throws MalformedXdrException {
    NsmMessage.Notice notice = NsmMessage.Notice.read(in);
    return call ->
        locks
            .freeAll(call.client(), notice.host(), notice.state())
            .thenApply(done -> RpcReply.NOTHING);
  }
}
