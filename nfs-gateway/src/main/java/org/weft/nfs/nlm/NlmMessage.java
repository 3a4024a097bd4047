package org.weft.nfs.nlm;

import java.util.Optional;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/** Arguments and results of the procedures: RFC 1813 section 6.1.2 and 6.2. */
public sealed interface NlmMessage {
  void write(XdrWriter out);

  /** nlm4_testargs, of TEST and also of GRANTED. */
  record Test(NetObject cookie, boolean exclusive, NlmLock lock) implements NlmMessage {
    public static Test read(XdrReader in) throws MalformedXdrException {
      return new Test(NetObject.read(in), in.bool(), NlmLock.read(in));
    }

    @Override
    public void write(XdrWriter out) {
      cookie.write(out);
      out.bool(exclusive);
      lock.write(out);
    }
  }

  /**
   * nlm4_testres.
   *
   * @param holder with DENIED alone
   */
  record Tested(NetObject cookie, NlmStatus status, Optional<NlmHolder> holder)
      implements NlmMessage {
    public Tested {
      if (holder.isPresent() != (status == NlmStatus.DENIED)) {
        throw new IllegalArgumentException("a holder is told with DENIED, not with " + status);
      }
    }

    public static Tested read(XdrReader in) throws MalformedXdrException {
      NetObject cookie = NetObject.read(in);
      NlmStatus status = NlmStatus.read(in);
      return new Tested(
          cookie,
          status,
          status == NlmStatus.DENIED ? Optional.of(NlmHolder.read(in)) : Optional.empty());
    }

    @Override
    public void write(XdrWriter out) {
      cookie.write(out);
      status.write(out);
      holder.ifPresent(known -> known.write(out));
    }
  }

  /**
   * nlm4_lockargs, of LOCK and NM_LOCK.
   *
   * @param block waits if it must
   * @param reclaim it had the lock before the server started
   * @param state the client's, by its status monitor
   */
  record Lock(
      NetObject cookie, boolean block, boolean exclusive, NlmLock lock, boolean reclaim, int state)
      implements NlmMessage {
    public static Lock read(XdrReader in) throws MalformedXdrException {
      return new Lock(
          NetObject.read(in), in.bool(), in.bool(), NlmLock.read(in), in.bool(), in.int32());
    }

    @Override
    public void write(XdrWriter out) {
      cookie.write(out);
      out.bool(block).bool(exclusive);
      lock.write(out);
      out.bool(reclaim).int32(state);
    }
  }

  /** nlm4_cancargs: the lock that waits. */
  record Cancel(NetObject cookie, boolean block, boolean exclusive, NlmLock lock)
      implements NlmMessage {
    public static Cancel read(XdrReader in) throws MalformedXdrException {
      return new Cancel(NetObject.read(in), in.bool(), in.bool(), NlmLock.read(in));
    }

    @Override
    public void write(XdrWriter out) {
      cookie.write(out);
      out.bool(block).bool(exclusive);
      lock.write(out);
    }
  }

  /** nlm4_unlockargs. */
  record Unlock(NetObject cookie, NlmLock lock) implements NlmMessage {
    public static Unlock read(XdrReader in) throws MalformedXdrException {
      return new Unlock(NetObject.read(in), NlmLock.read(in));
    }

    @Override
    public void write(XdrWriter out) {
      cookie.write(out);
      lock.write(out);
    }
  }

  /** nlm4_res, of all that answer with a status alone. */
  record Answer(NetObject cookie, NlmStatus status) implements NlmMessage {
    public static Answer read(XdrReader in) throws MalformedXdrException {
      return new Answer(NetObject.read(in), NlmStatus.read(in));
    }

    @Override
    public void write(XdrWriter out) {
      cookie.write(out);
      status.write(out);
    }
  }

  /** nlm4_shareargs, of SHARE and UNSHARE. */
  record Share(NetObject cookie, NlmShare share, boolean reclaim) implements NlmMessage {
    public static Share read(XdrReader in) throws MalformedXdrException {
      return new Share(NetObject.read(in), NlmShare.read(in), in.bool());
    }

    @Override
    public void write(XdrWriter out) {
      cookie.write(out);
      share.write(out);
      out.bool(reclaim);
    }
  }

  /** nlm4_shareres. */
  record Shared(NetObject cookie, NlmStatus status, int sequence) implements NlmMessage {
    public static Shared read(XdrReader in) throws MalformedXdrException {
      return new Shared(NetObject.read(in), NlmStatus.read(in), in.int32());
    }

    @Override
    public void write(XdrWriter out) {
      cookie.write(out);
      status.write(out);
      out.int32(sequence);
    }
  }

  /** nlm4_notify, of FREE_ALL: all locks of the client are given up. */
  record FreeAll(String client, int state) implements NlmMessage {
    public static FreeAll read(XdrReader in) throws MalformedXdrException {
      return new FreeAll(in.string(NlmLock.MAX_NAME_BYTES), in.int32());
    }

    @Override
    public void write(XdrWriter out) {
      out.string(client).int32(state);
    }
  }
}
