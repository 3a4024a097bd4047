package org.weft.nfs.nsm;

import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/** Arguments and results of the procedures, C702 section 11.3. */
public sealed interface NsmMessage {
  /** SM_MAXSTRLEN. */
  int MAX_NAME_BYTES = 1_024;

  /** Size of what a notice returns. */
  int PRIVATE_BYTES = 16;

  void write(XdrWriter out);

  /** sm_name, of STAT. */
  record Name(String host) implements NsmMessage {
    public static Name read(XdrReader in) throws MalformedXdrException {
      return new Name(in.string(MAX_NAME_BYTES));
    }

    @Override
    public void write(XdrWriter out) {
      out.string(host);
    }
  }

  /** my_id, of UNMON_ALL, and a part of others: the program to call when a host starts again. */
  record Callback(String host, int program, int version, int procedure) implements NsmMessage {
    public static Callback read(XdrReader in) throws MalformedXdrException {
      return new Callback(in.string(MAX_NAME_BYTES), in.int32(), in.int32(), in.int32());
    }

    @Override
    public void write(XdrWriter out) {
      out.string(host).int32(program).int32(version).int32(procedure);
    }
  }

  /** mon_id, of UNMON, and a part of {@link Monitor}. */
  record Watch(String host, Callback callback) implements NsmMessage {
    public static Watch read(XdrReader in) throws MalformedXdrException {
      return new Watch(in.string(MAX_NAME_BYTES), Callback.read(in));
    }

    @Override
    public void write(XdrWriter out) {
      out.string(host);
      callback.write(out);
    }
  }

  /**
   * mon, of MON.
   *
   * @param told {@value #PRIVATE_BYTES} bytes that come with the notice
   */
  record Monitor(Watch watch, byte[] told) implements NsmMessage {
    public Monitor {
      checkPrivate(told);
    }

    public static Monitor read(XdrReader in) throws MalformedXdrException {
      return new Monitor(Watch.read(in), in.fixedOpaque(PRIVATE_BYTES));
    }

    @Override
    public void write(XdrWriter out) {
      watch.write(out);
      out.fixedOpaque(told);
    }
  }

  /** sm_stat, of UNMON and UNMON_ALL: the state of the monitor's own host. */
  record State(int state) implements NsmMessage {
    public static State read(XdrReader in) throws MalformedXdrException {
      return new State(in.int32());
    }

    @Override
    public void write(XdrWriter out) {
      out.int32(state);
    }
  }

  /** sm_stat_res, of STAT and MON: whether the host will be watched. */
  record Watched(boolean willBe, int state) implements NsmMessage {
    /** STAT_SUCC and STAT_FAIL: 0 and 1. */
    public static Watched read(XdrReader in) throws MalformedXdrException {
      return new Watched(in.choice(1) == 0, in.int32());
    }

    @Override
    public void write(XdrWriter out) {
      out.int32(willBe ? 0 : 1).int32(state);
    }
  }

  /**
   * stat_chge, of NOTIFY: a host has started again.
   *
   * @param state odd while the host is up; grows with each start
   */
  record Notice(String host, int state) implements NsmMessage {
    public static Notice read(XdrReader in) throws MalformedXdrException {
      return new Notice(in.string(MAX_NAME_BYTES), in.int32());
    }

    @Override
    public void write(XdrWriter out) {
      out.string(host).int32(state);
    }
  }

  /** status: the arguments of the callback. */
  record Called(String host, int state, byte[] told) implements NsmMessage {
    public Called {
      checkPrivate(told);
    }

    public static Called read(XdrReader in) throws MalformedXdrException {
      return new Called(in.string(MAX_NAME_BYTES), in.int32(), in.fixedOpaque(PRIVATE_BYTES));
    }

    @Override
    public void write(XdrWriter out) {
      out.string(host).int32(state);
      out.fixedOpaque(told);
    }
  }

  private static void checkPrivate(byte[] told) {
    if (told.length != PRIVATE_BYTES) {
      throw new IllegalArgumentException(
          PRIVATE_BYTES + " bytes are told back, got " + told.length);
    }
  }
}
