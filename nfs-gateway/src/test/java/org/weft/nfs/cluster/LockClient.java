package org.weft.nfs.cluster;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmLock;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.nlm.NlmShare;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.nsm.NsmMessage;
import org.weft.nfs.nsm.NsmProcedure;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.rpc.Endpoint;

/** A host's lock manager, as it asks a gateway for one process. */
record LockClient(OncRpcClient rpc, String host, int process, int uid, byte[] file) {
  private static final int TIMEOUT_MILLIS = 60_000;
  private static final NetObject COOKIE = new NetObject(new byte[] {1, 2, 3});

  static LockClient connect(
      OncRpcTransport rpc, Endpoint gateway, String host, int process, byte[] file) {
    return new LockClient(
        ModelGateway.now(
            rpc.connect(
                new InetSocketAddress(gateway.host(), gateway.port()),
                OptionalInt.empty(),
                TIMEOUT_MILLIS,
                Runnable::run)),
        host,
        process,
        0,
        file);
  }

  LockClient as(int newProcess) {
    return new LockClient(rpc, host, newProcess, uid, file);
  }

  LockClient on(byte[] newFile) {
    return new LockClient(rpc, host, process, uid, newFile);
  }

  LockClient user(int newUid) {
    return new LockClient(rpc, host, process, newUid, file);
  }

  NlmLock lockOf(long offset, long length) {
    return new NlmLock(
        host,
        new NetObject(file),
        new NetObject((process + "@" + host).getBytes(StandardCharsets.US_ASCII)),
        process,
        new NlmRange(offset, length));
  }

  private <T> T call(
      NlmProcedure procedure, NlmMessage message, OncRpcClient.ResultReader<T> result) {
    return call(
        NlmProcedure.PROGRAM, NlmProcedure.VERSION, procedure.number(), message::write, result);
  }

  private <T> T call(
      int program,
      int version,
      int procedure,
      Consumer<XdrWriter> arguments,
      OncRpcClient.ResultReader<T> result) {
    return ModelGateway.now(
        rpc.call(
            new OncRpcClient.Target(program, version, procedure),
            new RpcCredential.Sys(0, host, uid, uid, List.of()),
            arguments,
            result));
  }

  /** Calls what has no result in its reply. */
  void tell(NlmProcedure procedure, NlmMessage message) {
    call(procedure, message, in -> 0);
  }

  private NlmStatus lock(
      long offset, long length, boolean exclusive, boolean block, boolean again) {
    return call(
            NlmProcedure.LOCK,
            new NlmMessage.Lock(COOKIE, block, exclusive, lockOf(offset, length), again, 1),
            NlmMessage.Answer::read)
        .status();
  }

  /** By a host that has started so often. */
  NlmStatus inState(int state, long offset, long length) {
    return call(
            NlmProcedure.LOCK,
            new NlmMessage.Lock(COOKIE, false, true, lockOf(offset, length), false, state),
            NlmMessage.Answer::read)
        .status();
  }

  NlmStatus exclusive(long offset, long length) {
    return lock(offset, length, true, false, false);
  }

  NlmStatus shared(long offset, long length) {
    return lock(offset, length, false, false, false);
  }

  NlmStatus waiting(long offset, long length) {
    return lock(offset, length, true, true, false);
  }

  NlmStatus reclaim(long offset, long length) {
    return lock(offset, length, true, false, true);
  }

  NlmStatus cancel(long offset, long length) {
    return call(
            NlmProcedure.CANCEL,
            new NlmMessage.Cancel(COOKIE, true, true, lockOf(offset, length)),
            NlmMessage.Answer::read)
        .status();
  }

  NlmStatus unlock(long offset, long length) {
    return call(
            NlmProcedure.UNLOCK,
            new NlmMessage.Unlock(COOKIE, lockOf(offset, length)),
            NlmMessage.Answer::read)
        .status();
  }

  NlmMessage.Tested test(long offset, long length) {
    return call(
        NlmProcedure.TEST,
        new NlmMessage.Test(COOKIE, true, lockOf(offset, length)),
        NlmMessage.Tested::read);
  }

  /**
   * @param denied 1 reading, 2 writing, 3 both
   * @param opened likewise
   */
  NlmStatus share(int denied, int opened) {
    return reservation(NlmProcedure.SHARE, denied, opened, false);
  }

  NlmStatus reclaimShare(int denied, int opened) {
    return reservation(NlmProcedure.SHARE, denied, opened, true);
  }

  NlmStatus unshare() {
    return reservation(NlmProcedure.UNSHARE, 0, 0, false);
  }

  private NlmStatus reservation(NlmProcedure procedure, int denied, int opened, boolean reclaim) {
    NetObject owner = new NetObject(new byte[] {(byte) process});
    NlmShare share = new NlmShare(host, new NetObject(file), owner, denied, opened);
    return call(procedure, new NlmMessage.Share(COOKIE, share, reclaim), NlmMessage.Shared::read)
        .status();
  }

  void freeAll() {
    call(NlmProcedure.FREE_ALL, new NlmMessage.FreeAll(host, 0), in -> 0);
  }

  /** The host has started again. */
  void started(int state) {
    call(
        NsmProcedure.PROGRAM,
        NsmProcedure.VERSION,
        NsmProcedure.NOTIFY.number(),
        new NsmMessage.Notice(host, state)::write,
        in -> 0);
  }
}
